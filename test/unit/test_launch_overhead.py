"""What of `benchmarks/launch_overhead.py` needs no device."""

from __future__ import annotations

import time

import pytest
from gemm_bench.environment import why_no_device
from launch_overhead import Call, Contender, main, measure


def test_contenders_take_turns_and_making_ready_is_off_the_clock():
    order: list[str] = []
    waits: list[None] = []

    def contender(name: str, seconds: float) -> Contender:
        def batch(count: int) -> Call:
            order.append(name)
            time.sleep(0.02)
            return lambda number: time.sleep(seconds * (number < count))

        return Contender(name, batch)

    every = [contender("slow", 0.004), contender("fast", 0.0)]
    slow, fast = measure(every, 2, 3, lambda: waits.append(None))
    assert order == ["slow", "fast", "fast", "slow", "slow", "fast"]
    assert len(waits) == 12
    assert (slow.contender, fast.contender) == ("slow", "fast")
    assert slow.fastest >= 4000, "microseconds of one call"
    assert slow.fastest <= slow.median <= slow.slowest
    assert fast.fastest < 4000


@pytest.mark.skipif(not why_no_device(), reason="there is a device")
def test_nothing_is_measured_without_a_device(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("skipped: ")
