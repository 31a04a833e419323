"""Copies that transpose and pad, at every level: what goes where, and padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from pipeline.lowering import TARGET, lower
from support.tile_runs import levels, run_at, told

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import Options, Report, run

POLICIES = ("rr", "late", "early", "random:5")
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

_ONE = """
croq.kernel @rearranged dims(DIMS) (%x: !croq.tile<SOURCExTYPE, global>,
    %y: !croq.tile<RESULTxTYPE, global>) {
  croq.parallel (%b) in (1) : block threads THREADS {
    %from = croq.subspan %x [FROM] tile (ORIGIN)
    %to = croq.subspan %y [TO] tile (ORIGIN)
BODY
  }
}
"""

_BODIES = {
    # The rearrangement on the way in, on the way out, inside, and without a stop.
    "load": ("shared TO", "%from => %t HOW", "%t => %to"),
    "store": ("shared FROM", "%from => %t", "%t => %to HOW"),
    "inside": ("shared FROM", "%from => %t", "%t => %u HOW", "%u => %to"),
    "global": ("", "%from => %to HOW"),
}


@dataclass(frozen=True)
class Case:
    """A rearrangement of a tile of an argument that may be smaller than the tile."""

    shape: tuple[int, ...]
    """The argument."""

    tile: tuple[int, ...]
    order: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    high: tuple[int, ...] = ()
    interior: tuple[int, ...] = ()
    value: float = 0
    threads: int = 64

    @property
    def permutation(self) -> tuple[int, ...]:
        """The order of the dims of the source."""
        return self.order or tuple(range(len(self.tile)))

    def padding(self, which: str) -> tuple[int, ...]:
        """Elements that are added somewhere, for each dim."""
        return getattr(self, which) or (0,) * len(self.tile)

    def filled(self) -> tuple[int, ...]:
        """The extents of what is filled."""
        return tuple(
            low + high + self.tile[dim] + (self.tile[dim] - 1) * between
            for dim, low, high, between in zip(
                self.permutation,
                self.padding("low"),
                self.padding("high"),
                self.padding("interior"),
                strict=True,
            )
        )

    def result(self, way: str) -> tuple[int, ...]:
        """The extents of the argument that is written; the tile overhangs some."""
        cut = way in ("store", "global")
        return tuple(
            extent - (dim + 1) * (cut and extent > 6)
            for dim, extent in enumerate(self.filled())
        )

    def how(self, floating: bool) -> str:
        """The modifiers."""
        words = ""
        if self.order:
            words += f"transpose({', '.join(map(str, self.order))}) "
        if self.low or self.high or self.interior:
            low, high, between = map(self.padding, ("low", "high", "interior"))
            number = float(self.value) if floating else int(self.value)
            middle = f"{list(between)}, " if self.interior else ""
            words += f"pad({list(low)}, {list(high)}, {middle}{number})"
        return words

    def text(self, kind: str, way: str) -> str:
        """The kernel."""
        floating = "f" in kind
        to = self.filled()
        buffers, *copies = _BODIES[way]
        lines: list[str] = []
        names = ["t", "u"]
        extents = {"TO": to, "FROM": self.tile}
        if buffers:
            first = extents[buffers.split()[1]]
            sizes = [first, to]
            for name, dims in zip(names[: len(copies) - 1], sizes, strict=False):
                tile = f"!croq.tile<{'x'.join(map(str, dims))}x{kind}, shared>"
                lines.append(f"%{name} = croq.alloc : {tile}")
        for copy in copies:
            words = copy.replace("HOW", self.how(floating))
            lines.append(f"croq.copy {words}")
        body = "\n".join(f"    {line}" for line in lines)
        return (
            _ONE.replace("BODY", body)
            .replace("DIMS", ", ".join(f"D{n}" for n in range(len(to))))
            .replace("SOURCE", "x".join(f"[D{n}]" for n in range(len(to))))
            .replace("RESULT", "x".join(map(str, self.result(way))))
            .replace("FROM", ", ".join(map(str, self.tile)))
            .replace("TO", ", ".join(map(str, to)))
            .replace("ORIGIN", ", ".join("0" for _ in to))
            .replace("THREADS", str(self.threads))
            .replace("TYPE", kind)
        )

    def expected(self, source: NDArray[Any]) -> NDArray[Any]:
        """What numpy makes of it: the tile, zero beyond the argument, rearranged."""
        tile: NDArray[Any] = np.zeros(self.tile, source.dtype)
        inside = tuple(
            slice(0, min(a, b)) for a, b in zip(self.shape, self.tile, strict=True)
        )
        tile[inside] = source[inside]
        moved = tile.transpose(self.permutation)
        result: NDArray[Any] = np.full(
            self.filled(), np.asarray(self.value).astype(source.dtype)
        )
        where = tuple(
            slice(low, size - high, between + 1)
            for low, high, between, size in zip(
                self.padding("low"),
                self.padding("high"),
                self.padding("interior"),
                result.shape,
                strict=True,
            )
        )
        result[where] = moved
        return result


def source_of(case: Case, kind: str) -> NDArray[Any]:
    """A random argument."""
    rng = np.random.default_rng(sum(case.shape))
    return rng.integers(-99, 99, case.shape).astype(TYPES[kind])


def execute(text: str, level: str, args: list[NDArray[Any]], policy: str) -> Report:
    """Run a kernel at a level."""
    if level in ("nvvm", "ptx"):
        return run(text, *args, level=level, options=Options(policy))
    return run_at(text, level, *args, policy=policy)


def check(case: Case, kind: str, way: str, level: str, policy: str = "rr") -> None:
    """Compare what a kernel makes of an argument with numpy."""
    source = source_of(case, kind)
    result: NDArray[Any] = np.full(case.result(way), 77, TYPES[kind])
    report = execute(case.text(kind, way), level, [source, result], policy)
    assert not report.faults, told(report)
    whole = case.expected(source)
    np.testing.assert_array_equal(result, whole[tuple(map(slice, result.shape))])


CASES = {
    "transpose": Case((29, 37), (32, 48), (1, 0)),
    "transpose of odd extents": Case((7, 13), (7, 13), (1, 0), threads=32),
    "transpose of rank 3": Case((3, 9, 20), (4, 8, 24), (2, 0, 1)),
    "transpose of outer dims": Case((5, 9, 20), (6, 8, 24), (1, 0, 2)),
    "transpose of rank 4": Case((2, 3, 5, 9), (2, 4, 4, 8), (3, 1, 0, 2)),
    "transpose of rank 5": Case((2, 3, 2, 5, 3), (2, 3, 2, 4, 4), (4, 0, 3, 2, 1)),
    "pad": Case((21, 30), (16, 32), low=(1, 3), high=(2, 5), value=7),
    "pad by vectors": Case((21, 64), (16, 32), low=(0, 16), high=(2, 32), value=-3),
    "pad between": Case((9, 12), (8, 12), low=(0, 2), interior=(2, 1), value=5),
    "pad of rank 1": Case((50,), (64,), low=(3,), high=(1,), value=-1),
    "pad of one row": Case((1, 40), (1, 40), low=(2, 0), high=(1, 0), value=9),
    "both": Case((14, 23), (16, 24), (1, 0), (1, 0), (0, 3), (0, 1), 11),
}


RUNS = [
    *((name, way) for name in CASES for way in ("load", "store")),
    *((name, way) for name in ("transpose", "both") for way in ("inside", "global")),
    # Small buffers, which TMA fills.
    ("pad of rank 1", "inside"),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "way"), RUNS)
def test_every_way(name: str, way: str, level: str) -> None:
    check(CASES[name], "f32", way, level, POLICIES[len(name) % 4])


@pytest.mark.parametrize("kind", TYPES)
def test_every_type(kind: str) -> None:
    check(CASES["both"], kind, "store", "croq")
    check(CASES["both"], kind, "load", "nvvm")
    check(CASES["pad by vectors"], kind, "load", "ptx")


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
def test_started_and_awaited(level: str) -> None:
    case = CASES["both"]
    how = case.how(floating=True)
    plain = f"croq.copy %from => %t {how}"
    text = case.text("f16", "load")
    assert text.count(plain) == 1
    started = f"%f = croq.copy_async %from => %t {how} engine(threads)\n    "
    text = text.replace(plain, started + "croq.await %f")
    for policy in POLICIES[:2]:
        source = source_of(case, "f16")
        result: NDArray[Any] = np.full(case.filled(), 77, np.float16)
        report = execute(text, level, [source, result], policy)
        assert not report.faults, told(report)
        np.testing.assert_array_equal(result, case.expected(source))


@pytest.mark.parametrize("level", levels())
def test_between_all_passes(level: str) -> None:
    for name in ("transpose", "both"):
        check(CASES[name], "f16", "inside", level, "random:5")


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    ("name", "way", "kind"),
    [
        *((*ways, "f32") for ways in RUNS),
        *(("both", "load", kind) for kind in TYPES),
        *(("pad by vectors", "load", kind) for kind in TYPES),
    ],
)
def test_assembles(name: str, way: str, kind: str) -> None:
    result = assemble(lower(CASES[name].text(kind, way)), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0
