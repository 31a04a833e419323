"""The road from the plain kernel to the fastest one, as a ladder of schedules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .compile_pool import compile_all
from .library import MULTIPROCESSORS, title
from .schedules import Schedule
from .shapes import Shape

if TYPE_CHECKING:
    from croqtile_mlir import Kernel

SHAPES = (Shape(4096, 4096, 4096), Shape(8192, 8192, 1024))
"""A long and a short main loop."""

FLOPS_PER_CYCLE = 4096
"""Of the tensor cores of a multiprocessor: f16, dense (H200)."""

_DEPTH = 64
"""Elements of K in a stage, of every rung."""

_TILE = (128, 256)
"""The tile of the plain kernel."""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder."""

    schedule: Schedule
    change: str
    """What is done that the rung before did not do."""

    tile: tuple[int, int] = _TILE
    """Rows and columns of the result."""

    cluster: tuple[int, int] = (1, 1)

    @property
    def name(self) -> str:
        """The name of the schedule."""
        return self.schedule.name


_SHAPE_KNOWN = "bind-dims{M=$M N=$N K=$K}"
_GROUPED = "persist{order=grouped}"
_ROLES = "warp-specialize{stages=4 in_flight=1}"
_STATIC = (_SHAPE_KNOWN, _GROUPED, _ROLES, "split-consumers", "overlap-epilogue")
_TURNS = "warp-specialize{mode=pingpong stages=5 in_flight=1}"
_PANELS = "overlap-epilogue{cols=16}"


def _rung(
    name: str,
    change: str,
    *passes: str,
    tile: tuple[int, int] = _TILE,
    cluster: tuple[int, int] = (1, 1),
    without: tuple[str, ...] = (),
) -> Rung:
    params = ("BM", tile[0]), ("BN", tile[1])
    return Rung(Schedule(name, passes, params, without), change, tile, cluster)


_RUNGS = (
    _rung("plain", "the plain kernel: load, wait, multiply, wait"),
    _rung(
        "one role",
        "`--pipeline-loop`: loads run ahead, products run on",
        "pipeline-loop{stages=3 in_flight=1}",
    ),
    _rung(
        "roles",
        "`--warp-specialize` instead: a producer, two consumers",
        "warp-specialize{stages=3}",
    ),
    _rung(
        "in flight",
        "`in_flight=1`: products run on here, too",
        "warp-specialize{stages=3 in_flight=1}",
    ),
    _rung(
        "epilogue",
        "`--overlap-epilogue`: results leave in panels, which makes room for a "
        "fourth stage",
        _ROLES,
        "overlap-epilogue",
    ),
    _rung(
        "persist",
        "`--persist{order=first}`: 132 blocks walk over all tiles",
        "persist{order=first}",
        _ROLES,
        "overlap-epilogue",
    ),
    _rung(
        "grouped",
        "`order=grouped`: tiles that run together share operands in L2",
        _GROUPED,
        _ROLES,
        "overlap-epilogue",
    ),
    _rung(
        "split",
        "`--split-consumers`: each consumer stores its own rows",
        _GROUPED,
        _ROLES,
        "split-consumers",
        "overlap-epilogue",
    ),
    _rung("static", "`--bind-dims`: the shape is known", *_STATIC),
    _rung(
        "ping-pong",
        "`mode=pingpong`, tile 128x192: consumers take turns at tiles",
        _SHAPE_KNOWN,
        _GROUPED,
        _TURNS,
        _PANELS,
        tile=(128, 192),
    ),
    _rung(
        "clusters",
        "`--make-clusters{cluster=2x1}`, `--multicast`",
        _SHAPE_KNOWN,
        "make-clusters{cluster=2x1}",
        _GROUPED,
        _TURNS,
        "multicast",
        _PANELS,
        tile=(128, 192),
        cluster=(2, 1),
    ),
)

_ABLATIONS = (
    _rung(
        "no unswitch",
        "`static` without `--unswitch-loops`",
        *_STATIC,
        without=("unswitch-loops",),
    ),
)


def rungs(shape: Shape) -> tuple[Rung, ...]:
    """
    All rungs for a shape: the last are the library's own choice for it, and one that
    leaves a pass of the lowering out.
    """
    return (*_RUNGS, _chosen(shape), *_ABLATIONS)


def _chosen(shape: Shape) -> Rung:
    from croqtile_mlir.kernels.matmul_model import Problem
    from croqtile_mlir.kernels.matmul_schedules import choose_schedule

    problem = Problem(shape.m, shape.n, shape.k, multiprocessors=MULTIPROCESSORS)
    choice = choose_schedule(problem)
    return Rung(
        Schedule("chosen", (_SHAPE_KNOWN, *choice.passes)),
        f"what `croq.matmul` takes: {title(choice)}",
        (choice.bm, choice.bn),
        choice.cluster,
    )


# Cycles


def whole_tile_cycles(
    shape: Shape, tile: tuple[int, int], cluster: tuple[int, int] = (1, 1)
) -> int:
    """The fewest cycles of the multiprocessor that has most tiles.

    Nothing but products, whole tiles, at the speed of the tensor cores.
    """
    rows = _cdiv(_cdiv(shape.m, tile[0]), cluster[0])
    cols = _cdiv(_cdiv(shape.n, tile[1]), cluster[1])
    waves = _cdiv(rows * cols, MULTIPROCESSORS // (cluster[0] * cluster[1]))
    depth = _cdiv(shape.k, _DEPTH) * _DEPTH
    return waves * _cdiv(2 * tile[0] * tile[1] * depth, FLOPS_PER_CYCLE)


def even_cycles(shape: Shape) -> int:
    """The same, were the product divided evenly among all multiprocessors."""
    return _cdiv(shape.flops, FLOPS_PER_CYCLE * MULTIPROCESSORS)


def _cdiv(a: int, b: int) -> int:
    return -(-a // b)


# PTX

_LABEL = re.compile(r"^(\$?\w+):\s*$")
_BRANCH = re.compile(r"\bbra(?:\.uni)?\s+(\$?\w+);")
_PRODUCT = "wgmma.mma_async"
_LOAD = "shared::cluster.global"


@dataclass(frozen=True)
class KLoops:
    """Instructions of an iteration of the loops over K, in the text of a kernel."""

    products: int | None
    """Where the products are, the longest of such loops; None without."""

    loads: int | None
    """Where loads by TMA are; None where the products are there, too."""


def k_loops(ptx: str) -> KLoops:
    """The loops over K of a PTX text."""
    lines = [line.strip() for line in ptx.splitlines()]
    loops = list(_loops(lines))
    products = _innermost(lines, loops, _PRODUCT)
    one_role = any(_has(lines, loop, _LOAD) for loop in products)
    loads = [] if one_role else _innermost(lines, loops, _LOAD)
    return KLoops(_longest(lines, products), _longest(lines, loads))


_Lines = tuple[int, int]
"""The first and the last line of a loop."""


def _loops(lines: list[str]) -> Iterator[_Lines]:
    labels: dict[str, int] = {}
    for number, line in enumerate(lines):
        if label := _LABEL.match(line):
            labels[label[1]] = number
        elif (branch := _BRANCH.search(line)) and branch[1] in labels:
            yield labels[branch[1]], number


def _innermost(lines: list[str], loops: list[_Lines], text: str) -> list[_Lines]:
    having = [loop for loop in loops if _has(lines, loop, text)]
    return [
        (first, last)
        for first, last in having
        if not any(
            first <= other[0] and other[1] <= last and other != (first, last)
            for other in having
        )
    ]


def _has(lines: list[str], loop: _Lines, text: str) -> bool:
    return any(text in line for line in lines[loop[0] : loop[1] + 1])


def _longest(lines: list[str], loops: list[_Lines]) -> int | None:
    return max(
        (
            sum(line.endswith(";") for line in lines[first : last + 1])
            for first, last in loops
        ),
        default=None,
    )


# What is known of a rung without a device


@dataclass(frozen=True)
class Facts:
    """A rung for one shape, compiled."""

    name: str
    change: str
    passes: str
    without: tuple[str, ...]
    """Passes of the lowering that were left out."""

    whole_tile_cycles: int
    shared_bytes: int | None = None
    threads: int | None = None
    products: int | None = None
    """Instructions of the loop over K, as in `KLoops`."""

    loads: int | None = None
    refusal: str = ""
    """Why there is no kernel."""

    def to_json(self) -> dict[str, Any]:
        """As the results file has it."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Facts:
        """What `to_json` made."""
        values = dict(data)
        values["without"] = tuple(data["without"])
        return Facts(**values)


def facts_of(rung: Rung, shape: Shape, kernel: Kernel | None, refusal: str) -> Facts:
    """What is known of a rung, given its kernel."""
    loops = KLoops(None, None) if kernel is None else k_loops(kernel.ptx)
    return Facts(
        name=rung.name,
        change=rung.change,
        passes=rung.schedule.pipeline(shape),
        without=rung.schedule.without,
        whole_tile_cycles=whole_tile_cycles(shape, rung.tile, rung.cluster),
        shared_bytes=None if kernel is None else kernel.plan.shared_bytes,
        threads=None if kernel is None else kernel.plan.block,
        products=loops.products,
        loads=loops.loads,
        refusal=refusal,
    )


def compile_rungs(
    shape: Shape, wanted: Iterable[Rung]
) -> list[tuple[Rung, Kernel | None, str]]:
    """Rungs with their kernels, or why there is none, compiled beside each other."""
    listed = list(wanted)
    compiled = compile_all([each.schedule for each in listed], shape)
    return [
        (rung, each.kernel, each.refusal)
        for rung, each in zip(listed, compiled, strict=True)
    ]
