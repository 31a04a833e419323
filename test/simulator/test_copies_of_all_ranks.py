"""Copies of tiles of rank 1 to 5 by every engine: boxes, slots, ragged ends, types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from pipeline.lowering import TARGET, instructions, lower
from support.tile_runs import run_at, told

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import Options, Report, run

LEVELS = ("croq", "insert-barriers", "nvvm", "ptx")
TYPES: dict[str, Any] = {
    "i8": np.int8,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i16": np.int16,
    "i32": np.int32,
    "f32": np.float32,
    "i64": np.int64,
    "f64": np.float64,
}

_COPY = """
croq.kernel @copy dims(DIMS) (%x: !croq.tile<SHAPExTYPE, global>,
    %y: !croq.tile<SHAPExTYPE, global>) {
  %n0 = croq.cdiv D0, EXTENT0
  %n1 = croq.cdiv LAST, EXTENT1
  croq.parallel (%i, %j) in (%n0, %n1) : block threads 64 {
    %t = croq.alloc : !croq.tile<TILExTYPE, sharedLAYOUT>
    %from = croq.subspan %x [EXTENTS] tile (AT)
    %to = croq.subspan %y [EXTENTS] tile (AT)
    croq.copy %from => %t engine(IN)
    croq.copy %t => %to engine(OUT)
  }
}
"""


@dataclass(frozen=True)
class Case:
    """Tiles along the outer and the inner dim of an argument; other dims are whole."""

    shape: tuple[int, ...]
    tile: tuple[int, ...]
    kind: str = "f32"
    layout: str = ""
    multiple: int = 1
    boxes: int = 1
    """Boxes that TMA makes of a tile."""

    def text(self, load: str, store: str) -> str:
        """The kernel, with an engine for each copy."""
        rank = len(self.shape)
        dims = [f"D{n}" for n in range(rank)]
        declared = [*dims[:-1], f"{dims[-1]} multiple_of {self.multiple}"]
        at = ["0"] * rank
        at[-1] = "%j"
        if rank > 1:
            at[0] = "%i"
        return (
            (_COPY if rank > 1 else _COPY.replace("(%n0, %n1)", "(1, %n1)"))
            .replace("DIMS", ", ".join(declared))
            .replace("SHAPE", "x".join(f"[{d}]" for d in dims))
            .replace("EXTENTS", ", ".join(map(str, self.tile)))
            .replace("EXTENT0", str(self.tile[0]))
            .replace("EXTENT1", str(self.tile[-1]))
            .replace("TILE", "x".join(map(str, self.tile)))
            .replace("TYPE", self.kind)
            .replace("LAYOUT", f", {self.layout}" if self.layout else "")
            .replace("LAST", dims[-1])
            .replace("AT)", f"{', '.join(at)})")
            .replace("IN)", f"{load})")
            .replace("OUT)", f"{store})")
        )


def execute(text: str, level: str, args: list[NDArray[Any]], policy: str) -> Report:
    """Run a kernel at a level."""
    if level in ("nvvm", "ptx"):
        return run(text, *args, level=level, options=Options(policy))
    return run_at(text, level, *args, policy=policy)


def check(case: Case, load: str, store: str, level: str, policy: str = "rr") -> None:
    """Copy a random argument, and compare."""
    rng = np.random.default_rng(sum(case.shape))
    x = rng.integers(-99, 99, case.shape).astype(TYPES[case.kind])
    y: NDArray[Any] = np.full(case.shape, 77, TYPES[case.kind])
    report = execute(case.text(load, store), level, [x, y], policy)
    assert not report.faults, told(report)
    np.testing.assert_array_equal(x, y)


TMA = {
    "rank 1": Case((300,), (128,), multiple=4),
    "rank 1, long": Case((1304,), (640,), multiple=4, boxes=3),
    "rank 2": Case((37, 64), (16, 32), multiple=4),
    "rank 2, swizzled": Case((37, 96), (16, 64), "f16", "swizzle<64>", 8, boxes=2),
    "rank 2, high": Case((270, 16), (264, 16), multiple=4, boxes=2),
    "rank 2, wide": Case((5, 640), (3, 320), multiple=4, boxes=6),
    "rank 3": Case((5, 8, 72), (2, 8, 64), "f16", "swizzle<128>", 8),
    "rank 3, apart": Case((5, 6, 64), (2, 6, 64), "f16", "swizzle<128>", 8, boxes=2),
    "rank 3, wide": Case((3, 2, 528), (2, 2, 512), "i8", "", 16, boxes=8),
    "rank 4": Case((3, 2, 4, 40), (2, 2, 4, 32), "f32", "", 4),
    "rank 5": Case((3, 2, 2, 4, 48), (2, 2, 2, 4, 32), "i8", "", 16),
    "rank 5, swizzled": Case(
        (3, 2, 2, 8, 32), (2, 2, 2, 8, 32), "f32", "swizzle<128>", 4
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", TMA.values(), ids=TMA)
def test_tma(case: Case, level: str) -> None:
    check(case, "tma", "tma", level, "late")


@pytest.mark.parametrize("case", TMA.values(), ids=TMA)
def test_boxes_of_tma(case: Case) -> None:
    ptx = lower(case.text("tma", "tma"))
    found = instructions(ptx)
    rank = len(case.shape)
    loads = [
        n
        for op, n in found.items()
        if op.startswith(f"cp.async.bulk.tensor.{rank}d.shared")
    ]
    assert sum(loads) == case.boxes
    if find_ptxas() is not None:
        result = assemble(ptx, TARGET)
        assert result.warnings == ()
        assert result.spill_bytes == 0


RAGGED = {
    "rank 1": Case((301,), (128,)),
    "rank 2": Case((37, 41), (16, 32)),
    "rank 3": Case((5, 7, 43), (2, 8, 24), "f16"),
    "rank 4": Case((3, 3, 5, 19), (2, 2, 4, 16), "f16"),
    "rank 5": Case((3, 3, 2, 3, 7), (2, 3, 2, 4, 4)),
}


def whole(case: Case) -> Case:
    """The case with an argument that the tiles of its middle dims cover."""
    middle = case.tile[1:-1]
    return Case((*case.shape[:1], *middle, *case.shape[1:][-1:]), case.tile, case.kind)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("load", ["threads", "cp_async"])
@pytest.mark.parametrize("case", RAGGED.values(), ids=RAGGED)
def test_threads(case: Case, load: str, level: str) -> None:
    check(whole(case), load, "threads", level, "random:3")


@pytest.mark.parametrize("kind", TYPES)
def test_types(kind: str) -> None:
    for level in ("croq", "nvvm", "ptx"):
        # Rows of whole vectors, of smaller ones, and of none.
        for cols, policy in ((64, "rr"), (44, "late"), (37, "early")):
            check(Case((19, cols), (16, 32), kind), "threads", "threads", level, policy)
        check(Case((19, 64), (16, 32), kind), "cp_async", "threads", level)
