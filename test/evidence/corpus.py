"""The kernels of this folder, and the sizes that they are to be run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "kernels"

FAULTY = Path(__file__).parent / "faulty"
"""
Kernels that are wrong. Each says in an `expected-error` which rule it breaks, on the op
that is to blame.
"""


@dataclass(frozen=True)
class Case:
    """How a kernel is run."""

    name: str
    dim: str = "N"
    """The dim that the number of steps of the ring follows from."""

    unit: int = 32
    """Extent of that dim for each step."""

    ragged: int = 12
    """What the last step may lack of its extent."""

    others: Mapping[str, int] = field(default_factory=lambda: {"M": 24})
    """Extents of the other dims: more than one block, the last one ragged."""

    stages: tuple[int, ...] = (1, 2, 3, 4, 5)
    """Values of the parameter S with which the kernel is right; () without one."""

    default_stages: int = 3
    """The value of S that the file has, or how many slots it has otherwise."""

    params: tuple[str, ...] = ("S",)
    """The parameters that are numbers of slots."""

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.mlir"

    @property
    def text(self) -> str:
        """The kernel."""
        return self.path.read_text()

    def params_of(self, stages: int) -> dict[str, int]:
        """Every ring with so many slots."""
        return dict.fromkeys(self.params, stages) if self.stages else {}

    def sizes(self, steps: int, *, ragged: bool = False) -> dict[str, int]:
        """The extents of the dims for so many steps."""
        lacking = self.ragged if ragged and steps else 0
        return {**self.others, self.dim: self.unit * steps - lacking}

    def steps(self, stages: int | None = None) -> tuple[int, ...]:
        """Numbers of steps that matter: none, one, around the depth, many and odd."""
        depth = stages or self.default_stages
        return tuple(sorted({0, 1, max(depth - 1, 0), depth, depth + 1, 2 * depth + 3}))


def _matmul(name: str, **more: Any) -> Case:
    given: dict[str, Any] = {
        "dim": "K",
        "unit": 64,
        "ragged": 24,
        "others": {"M": 40, "N": 64},
    }
    return Case(name, **given | more)


def _list() -> tuple[Case, ...]:
    two_up = (2, 3, 4, 5)
    tiles = {"M": 136, "N": 64}
    return (
        Case("ahead_by_two", stages=(3, 4, 5)),
        Case("block_copies", stages=(), default_stages=1),
        Case("chain_of_three", params=("S", "T")),
        Case("cluster_of_four", default_stages=2),
        Case("cluster_table"),
        Case("credits_late", stages=two_up, default_stages=4),
        Case("credits_one_by_one"),
        Case("early_exit", default_stages=2),
        Case("exchange", default_stages=2),
        Case("generations_of_two_kinds", default_stages=2),
        Case("handshake", stages=(), default_stages=1),
        _matmul("in_flight_lagging", stages=two_up),
        Case("in_place"),
        Case("mixed_engines", default_stages=2),
        Case("nested_loops", default_stages=4),
        Case("one_stage", stages=(1,), default_stages=1),
        Case("peeled_loop"),
        _matmul("persistent_orders", others=tiles),
        _matmul("persistent_slots", others=tiles),
        _matmul("persistent_store_reused", others=tiles),
        Case("pingpong", "M", 64, 24, {}, stages=two_up),
        _matmul("plain_product"),
        Case("prologue_in_producer", default_stages=4),
        Case("rate_change", default_stages=2, params=("S", "T")),
        Case("ready_ring"),
        _matmul("relay", stages=two_up),
        Case("release_two", unit=64, stages=two_up, default_stages=4),
        Case("released_by_turns", stages=(2, 4), default_stages=4),
        Case("reversed_rows", default_stages=2),
        Case("rotated_futures", stages=(), default_stages=3),
        _matmul("shared_operand", default_stages=1, others={"M": 40, "N": 104}),
        Case("sliding_window", stages=two_up),
        Case("slot_loops", unit=64, stages=(), default_stages=2),
        _matmul("split_sums", stages=(2, 4), default_stages=4),
        Case("sum_passed_on", "T", 1, 0, {"M": 24}, default_stages=2),
        Case("swapped_buffers", stages=(), default_stages=2),
        Case("third_event"),
        Case("thread_level_stencil", default_stages=2),
        Case("threads_double_buffer", default_stages=2),
        Case("two_at_once", unit=64, stages=two_up, default_stages=4),
        Case("two_consumers", default_stages=2),
        Case("two_events_interleaved", default_stages=2, params=("S", "T")),
        Case("two_outputs", unit=64),
        Case("two_producers"),
        Case("unheard_events"),
        Case("waits_one_ahead", stages=two_up),
        Case("wait_ahead", stages=two_up, default_stages=2),
        Case("waits_in_branches", default_stages=2),
    )


CASES: Mapping[str, Case] = {case.name: case for case in _list()}
"""By name of the kernel."""
