"""Loops that load ahead of their products: proved, run, assembled."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import pytest
from support.covering import pairwise
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import BarrierOp, MmaExecOp
from croqtile_mlir.dialects.nvvm import synchronization as nvvm
from croqtile_mlir.dialects.nvvm.wgmma import WgmmaMmaAsyncOp
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from pipeline.lowering import TARGET, lower, parse, passes, printed, run
from pipeline.test_scheduled import (
    ONCE,
    PERSISTENT,
    PLAIN,
    SLICES,
    SMALL,
    STATIC,
    STEPS_OF_TWO,
    THREE_TILES,
    TWO_LOOPS,
    Floats,
    Shape,
    by_threads,
    check,
    every_other_slice,
    product_of,
    rewritten,
    scheduled,
    with_first_slice,
)

LEVELS = ["croq", "nvvm", "ptx"]

STAGES = 3


def pipelined(in_flight: int, stages: int = STAGES) -> str:
    return f"pipeline-loop{{stages={stages} in_flight={in_flight}}}"


@pytest.mark.parametrize(
    ("in_flight", "level", "trips"),
    pairwise([0, 1], LEVELS, [0, 1, STAGES - 1, STAGES, STAGES + 1, 7]),
)
def test_trip_counts(level: str, in_flight: int, trips: int):
    """Rings that are not filled, that are filled, that wrap; ragged tiles."""
    road = f"{SMALL},{pipelined(in_flight)}"
    check(scheduled(PLAIN, road), level, (130, 40, 16 * trips))
    check(scheduled(PLAIN, road), level, (130, 40, max(16 * trips - 8, 0)))
    text = scheduled(by_threads(PLAIN), road)
    check(text, level, (130, 37, max(16 * trips - 3, 0)))


@pytest.mark.parametrize(
    ("any_pitch", "in_flight", "level", "trips"),
    pairwise([False, True], [0, 1], LEVELS, [0, 1, STAGES - 1, STAGES, STAGES + 1]),
)
def test_several_tiles_of_a_block(
    any_pitch: bool, in_flight: int, level: str, trips: int
):
    """The orders run on from tile to tile; some blocks have one tile more."""
    text = by_threads(PERSISTENT) if any_pitch else PERSISTENT
    check(scheduled(text, pipelined(in_flight)), level, (400, 72, 16 * trips))


@pytest.mark.parametrize(
    ("ring", "level", "trips"),
    pairwise([(1, 0), (2, 0), (2, 1), (4, 1)], LEVELS, [0, 1, 2, 5]),
    ids=str,
)
def test_stages(level: str, ring: tuple[int, int], trips: int):
    """One slot, which is filled again at once; two; a power of two."""
    stages, in_flight = ring
    road = f"{SMALL},persist{{blocks=3}},{pipelined(in_flight, stages)}"
    check(scheduled(PLAIN, road), level, (260, 40, 16 * trips))


@pytest.mark.parametrize(
    ("order", "level", "shape"),
    pairwise(
        *(["first", "last", "grouped"], LEVELS),
        [(700, 104, 40), (130, 32, 72), (60, 8, 16)],
    ),
    ids=str,
)
def test_after_persist(level: str, order: str, shape: Shape):
    """Blocks with several tiles, with one, with none."""
    road = f"{SMALL},persist{{blocks=3 order={order} group=2}},{pipelined(1)}"
    check(scheduled(PLAIN, road), level, shape)


ENGINES = {"tma": PERSISTENT, "threads": by_threads(PERSISTENT)}


@pytest.mark.parametrize(
    ("engine", "in_flight", "policy"),
    pairwise(list(ENGINES), [0, 1], ["late", "early", "random:1", "random:2"]),
)
def test_schedules(policy: str, in_flight: int, engine: str):
    """Loads that land late, or early; warps that come in any order."""
    text = scheduled(ENGINES[engine], pipelined(in_flight, 2))
    check(text, "nvvm", (400, 72, 72), policy=policy)


PANELS = {"panels": "cols=16", "narrow": "cols=32 buffers=1"}


@pytest.mark.parametrize(
    ("panels", "before", "level", "trips"),
    pairwise(list(PANELS), ["", "persist{blocks=3},"], LEVELS, [0, 1, STAGES, 5]),
)
def test_before_overlap_epilogue(level: str, panels: str, before: str, trips: int):
    """Stores of one tile run beside the loads and products of the next."""
    road = (
        f"bind-params{{BM=128 BN=48 BK=16}},{before}{pipelined(1)},"
        f"overlap-epilogue{{{PANELS[panels]}}}"
    )
    check(scheduled(PLAIN, road), level, (400, 104, 16 * trips))


OTHER_LOOPS: dict[str, tuple[str, Callable[[Floats, Floats], Any]]] = {
    "steps-of-two": (STEPS_OF_TWO, every_other_slice),
    "slices": (SLICES, product_of),
    "another-read": (THREE_TILES, product_of),
    "loaded-once": (ONCE, with_first_slice),
    "two-loops": (TWO_LOOPS, product_of),
}


@pytest.mark.parametrize(
    ("loop", "in_flight", "level"), pairwise(list(OTHER_LOOPS), [0, 1], LEVELS)
)
def test_other_loops(loop: str, in_flight: int, level: str):
    """The verifier does not decide three loops in each other: those are run only."""
    text, product = OTHER_LOOPS[loop]
    if text is TWO_LOOPS:
        module = parse(text)
        run(module, pipelined(in_flight))
        text = printed(module)
    else:
        text = scheduled(text, pipelined(in_flight))
    check(text, level, (400, 72, 72), product=product)


ONE_BY_THREADS = rewritten(
    PERSISTENT, ("croq.copy %bt => %b_s", "croq.copy %bt => %b_s engine(threads)")
)
"""TMA loads one operand, the threads the other."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("in_flight", [0, 1])
def test_two_engines(level: str, in_flight: int):
    text = scheduled(ONE_BY_THREADS, pipelined(in_flight))
    assert "arrivals 256" in text
    check(text, level, (400, 72, 72))


@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize("trips", [1, 2, STAGES, 7])
def test_known_trip_counts(in_flight: int, trips: int):
    """Loads that no iteration makes, because all come before the loop."""
    text = STATIC.replace("72xf16, global", f"{16 * trips}xf16, global", 2)
    text = rewritten(text, ("%k in %k_tiles iter", f"%k in {trips} iter"))
    text = scheduled(text, pipelined(in_flight))
    assert ("scf.if" in text) == (trips > STAGES - in_flight)
    check(text, "nvvm", (400, 72, 16 * trips))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("in_flight=2", "in_flight must be 0 or 1, got 2"),
        ("stages=0", "stages must be at least 1 with in_flight=0, got 0"),
        ("stages=1 in_flight=1", "stages must be at least 2 with in_flight=1, got 1"),
    ],
)
def test_wrong_options(options: str, message: str):
    with pytest.raises(CompileError, match=message):
        run(parse(PLAIN), f"pipeline-loop{{{options}}}")


HARDWARE = (
    *takewhile(lambda name: name != "allocate-shared", passes()),
    "allocate-shared,fold-arith,cse,verify-sync{undecided=error}",
)
"""Passes down to the hardware level, whose synchronisation is proved."""


@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize(
    ("text", "before", "stages"),
    [(PLAIN, f"{SMALL},", STAGES), (PERSISTENT, "", STAGES), (ONE_BY_THREADS, "", 2)],
    ids=["plain", "persistent", "two-engines"],
)
def test_proved_at_hardware_level(text: str, before: str, stages: int, in_flight: int):
    """One barrier in an iteration lets all threads read a slot before it is filled."""
    module = parse(text)
    run(module, f"{before}{pipelined(in_flight, stages)},{','.join(HARDWARE)}")
    loop = loop_of_products(module)
    by_threads = text is ONE_BY_THREADS
    assert sum(isinstance(op, nvvm.BarrierOp) for op in loop.walk()) == 1 + by_threads


@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_without_the_barrier_it_is_refuted(in_flight: int, level: str):
    """The barrier is all that protects a slot."""
    module = parse(PLAIN)
    stop = "insert-barriers" if level == "croq" else "allocate-shared"
    names = takewhile(lambda name: name != stop, passes())
    run(module, f"{SMALL},{pipelined(in_flight)},{','.join(names)},{stop}")
    barrier = BarrierOp if level == "croq" else nvvm.BarrierOp
    for op in list(loop_of_products(module).walk()):
        if isinstance(op, barrier):
            op.detach()
            op.erase()
    with pytest.raises(CompileError, match=r"overwrite|overrun"):
        run(module, "verify-sync{undecided=error}")


def loop_of_products(module: ModuleOp) -> Operation:
    """The loop that multiplies and loads."""
    product = next(
        op for op in module.walk() if isinstance(op, MmaExecOp | WgmmaMmaAsyncOp)
    )
    parent = product.parent_op()
    assert parent is not None
    return parent


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("tile", "stages", "in_flight"),
    [("BN=256", 3, 0), ("BN=256", 4, 1), ("BN=128", 6, 1), ("BM=64 BN=128", 4, 1)],
)
@pytest.mark.parametrize("before", ["", "persist,"], ids=["", "persistent"])
def test_assembled(tile: str, stages: int, in_flight: int, before: str):
    """Nothing spills, and no product waits for another."""
    road = f"bind-params{{{tile}}},{before}{pipelined(in_flight, stages)}"
    text = PLAIN.replace("threads 256", "threads 128") if "BM=64" in tile else PLAIN
    made = assemble(lower(scheduled(text, f"{road},overlap-epilogue")), TARGET)
    assert made.spill_bytes == 0
    assert made.warnings == ()
