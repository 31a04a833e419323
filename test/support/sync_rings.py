"""Rings of the verifier's model, right ones and with one thing changed."""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir.analysis.sync.model import Expr, Program, Variable
from support.sync_programs import Number, ProgramBuilder, add, apply


@dataclass(frozen=True)
class Ring:
    """A producer that loads two buffers, and consumers that multiply them."""

    slots: int = 4
    consumers: int = 1
    lag: int = 0
    """Groups of wgmma in flight; the slot of that many iterations ago is released."""

    credits: int | None = None
    """Slots that are triggered at first, all of them if not given."""

    ready: bool = False
    arrivals: int | None = None
    wait_empty: bool = True
    wait_full: bool = True
    release_early: bool = False
    release_lag: int | None = None
    extra: int = 0
    """Iterations of the consumers more than of the producer."""

    announced: int = 64
    shift: int = 0
    """What the consumer's order of the full event is off by."""

    def program(self) -> Program:
        """The model."""
        p = ProgramBuilder()
        count, slots = p.count("K"), self.slots
        arrivals = self.arrivals if self.arrivals is not None else self.consumers
        full = p.barrier("full", slots)
        empty = p.barrier("empty", slots, arrivals, self.ready)
        a, b = p.buffer("a", slots), p.buffer("b", slots)
        with p.agent("producer"), p.loop("k", count) as k:
            if self.wait_empty:
                p.wait(empty, k)
            p.arrive(full, k, bytes=self.announced)
            p.load(a, k, full, k)
            p.load(b, k, full, k)
        lag = self.lag if self.release_lag is None else self.release_lag
        for number in range(self.consumers):
            with p.agent(f"consumer{number}"):
                if not self.ready:
                    first = slots if self.credits is None else self.credits
                    with p.loop("s", first) as s:
                        p.arrive(empty, s)
                with p.loop("k", add(count, self.extra)) as k:
                    if self.wait_full:
                        p.wait(full, add(k, self.shift))
                    p.mma((a, k), (b, k))
                    if not self.release_early:
                        p.wait_group("wgmma", self.lag)
                    with p.branch(apply("ge", k, lag)):
                        p.arrive(empty, add(k, slots - lag))
                    if self.release_early:
                        p.wait_group("wgmma", self.lag)
                p.wait_group("wgmma", 0)
        return p.program()


def next_slot(slot: Expr, parity: Expr, slots: int) -> list[Expr]:
    """Slot and parity of the next iteration, as hand-written kernels carry them."""
    last = apply("eq", slot, slots - 1)
    return [
        apply("select", last, 0, apply("add", slot, 1, bits=32)),
        apply("xor", parity, apply("select", last, 1, 0), bits=32),
    ]


def warps_ring(
    slots: int = 3,
    first_parity: int = 1,
    *,
    all_lanes: bool = False,
    missing: bool = False,
    fence: bool = True,
) -> Program:
    """
    A ring at hardware level: an elected lane loads, four warps multiply together, one
    lane of each releases; slot and parity are carried by the loops. The warps write
    what they made and one of them stores it.
    """
    p = ProgramBuilder(explicit_fences=True)
    count = p.count("K")
    full = p.barrier("full", slots)
    empty = p.barrier("empty", slots, 4)
    a, out = p.buffer("a", slots), p.buffer("out")
    lane = Variable("lane", lanes=True)
    warp = Variable("warp")
    elected = apply("eq", lane, 0)
    with p.agent("warp 0", 32), p.branch(elected):
        with p.carrying_loop("k", count, [0, first_parity]) as (_, carried, after, _r):
            slot, parity = carried
            p.wait_parity(empty, slot, parity)
            p.arrive_slot(full, slot, bytes=32)
            p.load(a, slot, full, slot)
            after.extend(next_slot(slot, parity, slots))
    names = tuple(f"warp {number}" for number in range(4, 8))
    with p.agent("warp 4", 32, {warp: 0}):
        with p.carrying_loop("k", count, [0, 0]) as (_, carried, after, _r):
            slot, parity = carried
            p.wait_parity(full, slot, parity)
            p.mma((a, slot), joint=names)
            p.wait_group("wgmma")
            with p.branch(1 if all_lanes else elected):
                p.arrive_slot(empty, slot, per_lane=True)
            after.extend(next_slot(slot, parity, slots))
        row = add(apply("mul", warp, 256), apply("mul", lane, 8))
        p.write(out, None, (_interval(row, add(row, 8)),))
        if fence:
            p.fence()
        p.meet("1", 128, frozenset(names))
        with p.branch(apply("and", apply("eq", warp, 0), elected)):
            p.store(out, None)
            p.wait_group("bulk", 0, reads_only=True)
    for number in range(1, 3 if missing else 4):
        p.same_agent(f"warp {4 + number}", "warp 4", {warp: number})
    return p.program()


def _interval(lower: Number, upper: Number):
    from support.sync_programs import interval

    return interval(lower, upper)
