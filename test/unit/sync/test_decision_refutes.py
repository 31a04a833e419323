"""Each rule is found, at the smallest counts, with the numbers and a trace."""

from __future__ import annotations

import pytest
from support.sync_programs import ProgramBuilder, add, apply, interval, text_of
from support.sync_rings import Ring, warps_ring

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule


def _refuted(program: Program) -> Refuted:
    verdict = decide(program)
    assert isinstance(verdict, Refuted), verdict
    assert verdict.message.startswith(f"{verdict.rule}: ")
    return verdict


def _check(ring: Ring, rule: Rule, count: int, place: str, *texts: str) -> Refuted:
    verdict = _refuted(ring.program())
    assert verdict.rule is rule, verdict.message
    assert verdict.counts == {"K": count}
    assert text_of(verdict.place) == place
    for text in texts:
        assert text in verdict.message
    return verdict


def test_no_credits() -> None:
    verdict = _check(
        Ring(credits=0),
        Rule.MISSING_CREDIT,
        1,
        "wait %empty",
        "%empty[0]",
        "got 0 of 4 slots given",
    )
    assert verdict.hint is not None
    assert "all 4 slots" in verdict.hint


@pytest.mark.parametrize("given", [1, 2, 3])
def test_too_few_credits(given: int) -> None:
    _check(
        Ring(credits=given),
        Rule.MISSING_CREDIT,
        given + 1,
        "wait %empty",
        f"got {given} of 4 slots given",
    )


def test_a_credit_too_many() -> None:
    verdict = _check(
        Ring(slots=2, credits=3), Rule.ARRIVAL_COUNT, 1, "arrive %empty", "generation 1"
    )
    assert "one more" in verdict.message


def test_an_event_that_is_never_triggered() -> None:
    p = ProgramBuilder()
    event = p.barrier("e", 2)
    with p.agent("a"):
        p.wait(event, 1)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.LOST_ARRIVAL
    assert "nothing arrives on e" in verdict.message.replace("%", "")
    assert verdict.counts == {}


def test_release_before_the_reads_are_over() -> None:
    verdict = _check(
        Ring(release_early=True), Rule.OVERWRITE, 5, "load %a", "%a[0]", "iteration 4"
    )
    early, late = verdict.trace[-2:]
    assert early.text == "write %a"
    assert early.agent == "TMA of producer"
    assert early.iteration == (4,)
    assert late.agent == "wgmma of consumer0"
    assert late.iteration == (0,)
    assert not any(step.text.startswith("wait for all") for step in verdict.trace)


def test_release_of_a_slot_in_flight() -> None:
    _check(Ring(lag=1, release_lag=0), Rule.OVERWRITE, 5, "load %a", "iteration 0")


def test_no_wait_for_empty() -> None:
    _check(Ring(wait_empty=False), Rule.OVERWRITE, 5, "load %a", "%a[0]")


def test_no_wait_for_full() -> None:
    verdict = _check(Ring(wait_full=False), Rule.READ_BEFORE_WRITE, 1, "mma", "%a[0]")
    assert verdict.trace[-2].agent == "wgmma of consumer0"
    assert verdict.trace[-1].agent == "TMA of producer"


def test_one_of_two_consumers_releases() -> None:
    _check(
        Ring(consumers=2, arrivals=1),
        Rule.ARRIVAL_COUNT,
        0,
        "arrive %empty",
        "takes 1 arrival",
        "one more for generation 0",
    )


def test_more_arrivals_than_come() -> None:
    _check(
        Ring(consumers=2, arrivals=3),
        Rule.ARRIVAL_COUNT,
        1,
        "wait %empty",
        "takes 3 arrivals",
        "got 2",
    )


def test_one_iteration_too_many() -> None:
    verdict = _check(
        Ring(extra=1), Rule.LOST_ARRIVAL, 0, "wait %full", "%full[0] generation 0"
    )
    assert "producer is at its end after 0 generations" in verdict.message


def test_bytes_too_many_are_announced() -> None:
    _check(
        Ring(announced=80), Rule.BYTE_COUNT, 1, "wait %full", "80 bytes", "got 64 bytes"
    )


def test_bytes_too_few_are_announced() -> None:
    _check(
        Ring(announced=32), Rule.BYTE_COUNT, 1, "load %b", "32 bytes", "got 64 bytes"
    )


def test_the_wrong_slot_is_waited_for() -> None:
    _check(Ring(shift=1), Rule.LOST_ARRIVAL, 1, "wait %full", "%full[1]")


def test_one_stage_with_a_product_in_flight() -> None:
    verdict = _check(
        Ring(slots=1, lag=1, ready=True), Rule.DEADLOCK, 2, "wait %empty", "no agent"
    )
    assert (
        "producer(1) needs %empty generation 1, which consumer0(1) completes, after "
        "its wait in consumer0(1)"
    ) in verdict.message
    assert [step.agent for step in verdict.trace[-2:]] == ["producer", "consumer0"]


def test_two_stages_with_two_products_in_flight() -> None:
    _check(Ring(slots=2, lag=2, ready=True), Rule.DEADLOCK, 3, "wait %empty")


def test_counts_that_have_nothing_to_do_with_each_other() -> None:
    p = ProgramBuilder()
    event = p.barrier("e", 2, ready=False)
    with p.agent("a"), p.loop("k", p.count("K")) as k:
        p.arrive(event, k)
    with p.agent("b"), p.loop("j", p.count("J")) as j:
        p.wait(event, j)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.LOST_ARRIVAL
    assert verdict.counts == {"K": 0, "J": 1}


def test_a_phase_that_a_waiter_can_miss() -> None:
    p = ProgramBuilder()
    event = p.barrier("e")
    with p.agent("a"), p.loop("k", p.count("K")) as k:
        p.arrive(event, k)
    with p.agent("b"), p.loop("k", p.count("K")) as k:
        p.wait(event, k)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.PHASE_OVERRUN
    assert verdict.counts == {"K": 2}
    assert "generation 1 may be complete before it looks" in verdict.message


def test_a_waiter_that_skips_a_generation() -> None:
    p = ProgramBuilder()
    there, back = p.barrier("there"), p.barrier("back")
    with p.agent("a"):
        p.arrive(there, 0)
        p.wait(back, 0)
        p.arrive(there, 1)
    with p.agent("b"):
        p.arrive(back, 0)
        p.wait(there, 1)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.PHASE_OVERRUN
    assert "the parity of generation -1 is the same" in verdict.message


def test_a_wait_for_what_one_gave_oneself() -> None:
    """The other role may complete the next generation before this waits."""
    p = ProgramBuilder()
    event = p.barrier("turn")
    with p.agent("a"):
        p.arrive(event, 0)
        p.wait(event, 0)
        p.wait(event, 1)
    with p.agent("b"):
        p.wait(event, 0)
        p.arrive(event, 1)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.PHASE_OVERRUN
    assert "a waits for generation 0 of %turn" in verdict.message


def test_an_arrival_that_may_count_for_either_generation() -> None:
    p = ProgramBuilder()
    event = p.barrier("e", 1, 2)
    for name in "ab":
        with p.agent(name):
            p.arrive_slot(event, 0)
            p.arrive_slot(event, 0)
    verdict = _refuted(p.program())
    assert verdict.rule in (Rule.AMBIGUOUS_ARRIVAL, Rule.ARRIVAL_COUNT)


def test_an_arrival_for_a_generation_that_is_not_current() -> None:
    p = ProgramBuilder()
    event = p.barrier("e", 1, 2)
    with p.agent("a"):
        p.arrive(event, 0)
        p.arrive(event, 1)
    with p.agent("b"):
        p.arrive(event, 0)
        p.arrive(event, 1)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.AMBIGUOUS_ARRIVAL
    assert "generation 1" in verdict.message


def test_two_engines_fill_one_slot() -> None:
    p = ProgramBuilder()
    full = p.barrier("full")
    a = p.buffer("a")
    with p.agent("p"):
        p.arrive(full, 0, bytes=64)
        p.load(a, 0, full, 0)
        p.load(a, 0, full, 0, name="second")
        p.wait(full, 0)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.WRITE_CONFLICT
    assert text_of(verdict.place) == "second"
    assert [text_of(place) for place, _ in verdict.notes] == ["load %a"]


def test_nothing_was_written() -> None:
    p = ProgramBuilder()
    a = p.buffer("a", 2)
    with p.agent("p"):
        p.write(a, 0)
        p.read(a, 1)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.READ_BEFORE_WRITE
    assert "%a[1] is read, but nothing" in verdict.message


def test_parts_of_a_buffer() -> None:
    for low, rule in ((64, None), (63, Rule.WRITE_CONFLICT)):
        p = ProgramBuilder()
        a = p.buffer("a")
        with p.agent("p"):
            p.write(a, None, (interval(0, 64),))
        with p.agent("c"):
            p.write(a, None, (interval(low, 128),))
        verdict = decide(p.program())
        found = verdict.rule if isinstance(verdict, Refuted) else None
        assert found is rule


@pytest.mark.parametrize(
    ("threads", "members", "text"),
    [
        (256, {"a", "b"}, "128 of 256 threads"),
        (256, {"a"}, "waits for 256 threads, but those that take part are 128"),
        (128, {"b"}, "is for b, got a"),
    ],
)
def test_barriers_that_do_not_fit(threads: int, members: set[str], text: str) -> None:
    p = ProgramBuilder()
    with p.agent("a"):
        p.meet("1", threads, frozenset(members))
    with p.agent("b"):
        p.exit()
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.BARRIER_PARTICIPATION
    assert text in verdict.message


def test_a_barrier_that_any_two_of_three_can_pass() -> None:
    p = ProgramBuilder()
    for name in "abcd":
        with p.agent(name, 32):
            p.meet("1", 64)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.BARRIER_PARTICIPATION


def test_an_agent_that_exits_while_it_is_needed() -> None:
    p = ProgramBuilder()
    event = p.barrier("done")
    with p.agent("a"):
        p.wait(event, 0)
    with p.agent("b"):
        with p.branch(apply("lt", p.count("K"), 3)):
            p.exit()
        p.arrive(event, 0)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.EARLY_EXIT
    assert "b has exited" in verdict.message


def test_a_consumer_that_skips_short_tiles() -> None:
    p = ProgramBuilder()
    count, full, a = p.count("K"), p.barrier("full", 2), p.buffer("a", 2)
    with p.agent("producer"), p.loop("k", count) as k:
        p.arrive(full, k, bytes=32)
        p.load(a, k, full, k)
    with p.agent("consumer"):
        with p.branch(apply("lt", count, 2)):
            p.exit()
        with p.loop("k", count) as k:
            p.wait(full, k)
            p.read(a, k)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.EARLY_EXIT
    assert verdict.counts == {"K": 1}
    assert "its writes of shared memory" in verdict.message


def test_a_store_that_nobody_waits_for() -> None:
    p = ProgramBuilder()
    out = p.buffer("out")
    with p.agent("a"):
        p.write(out)
        p.store(out, None)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.EARLY_EXIT
    assert "its reads of shared memory" in verdict.message


def test_futures() -> None:
    for waits, text in ((0, "nobody waits"), (2, "was waited for before")):
        p = ProgramBuilder()
        out, future = p.buffer("out"), object()
        with p.agent("a"):
            p.write(out)
            p.store(out, None, future, None)
            for _ in range(waits):
                p.join(future)
        verdict = _refuted(p.program())
        assert verdict.rule is Rule.FUTURE
        assert text in verdict.message


def test_a_future_of_nothing() -> None:
    p = ProgramBuilder()
    with p.agent("a"):
        p.join(object())
    assert _refuted(p.program()).rule is Rule.FUTURE


def test_a_store_buffer_used_again_too_soon() -> None:
    p = ProgramBuilder()
    out = p.buffer("out", 2)
    with p.agent("a"):
        with p.loop("t", p.count("T")) as t:
            p.wait_group("bulk", 2, reads_only=True)
            p.write(out, t)
            p.store(out, t)
        p.wait_group("bulk", 0, reads_only=True)
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.OVERWRITE
    assert verdict.counts == {"T": 3}


def test_accumulator_in_flight() -> None:
    p = ProgramBuilder()
    a, acc = p.buffer("a"), p.buffer("acc", shared=False)
    with p.agent("a"):
        p.write(a)
        p.mma((a, None), accumulator=acc)
        p.read(acc)
        p.wait_group("wgmma")
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.ACCUMULATOR
    assert text_of(verdict.place) == "read %acc"


def test_missing_proxy_fence() -> None:
    verdict = _refuted(warps_ring(fence=False))
    assert verdict.rule is Rule.MISSING_FENCE
    assert verdict.counts == {"K": 0}
    assert text_of(verdict.place) == "store %out"
    assert [text_of(place) for place, _ in verdict.notes] == ["write %out"]


def test_a_fence_in_one_warp_only() -> None:
    p = ProgramBuilder(explicit_fences=True)
    out = p.buffer("out")
    for number, name in enumerate("ab"):
        with p.agent(name, 32):
            p.write(out, None, (interval(8 * number, 8 * number + 8),))
            if name == "a":
                p.fence()
            p.meet("1", 64)
            if name == "a":
                p.store(out, None)
                p.wait_group("bulk")
    verdict = _refuted(p.program())
    assert verdict.rule is Rule.MISSING_FENCE


def test_wrong_first_parity() -> None:
    verdict = _refuted(warps_ring(first_parity=0))
    assert verdict.rule is Rule.MISSING_CREDIT
    assert verdict.hint is not None
    assert "begin with the other parity" in verdict.hint


def test_every_lane_arrives() -> None:
    verdict = _refuted(warps_ring(all_lanes=True))
    assert verdict.rule is Rule.ARRIVAL_COUNT
    assert "takes 4 arrivals" in verdict.message
    assert "got 128" in verdict.message


def test_a_warp_that_is_not_there() -> None:
    verdict = _refuted(warps_ring(missing=True))
    assert verdict.rule is Rule.BARRIER_PARTICIPATION


def test_the_order_starts_again_with_every_tile() -> None:
    p = ProgramBuilder()
    tiles, count, slots = p.count("U"), p.count("K"), 3
    full = p.barrier("full", slots)
    empty = p.barrier("empty", slots, ready=True)
    a = p.buffer("a", slots)
    with p.agent("producer"), p.loop("u", tiles) as u, p.loop("k", count) as k:
        order = add(apply("mul", u, count), k)
        p.wait(empty, order)
        p.arrive(full, order, bytes=32)
        p.load(a, order, full, order)
    with p.agent("consumer"), p.loop("u", tiles), p.loop("k", count) as k:
        p.wait(full, k)
        p.read(a, k)
        p.arrive(empty, add(k, slots))
    verdict = _refuted(p.program())
    assert verdict.counts == {"U": 2, "K": 1}
