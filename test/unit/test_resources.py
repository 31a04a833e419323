"""Registers, spills, shared memory, barriers and roles of kernels, and their report."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.fake_driver import FakeApi

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.resources import Resources, barriers_of
from croqtile_mlir.storage.source_facts import RoleBudget
from croqtile_mlir.tools import croq_run
from croqtile_mlir.tools.resource_report import print_resources

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PRODUCT = EXAMPLES / "matmul_1p1c.mlir"
SCALE = ROOT / "test" / "unit" / "Inputs" / "scale.mlir"
SPILLING = PRODUCT.read_text().replace("registers 232", "registers 144")
"""The accumulators take 128 of the 144 registers."""

needs_ptxas = pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")


@pytest.fixture(autouse=True)
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel is loaded on a device that may be here."""

    def load_driver() -> None:
        raise croq.DeviceError("no device: not in these tests")

    for module in ("driver", "device", "launch"):
        monkeypatch.setattr(f"croqtile_mlir.runtime.{module}.load_driver", load_driver)
    from croqtile_mlir.compiler import compile_source

    compile_source.cache_clear()


def run(monkeypatch: pytest.MonkeyPatch, *args: object) -> object:
    """The exit status of the tool, or its message."""
    monkeypatch.setattr(sys, "argv", ["croq-run", *map(str, args)])
    with pytest.raises(SystemExit) as exit:
        croq_run.main()
    return exit.value.code


@pytest.mark.parametrize(
    ("lines", "barriers"),
    [
        ([], 0),
        (["bar.sync 0;"], 1),
        (["bar.sync 0;", "bar.arrive 4, 128;", "bar.sync 2, 64;"], 5),
        (["barrier.cta.sync.aligned 9, 128;"], 10),
        (["bar.red.popc.u32 %r1, 3, %p1;"], 4),
        (["barrier.sync %r7, 64;"], 16),
        # These are no barriers of the block.
        (["bar.warp.sync 0xffffffff;", "barrier.cluster.arrive.aligned;"], 0),
        (["mbarrier.arrive.shared.b64 _, [%r3];"], 0),
    ],
)
def test_barriers_of_a_text(lines: Sequence[str], barriers: int):
    assert barriers_of("\n".join(f"\t{line}" for line in lines)) == barriers


@needs_ptxas
@pytest.mark.parametrize("barriers", [(0,), (5,), (0, 3, 15), (1, 2)])
def test_ptxas_counts_barriers_alike(barriers: tuple[int, ...]):
    body = "\n".join(f"bar.sync {number}, 64;" for number in barriers)
    ptx = (
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        f".visible .entry k() {{\n{body}\nret;\n}}\n"
    )
    assert assemble(ptx, "sm_90a").barriers == barriers_of(ptx) == max(barriers) + 1


@needs_ptxas
def test_ptxas_counts_the_barriers_of_kernels_alike():
    for path in (PRODUCT, EXAMPLES / "copy.mlir", SCALE):
        kernel = croq.compile(path)
        assert kernel.resources.barriers == barriers_of(kernel.ptx), path.name


@needs_ptxas
def test_resources_of_a_product():
    found = croq.compile(PRODUCT).resources
    assert (found.source, found.target, found.threads) == ("ptxas", "sm_90a", 256)
    assert (found.dynamic_shared_bytes, found.static_shared_bytes) == (163904, 0)
    assert found.shared_bytes == 163904
    assert (found.registers, found.spill_bytes, found.barriers) == (224, 0, 2)
    assert found.occupancy is not None
    assert found.occupancy.limiting == ("registers", "shared memory")
    assert found.blocks_per_multiprocessor == found.occupancy.blocks == 1
    assert found.threads_per_multiprocessor == 256


@needs_ptxas
def test_static_shared_memory_counts():
    ptx = (
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".shared .align 4 .b8 s[8192];\n"
        ".visible .entry scale(.param .u64 p) {\n.reg .b32 %r<2>;\n"
        "mov.u32 %r0, %tid.x;\nst.shared.u32 [s], %r0;\nld.shared.u32 %r1, [s];\n"
        "st.shared.u32 [s+4], %r1;\nret;\n}\n"
    )
    from croqtile_mlir.resources import assembler_resources
    from croqtile_mlir.runtime.launch import Launcher

    found = assembler_resources(Launcher(croq.compile(SCALE).plan, ptx, "scale"))
    assert (found.dynamic_shared_bytes, found.static_shared_bytes) == (0, 8192)
    # 16 blocks fill the threads, 228 KiB hold 25 of 9 KiB.
    assert found.occupancy is not None
    assert found.occupancy.limits["shared memory"] == 25


def test_roles_and_their_budgets():
    assert croq.compile(PRODUCT).roles == (
        RoleBudget("producer", 0, 128, 40),
        RoleBudget("consumer", 128, 128, 232),
    )
    without = croq.compile(EXAMPLES / "matmul_1p1c_threads.mlir").roles
    assert [role.registers for role in without] == [None, None]
    assert croq.compile(EXAMPLES / "copy.mlir").roles == ()
    assert croq.compile(SCALE).roles == (), "there are no roles at level ptx"


def test_roles_made_by_a_schedule():
    kernel = croq.compile(
        EXAMPLES / "matmul.mlir",
        params={"BN": 128},
        schedule="warp-specialize{stages=3}",
    )
    assert [(role.first_thread, role.threads) for role in kernel.roles] == [
        (0, 128),
        (128, 256),
    ]
    assert all(role.registers for role in kernel.roles)


@needs_ptxas
def test_spills_are_refused_where_they_are():
    croq.compile(PRODUCT).refuse_spills()
    with pytest.raises(croq.CompileError) as caught:
        croq.compile(SPILLING).refuse_spills()
    line = next(
        number
        for number, text in enumerate(SPILLING.splitlines(), 1)
        if "croq.kernel @" in text
    )
    assert caught.value.location.line == line
    assert re.search(
        r"'croq.kernel' op registers must suffice, got \d+ bytes of local memory "
        r"stored and loaded by each thread with 136 registers",
        str(caught.value),
    )
    notes = [note.message for note in caught.value.notes]
    assert notes == [
        "the threads of this role have 40 registers",
        "the threads of this role have 144 registers",
    ]
    lines = SPILLING.splitlines()
    for note in caught.value.notes:
        assert "croq.role" in lines[note.location.line - 1]


@needs_ptxas
def test_the_tool_warns_of_spills_and_refuses_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    file = tmp_path / "spilling.mlir"
    file.write_text(SPILLING)
    assert run(monkeypatch, file, "--resources") == 0
    told = capsys.readouterr()
    assert re.search(r"registers 136 of a thread, \d+ bytes spilled", told.out)
    place = re.escape(str(file))
    assert re.search(rf"{place}:\d+:\d+: warning: 'croq.kernel' op reg", told.err)
    for more in ("--resources", "--simulate"):
        message = run(monkeypatch, file, "--no-spills", more)
        assert re.search(rf"{place}:\d+:\d+: error: 'croq.ker.* suffice", str(message))
        assert capsys.readouterr().out == ""
    assert run(monkeypatch, PRODUCT, "--no-spills", "--resources") == 0
    assert capsys.readouterr().err == ""


@needs_ptxas
def test_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    assert run(monkeypatch, PRODUCT, "--resources") == 0
    output = capsys.readouterr().out
    assert output in (ROOT / "docs" / "croq-run.md").read_text()
    assert output.splitlines() == [
        "matmul_1p1c: target sm_90a",
        "  told by   ptxas",
        "  block     256 threads, 8 warps",
        "  registers 224 of a thread, no spills",
        "  role      producer: threads 0 to 127, registers: 40",
        "  role      consumer: threads 128 to 255, registers: 232",
        "  shared    163904 bytes dynamic, 0 static, of at most 232448; a block takes "
        "1024 more",
        "  barriers  2",
        "  occupancy 1 block per multiprocessor, 8 of 64 warps (12.5%), limited by "
        "registers and shared memory, on sm_90a",
        "            blocks that each resource admits: registers 1, shared memory 1, "
        "warps 8, blocks 32, barriers 32",
    ]


@needs_ptxas
def test_report_for_another_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file = EXAMPLES / "copy.mlir"
    assert run(monkeypatch, file, "--resources", "--target", "sm_86") == 0
    output = capsys.readouterr().out
    assert "8192 bytes dynamic, 0 static, of at most 101376;" in output
    assert "11 blocks per multiprocessor, 44 of 48 warps (91.7%), limited by " in output
    assert "barriers 1\n" not in output


def test_without_ptxas(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("croqtile_mlir.ptx_tools.find_ptxas", lambda: None)
    assert run(monkeypatch, PRODUCT, "--resources") == 0
    output = capsys.readouterr().out
    assert "told by   nobody: there is no device, and ptxas was not found" in output
    assert "occupancy not known: the registers are not" in output
    assert "registers 224" not in output
    assert "role      consumer: threads 128 to 255, registers: 232" in output
    assert run(monkeypatch, PRODUCT, "--resources", "--no-spills") == (
        "croq-run: error: whether registers are spilled must be told by a device or by "
        "ptxas, found neither"
    )


def test_the_drivers_word_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("cuda.bindings.driver")
    driver = FakeApi(parameter_count=4).driver()
    for module in ("driver", "device", "launch"):
        monkeypatch.setattr(
            f"croqtile_mlir.runtime.{module}.load_driver", lambda: driver
        )
    assert run(monkeypatch, SCALE, "--resources") == 0
    told = capsys.readouterr()
    assert "told by   the driver of the device" in told.out
    assert "registers 90 of a thread, 8 bytes spilled" in told.out
    # The tables say 5 of 90 registers; this driver says 1 of everything.
    assert "occupancy 5 blocks per multiprocessor, 20 of 64 warps" in told.out
    assert "occupancy blocks per multiprocessor by the driver: 1" in told.out
    assert "scale.mlir:3:3: warning: 'ptx.entry' op registers must suffice" in told.err


def test_a_device_that_is_no_target(capsys: pytest.CaptureFixture[str]):
    found = Resources(
        128, 0, registers=90, spill_bytes=0, target=None, blocks_per_multiprocessor=3
    )
    assert found.occupancy is None
    assert found.threads_per_multiprocessor == 384
    print_resources(found)
    assert "blocks per multiprocessor: 3" in capsys.readouterr().out


@needs_ptxas
@pytest.mark.parametrize(
    ("target", "rows", "blocks", "limiting"),
    [
        # 25 blocks of 8 + 1 KiB fit in 228 KiB, 3 of 64 + 1 KiB.
        ("sm_90a", 8, None, "registers"),
        ("sm_90a", 64, 3, "shared memory"),
        ("sm_90a", 200, 1, "shared memory"),
        ("sm_80", 64, 2, "shared memory"),
        ("sm_86", 64, 1, "shared memory"),
        ("sm_89", 64, 1, "shared memory"),
        ("sm_89", 24, 4, "shared memory"),
    ],
)
def test_the_probe(target: str, rows: int, blocks: int | None, limiting: str):
    kernel = croq.compile(
        EXAMPLES / "occupancy_probe.mlir", target=target, params={"ROWS": rows}
    )
    found = kernel.resources
    assert found.dynamic_shared_bytes == rows * 1024
    assert found.target == target
    assert found.occupancy is not None
    assert limiting in found.occupancy.limiting
    assert blocks in (None, found.blocks_per_multiprocessor)


@needs_ptxas
def test_more_sums_in_a_thread_are_fewer_blocks():
    found = [
        croq.compile(EXAMPLES / "matmul.mlir", params={"BN": columns}).resources
        for columns in (64, 128, 256)
    ]
    assert [each.spill_bytes for each in found] == [0, 0, 0]
    assert [each.blocks_per_multiprocessor for each in found] == [4, 2, 1]
    for each in found:
        assert each.occupancy is not None
        assert each.occupancy.limiting == ("registers",)
