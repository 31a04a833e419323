"""Events that all blocks of a grid have in common."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from support.grid_kernels import DOUBLED, FEED, PHASES, RELAYED

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import Options, Report, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNNING_SUM = (EXAMPLES / "running_sum.mlir").read_text()
CHECKED = ("croq", "lower-grid-events", "insert-barriers", "nvvm")
LEVELS = (*CHECKED, "ptx")


@lru_cache(maxsize=64)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, shape).astype("i4")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("n", "blocks", "policy"),
    [
        (0, 2, "rr"),
        (1, 1, "late"),
        (256, 2, "rr"),
        (257, 1, "rr"),
        (770, 3, "late"),
        (770, 2, "random:1"),
        (1300, 4, "random:2"),
    ],
)
def test_running_sum(n: int, blocks: int, policy: str, level: str) -> None:
    x, y, sums = numbers(n, n), np.zeros(n, "i4"), np.zeros(blocks, "i4")
    report = run(loaded(RUNNING_SUM, level), x, sums, y, options=Options(policy))
    assert not report.faults
    assert (y == np.cumsum(x, dtype="i4")).all()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("blocks", "rounds", "policy"),
    [(1, 2, "rr"), (3, 0, "rr"), (3, 1, "late"), (4, 5, "random:1"), (2, 4, "rr")],
)
def test_all_blocks_arrive(blocks: int, rounds: int, policy: str, level: str) -> None:
    x, y = numbers(rounds, blocks), np.zeros((rounds, blocks), "i4")
    report = run(loaded(PHASES, level), x, y, options=Options(policy))
    assert not report.faults
    expected = [np.roll(x, -n) for n in range(rounds)]
    assert (y == np.array(expected).reshape(rounds, blocks)).all()


def feed(
    text: str, level: str, producers: int, n: int, policy: str = "rr"
) -> tuple[Report, np.ndarray, np.ndarray]:
    """A run of `FEED`: what was reported, computed, and is right."""
    x, ring = numbers(n, n, producers, 64), np.zeros((2, producers, 64), "i4")
    y = np.zeros((n, 64), "i4")
    report = run(loaded(text, level), x, ring, y, options=Options(policy))
    return report, y, x.sum(axis=1, dtype="i4")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("producers", "n", "policy"),
    [(1, 0, "rr"), (1, 1, "rr"), (3, 1, "late"), (2, 2, "random:1"), (3, 5, "rr")],
)
def test_blocks_feed_others(producers: int, n: int, policy: str, level: str) -> None:
    report, y, expected = feed(FEED, level, producers, n, policy)
    assert not report.faults
    assert (y == expected).all()


ROLES = """
croq.kernel @roles dims(B, N) (
    %x: !croq.tile<[N]x[B]x32xi32, global>, %y: !croq.tile<[N]x[B]x32xi32, global>,
    %z: !croq.tile<[N]x[B]x32xi32, global>) {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block {
    %sent = croq.event : !croq.event<2x2, grid>
    croq.role "sender" warps [0, 1) {
      croq.foreach %i in N {
        croq.parallel (%t) in (32) : thread {
          %v = croq.load %x[%i, %b, %t]
          croq.store %v, %y[%i, %b, %t]
        }
        croq.trigger %sent at %i
      }
    }
    croq.role "receiver" warps [1, 3) {
      %one = arith.constant 1 : index
      %next = arith.addi %b, %one : index
      %peer = arith.remui %next, %blocks : index
      croq.foreach %i in N {
        croq.wait %sent at %i
        croq.parallel (%t) in (32) : thread {
          %v = croq.load %y[%i, %peer, %t]
          croq.store %v, %z[%i, %b, %t]
        }
      }
    }
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("blocks", "n", "policy"), [(1, 1, "rr"), (3, 4, "random:1")])
def test_roles(blocks: int, n: int, policy: str, level: str) -> None:
    x = numbers(n, n, blocks, 32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    report = run(loaded(ROLES, level), x, y, z, options=Options(policy))
    assert not report.faults
    assert (z == np.roll(x, -1, axis=1)).all()


def test_senders_that_nobody_holds_up() -> None:
    """A generation may get arrivals that are meant for the next one of its slot."""
    x = numbers(9, 9, 3, 32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    report = run(loaded(ROLES, "croq"), x, y, z, options=Options("random:1"))
    assert FaultKind.AMBIGUOUS_ARRIVAL in {fault.kind for fault in report.faults}


def test_counts_are_zero_after_a_launch() -> None:
    """The next one finds what the first one found, whatever was counted."""
    lowering = Lowering(source_of(FEED), verify_sync=False)
    lowering.run(until="lower-grid-events")
    text = str(lowering.module)
    line = "    %0 = croq.workspace : !croq.tile<6xi32, global>\n"
    assert line in text
    text = text.replace(line, "").replace(
        "@feed dims(P, N) (", "@feed dims(P, N) (%0: !croq.tile<6xi32, global>, "
    )
    counts = np.zeros(6, "i4")
    for level in ("bind-params", "nvvm"):
        for producers, n in ((3, 5), (1, 2), (2, 3)):
            x = numbers(n, n, producers, 64)
            ring, y = np.zeros((2, producers, 64), "i4"), np.zeros((n, 64), "i4")
            report = run(loaded(text, level), counts, x, ring, y)
            assert not report.faults
            assert (y == x.sum(axis=1, dtype="i4")).all()
            assert not counts.any()


@pytest.mark.parametrize("level", LEVELS)
def test_a_block_that_does_not_arrive(level: str) -> None:
    """One producer less: all wait for ever, and each is named."""
    text = FEED.replace("arith.cmpi slt, %b, %producers", "arith.cmpi ult, %b, %c1")
    assert text != FEED
    report, _, _ = feed(text, level, 2, 3)
    deadlock = report.faults[-1]
    assert deadlock.kind is FaultKind.DEADLOCK
    said = "\n".join(text for _, text in deadlock.notes)
    assert "of block 0, 0, 0" in said
    assert "of block 2, 0, 0" in said
    if level == "croq":
        assert "waits for generation 0 of %full[0]: 0 are complete" in said
        assert "generation 0 has 1 of 2 arrivals" in said
    elif level == "ptx":
        assert "tests in vain at PTX line" in said


@pytest.mark.parametrize("level", CHECKED)
@pytest.mark.parametrize("old", ["croq.wait %full at %i", "croq.wait %empty at %i"])
def test_a_wait_that_is_missing(old: str, level: str) -> None:
    """A race, or, where a late acquire learns of all, what others have overwritten."""
    report, y, expected = feed(FEED.replace(old, ""), level, 2, 5)
    raced = FaultKind.RACE in {fault.kind for fault in report.faults}
    assert raced or (level != "croq" and not (y == expected).all())


def test_an_arrival_for_a_later_generation() -> None:
    """Blocks that do not wait for each other trigger one slot in any order."""
    text = RUNNING_SUM.replace("croq.wait %done at %previous", "")
    x, y, sums = numbers(7, 900), np.zeros(900, "i4"), np.zeros(2, "i4")
    kernel = loaded(text, "croq")
    kinds = {
        fault.kind
        for policy in ("rr", "random:1", "random:3")
        for fault in run(kernel, x, sums, y, options=Options(policy)).faults
    }
    assert FaultKind.AMBIGUOUS_ARRIVAL in kinds


@pytest.mark.parametrize("text", [RUNNING_SUM, FEED, PHASES, ROLES])
def test_what_is_decided(text: str) -> None:
    """Blocks that take turns are followed, at tile level, and no others."""
    for level in ("select-engines", "lower-grid-events", "nvvm"):
        proved = text is RUNNING_SUM and level == "select-engines"
        lowering = Lowering(source_of(text), verify_sync=False)
        lowering.run(until=level)
        (verdict,) = verdicts(lowering.module)
        wanted = "Proved" if proved else "Undecided"
        assert type(verdict).__name__ == wanted, level


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(("text", "counts"), [(RUNNING_SUM, 3), (FEED, 6), (ROLES, 6)])
def test_assembled(text: str, counts: int, target: str) -> None:
    kernel = croq.compile(text, target=target)
    assert kernel.plan.cooperative
    assert kernel.plan.workspace_bytes == 4 * counts
    assert "ld.acquire.gpu" in kernel.ptx
    assert "red.release.gpu" in kernel.ptx
    assert assemble(kernel.ptx, target).warnings == ()


def test_a_kernel_that_waits_for_nobody_may_have_any_number_of_blocks() -> None:
    text = PHASES.replace("croq.wait %phase at %r", "croq.barrier")
    assert not croq.compile(text).plan.cooperative


@pytest.mark.parametrize("level", [*LEVELS, "insert-fences"])
def test_tma_loads_what_threads_of_another_block_wrote(level: str) -> None:
    x = np.random.default_rng(5).standard_normal((5, 128)).astype("f4")
    middle, y = np.zeros_like(x), np.zeros_like(x)
    report = run(loaded(DOUBLED, level), x, middle, y, options=Options("random:1"))
    assert not report.faults
    assert (y == np.roll(2 * x, -1, axis=0)).all()


def test_a_fence_before_such_a_load() -> None:
    lines = croq.compile(DOUBLED).ptx.splitlines()
    (fence,) = (i for i, line in enumerate(lines) if "fence.proxy.async.global" in line)
    (acquire,) = (i for i, line in enumerate(lines) if "ld.acquire.gpu" in line)
    (load,) = (i for i, line in enumerate(lines) if "shared::cluster.global" in line)
    assert acquire < fence < load
    assert "fence.proxy.async.global" not in croq.compile(EXAMPLES / "add.mlir").ptx


@pytest.mark.parametrize("level", [*LEVELS, "lower-events"])
def test_a_role_relays_by_tma(level: str) -> None:
    for n, policy in ((0, "rr"), (1, "late"), (4, "random:1")):
        x = np.random.default_rng(n).standard_normal((n, 3, 64)).astype("f4")
        middle, y = np.zeros_like(x), np.zeros_like(x)
        report = run(loaded(RELAYED, level), x, middle, y, options=Options(policy))
        assert not report.faults
        assert (y == np.roll(2 * x, -1, axis=1)).all()
