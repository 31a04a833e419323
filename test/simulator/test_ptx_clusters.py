"""Clusters in PTX text: addresses, barriers, registers, directives."""

from __future__ import annotations

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.ptx.kernel import executable
from croqtile_mlir.simulator.simulate import Options, load, run_loaded

from .hardware_kernels import POLICIES
from .test_hardware_clusters import REGISTERS, exchange, register_text


@pytest.mark.parametrize("policy", POLICIES)
def test_exchange(policy: str) -> None:
    out = np.zeros((4, 32), np.int32)
    kernel = load(source_of(exchange()), level="ptx")
    run_loaded(kernel, [out], Options(policy)).check()
    expected = 100 * np.array([1, 0, 3, 2])[:, None] + np.arange(32)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("name", REGISTERS)
def test_registers(name: str) -> None:
    out = np.full((4, 32), -1, np.int32)
    kernel = load(source_of(register_text(name)), level="ptx")
    run_loaded(kernel, [out], Options()).check()
    expected = np.broadcast_to(np.array(REGISTERS[name])[:, None], out.shape)
    np.testing.assert_array_equal(out, expected)


def printed(*changes: tuple[str, str]) -> Loaded:
    """The exchange as text, with changes."""
    lowering = Lowering(source_of(exchange()), verify_sync=False)
    lowering.run()
    _, plan = lowering.launch()
    text = lowering.ptx()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return Loaded(executable(text, plan), plan, "ptx")


def test_the_directives() -> None:
    printed((".reqnctapercluster 2, 1, 1", ".reqnctapercluster 2"))
    with pytest.raises(CompileError, match=r"both \.explicitcluster and \.reqncta"):
        printed((".explicitcluster\n", ""))
    with pytest.raises(CompileError, match="cluster of the launch plan"):
        printed((".reqnctapercluster 2, 1, 1", ".reqnctapercluster 2, 2, 1"))


def test_a_block_that_has_ended() -> None:
    """Rank 1 leaves, rank 0 uses its memory later on."""
    store = "st.shared::cluster.b32"
    leave = "setp.eq.s32 %q0, %r4, 1;\n@%q0 ret;\n" + "bar.sync 0;\n" * 64
    kernel = printed(
        ("\t.reg .b32", "\t.reg .pred %q<1>;\n\t.reg .b32"), (store, leave + store)
    )
    with pytest.raises(CompileError, match="block of rank 1 must not have ended"):
        run_loaded(kernel, [np.zeros((4, 32), np.int32)], Options())


def test_a_rank_that_is_not_there() -> None:
    kernel = printed(("xor.b32 %r5, %r4, 1", "add.s32 %r5, %r4, 7"))
    with pytest.raises(CompileError, match=r"cluster has 2 blocks, got rank [78]"):
        run_loaded(kernel, [np.zeros((4, 32), np.int32)], Options())
