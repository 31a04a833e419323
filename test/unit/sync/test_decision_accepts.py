"""Right programs are proved, usual and unusual ones."""

from __future__ import annotations

import pytest
from support.sync_programs import ProgramBuilder, add, apply, interval
from support.sync_rings import Ring, warps_ring

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved


def _proved(program: Program) -> Proved:
    verdict = decide(program)
    assert isinstance(verdict, Proved), verdict
    return verdict


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("consumers", [1, 2])
def test_rings(slots: int, consumers: int) -> None:
    verdict = _proved(Ring(slots, consumers).program())
    assert verdict.largest["K"] > slots, "the ring has wrapped"


@pytest.mark.parametrize("slots", [2, 3, 5])
def test_one_group_in_flight(slots: int) -> None:
    _proved(Ring(slots, lag=1, ready=True).program())


def test_the_last_release_may_be_missing() -> None:
    """Nobody waits for it: the ring ends with slots that are not released."""
    _proved(Ring(3, lag=2, ready=True).program())


def test_later_credits() -> None:
    """Another role grants them, whenever it likes."""
    p = ProgramBuilder()
    count, slots = p.count("K"), 3
    full, empty = p.barrier("full", slots), p.barrier("empty", slots)
    a = p.buffer("a", slots)
    with p.agent("producer"), p.loop("k", count) as k:
        p.wait(empty, k)
        p.arrive(full, k, bytes=32)
        p.load(a, k, full, k)
    with p.agent("consumer"), p.loop("k", count) as k:
        p.wait(full, k)
        p.read(a, k)
        p.arrive(empty, add(k, slots))
    with p.agent("granter"), p.loop("s", slots) as s:
        p.arrive(empty, s)
    _proved(p.program())


def test_two_slots_at_a_time() -> None:
    p = ProgramBuilder()
    count, slots = p.count("K"), 4
    full, empty = p.barrier("full", slots), p.barrier("empty", slots, ready=True)
    a = p.buffer("a", slots)
    with p.agent("producer"), p.loop("k", apply("mul", count, 2)) as k:
        p.wait(empty, k)
        p.arrive(full, k, bytes=32)
        p.load(a, k, full, k)
    with p.agent("consumer"), p.loop("k", count) as k:
        first = apply("mul", k, 2)
        for number in (0, 1):
            p.wait(full, add(first, number))
            p.mma((a, add(first, number)))
        p.wait_group("wgmma")
        for number in (0, 1):
            p.arrive(empty, add(first, slots + number))
    _proved(p.program())


def test_three_roles_in_a_chain() -> None:
    p = ProgramBuilder()
    count, slots = p.count("K"), 2
    loaded, converted = p.barrier("loaded", slots), p.barrier("converted", slots)
    free = [p.barrier(f"free{i}", slots, ready=True) for i in range(2)]
    x, y = p.buffer("x", slots), p.buffer("y", slots)
    with p.agent("load"), p.loop("k", count) as k:
        p.wait(free[0], k)
        p.arrive(loaded, k, bytes=32)
        p.load(x, k, loaded, k)
    with p.agent("convert"), p.loop("k", count) as k:
        p.wait(loaded, k)
        p.read(x, k)
        p.arrive(free[0], add(k, slots))
        p.wait(free[1], k)
        p.write(y, k)
        p.arrive(converted, k)
    with p.agent("use"), p.loop("k", count) as k:
        p.wait(converted, k)
        p.read(y, k)
        p.arrive(free[1], add(k, slots))
    _proved(p.program())


def test_one_event_for_both_directions() -> None:
    """Even generations are given by one role, odd ones by the other."""
    p = ProgramBuilder()
    count, event, x = p.count("K"), p.barrier("turn"), p.buffer("x")
    with p.agent("a"), p.loop("k", count) as k:
        p.write(x)
        p.arrive(event, apply("mul", k, 2))
        p.wait(event, add(apply("mul", k, 2), 1))
    with p.agent("b"), p.loop("k", count) as k:
        p.wait(event, apply("mul", k, 2))
        p.read(x)
        p.arrive(event, add(apply("mul", k, 2), 1))
    _proved(p.program())


def test_a_role_that_exits_early_but_is_not_needed() -> None:
    p = ProgramBuilder()
    count = p.count("K")
    event = p.barrier("e")
    with p.agent("idle"):
        p.exit()
    with p.agent("a"):
        with p.branch(apply("eq", count, 0)):
            p.exit()
        p.arrive(event, 0)
    with p.agent("b"), p.branch(apply("gt", count, 0)):
        p.wait(event, 0)
    _proved(p.program())


def test_ping_pong_with_an_order_barrier() -> None:
    p = ProgramBuilder()
    tiles, x = p.count("T"), p.buffer("x")
    for number in (0, 1):
        with p.agent(f"consumer{number}"):
            if number == 1:
                p.meet("order0", 256, arrive_only=True)
            with p.loop("t", tiles):
                p.meet(f"order{number}", 256)
                p.write(x)
                p.read(x)
                p.meet(f"order{1 - number}", 256, arrive_only=True)
    _proved(p.program())


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_store_buffers_across_tiles(buffers: int) -> None:
    p = ProgramBuilder(explicit_fences=True)
    out = p.buffer("out", buffers)
    with p.agent("a"):
        with p.loop("t", p.count("T")) as t:
            p.wait_group("bulk", buffers - 1, reads_only=True)
            p.write(out, t)
            p.fence()
            p.store(out, t)
        p.wait_group("bulk", 0, reads_only=True)
    _proved(p.program())


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_a_prologue_that_is_longer_than_the_loop(slots: int) -> None:
    p = ProgramBuilder()
    count, a, full = p.count("K"), p.buffer("a", slots), p.barrier("full", slots)
    with p.agent("a"):
        with p.loop("i", slots - 1) as i, p.branch(apply("lt", i, count)):
            p.arrive(full, i, bytes=32)
            p.load(a, i, full, i)
        with p.loop("k", count) as k:
            ahead = add(k, slots - 1)
            with p.branch(apply("lt", ahead, count)):
                p.arrive(full, ahead, bytes=32)
                p.load(a, ahead, full, ahead)
            p.wait(full, k)
            p.read(a, k)
    _proved(p.program())


@pytest.mark.parametrize("product", [True, False])
def test_persistent_tiles(product: bool) -> None:
    p = ProgramBuilder()
    tiles, count, slots = p.count("U"), p.count("K"), 2
    full, empty = p.barrier("full", slots), p.barrier("empty", slots, ready=True)
    a = p.buffer("a", slots)
    for role in ("producer", "consumer"):
        with (
            p.agent(role),
            p.carrying_loop("u", tiles, [0]) as (u, (done,), after, _),
        ):
            with p.loop("k", count) as k:
                order = add(apply("mul", u, count) if product else done, k)
                if role == "producer":
                    p.wait(empty, order)
                    p.arrive(full, order, bytes=32)
                    p.load(a, order, full, order)
                else:
                    p.wait(full, order)
                    p.read(a, order)
                    p.arrive(empty, add(order, slots))
            after.append(add(done, count))
    _proved(p.program())


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_warps_with_parities(slots: int) -> None:
    verdict = _proved(warps_ring(slots))
    assert verdict.largest["K"] > 2 * slots, "parities repeat after two turns"


def test_counts_in_elements() -> None:
    p = ProgramBuilder()
    steps, slots = apply("ceildiv", p.count("K"), 4), 2
    full, empty = p.barrier("full", slots), p.barrier("empty", slots, ready=True)
    a = p.buffer("a", slots)
    with p.agent("producer"), p.loop("k", steps) as k:
        p.wait(empty, k)
        p.arrive(full, k, bytes=32)
        p.load(a, k, full, k)
    with p.agent("consumer"), p.loop("k", steps) as k:
        p.wait(full, k)
        p.read(a, k)
        p.arrive(empty, add(k, slots))
    _proved(p.program())


def test_both_ways_of_an_open_condition() -> None:
    p = ProgramBuilder()
    block, event = p.any_number("block"), p.barrier("e")
    near = apply("lt", block, 7)
    with p.agent("a"), p.branch(near):
        p.arrive(event, 0)
    with p.agent("b"), p.branch(apply("lt", block, 7)):
        p.wait(event, 0)
    assert _proved(p.program()).instances == 2


def test_buffers_that_are_only_read() -> None:
    p = ProgramBuilder()
    table = p.buffer("table", shared=False)
    for name in "ab":
        with p.agent(name):
            p.read(table, None, (interval(0, p.unknown()),))
    _proved(p.program())


def test_a_program_without_loops() -> None:
    p = ProgramBuilder()
    with p.agent("a"):
        p.meet("0", 128, frozenset({"a"}))
    assert _proved(p.program()).instances == 1
