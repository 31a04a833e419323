"""Matrix products that differ from the example in one thing each, as PTX."""

from __future__ import annotations

import pytest

from croqtile_mlir.diagnostics import CompileError
from pipeline.kernels import Matmul, renamed
from pipeline.lowering import EXAMPLES, instructions, lower, parse, printed, run

WGMMA = "wgmma.mma_async.sync.aligned"
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"


def example(name: str) -> str:
    return next(path for path in EXAMPLES if path.stem == name).read_text()


def without_name(ptx: str, name: str) -> str:
    return ptx.replace(name, "kernel")


def test_names_do_not_matter():
    text = Matmul().text()
    assert renamed(text) != text
    assert lower(renamed(text)) == lower(text)


def test_the_kernel_here_is_the_example():
    ours = without_name(lower(Matmul().text()), "matmul")
    assert without_name(lower(example("matmul_1p1c")), "matmul_1p1c") == ours


def test_written_slices_give_the_same():
    whole = without_name(lower(example("matmul_1p1c")), "matmul_1p1c")
    slices = lower(example("matmul_1p1c_slices"))
    assert without_name(slices, "matmul_1p1c_slices") == whole


def test_blocking_copies_and_trigger_give_the_same():
    """Croqtile's own form of a producer; and a returned output is an argument."""
    whole = without_name(lower(example("matmul_1p1c")), "matmul_1p1c")
    returned = lower(example("matmul_returned"))
    assert without_name(returned, "matmul_returned") == whole


def test_order_of_loads():
    text, swapped = Matmul().text(), Matmul(rhs_first=True).text()
    assert swapped != text
    assert lower(swapped) != lower(text)
    assert instructions(lower(swapped)) == instructions(lower(text))


@pytest.mark.parametrize(
    ("kernel", "threads", "wgmmas"),
    [
        (Matmul(consumers=2), 384, 4),
        (Matmul(rows=256, consumers=2, stages=3), 384, 8),
        (Matmul(rows=192, consumers=3, budgets=False), 512, 4),
    ],
)
def test_consumers_split_the_rows(kernel: Matmul, threads: int, wgmmas: int):
    """Each consumer warpgroup runs its share, and each of its warps releases a slot."""
    ptx = lower(kernel.text())
    assert f".reqntid {threads}, 1, 1" in ptx
    found = instructions(ptx)
    name = f"{WGMMA}.m64n128k16.f32.f16.f16"
    assert found[name] == wgmmas
    releases = 4 * kernel.consumers
    inits = [line for line in ptx.splitlines() if "mbarrier.init" in line]
    counts = [int(line.rstrip(";").split()[-1]) for line in inits]
    assert counts == [1] * kernel.stages + [releases] * kernel.stages


def test_a_third_event_and_role():
    ptx = lower(Matmul(storer=True).text())
    found = instructions(ptx)
    assert found["mbarrier.init.shared.b64"] == 4 + 4 + 1
    assert found["mbarrier.try_wait.parity.shared.b64"] == 3
    assert found[STORE] == 2
    assert found["setmaxnreg.dec.sync.aligned.u32"] == 2
    assert found["setmaxnreg.inc.sync.aligned.u32"] == 1


@pytest.mark.parametrize(
    ("kernel", "shape", "wgmmas", "loads", "stores"),
    [
        (Matmul(rows=64), "m64n128k16", 4, 2, 2),
        (Matmul(cols=256, depth=32, consumers=2), "m64n256k16", 2, 2, 4),
        (Matmul(depth=128, stages=2), "m64n128k16", 16, 4, 2),
        (Matmul(depth=16), "m64n128k16", 2, 2, 2),
    ],
)
def test_tiles(kernel: Matmul, shape: str, wgmmas: int, loads: int, stores: int):
    found = instructions(lower(kernel.text()))
    assert found[f"{WGMMA}.{shape}.f32.f16.f16"] == wgmmas
    assert found[LOAD] == loads
    assert found[STORE] == stores


@pytest.mark.parametrize("cols", [8, 16, 24, 40, 56, 72, 96, 248, 256])
@pytest.mark.parametrize("accumulator", ["f32", "f16"])
def test_widths(cols: int, accumulator: str):
    """Narrow, uneven and wide tiles are one wgmma of just that width."""
    kernel = Matmul(rows=64, cols=cols, accumulator=accumulator)
    found = instructions(lower(kernel.text()))
    assert found[f"{WGMMA}.m64n{cols}k16.{accumulator}.f16.f16"] == 4


@pytest.mark.parametrize("cols", [4, 12, 20, 100, 320, 512])
def test_widths_that_wgmma_does_not_have(cols: int):
    """They are refused: the message names the width and the limit."""
    text = Matmul(rows=64, cols=cols, stages=1).text()
    with pytest.raises(CompileError) as caught:
        lower(text)
    message = str(caught.value)
    assert message.startswith("kernel.mlir:")
    assert ("256" if cols > 256 else "multiple of 8") in message
    assert f"got {cols}" in message


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_stages(stages: int):
    """The number of stages is that of the parameter, powers of two or not."""
    base = Matmul().text()
    module = parse(base)
    run(module, f"bind-params{{S={stages}}}")
    bound = lower(Matmul(stages=stages).text())
    assert instructions(bound)["mbarrier.init.shared.b64"] == 2 * stages
    assert lower(printed(module)) == bound


def test_too_many_stages():
    with pytest.raises(CompileError, match="must fit in 232448 bytes"):
        lower(Matmul(cols=256, stages=5, rows=128, consumers=2).text())
