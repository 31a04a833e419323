"""Atomic updates, and loads and stores with an order, lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Agent, Reach
from croqtile_mlir.simulator.granules import Granules
from croqtile_mlir.simulator.memory import Bytes, Memory
from croqtile_mlir.simulator.strong import Ordering

Array = NDArray[Any]
Compute = Callable[[Array, Array], Array]
"""The new value from the old one and the operand, both arrays of one element."""

Change = Callable[[int, Bytes], Bytes | None]
"""The new bytes of an element from its place in the list and its old bytes; None: it
stays."""


def _unsigned(combine: Compute) -> Compute:
    def compute(old: Array, value: Array) -> Array:
        kind = np.dtype(f"u{old.dtype.itemsize}")
        return combine(old.view(kind), value.view(kind)).view(old.dtype)

    return compute


def _second(_: Array, value: Array) -> Array:
    return value


COMPUTES: Mapping[str, Compute] = MappingProxyType(
    {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "umin": _unsigned(np.minimum),
        "umax": _unsigned(np.maximum),
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "exch": _second,
    }
)
"""What becomes of an element, by the name that `croq.atomic` has for it."""


def ordering_of(order: str, scope: str, *, reads: bool, writes: bool) -> Ordering:
    """An ordering by PTX's names: `acq_rel`, `gpu`."""
    return Ordering(
        reads,
        writes,
        acquires=reads and order in ("acquire", "acq_rel", "sc"),
        releases=writes and order in ("release", "acq_rel", "sc"),
        reach=Reach[scope.upper()],
    )


def change_with(compute: Compute, values: Array) -> Change:
    """The change by an update, with an operand for each element."""

    def change(index: int, old: Bytes) -> Bytes:
        value = values[index : index + 1]
        return compute(old.view(value.dtype), value).view(np.uint8)

    return change


def change_where(expected: Array, values: Array) -> Change:
    """The change by a comparison and exchange."""

    def change(index: int, old: Bytes) -> Bytes | None:
        if old.view(expected.dtype)[0] != expected[index]:
            return None
        return values[index : index + 1].view(np.uint8)

    return change


def change_to(rows: Bytes) -> Change:
    """The change by a store of these bytes."""

    def change(index: int, _: Bytes) -> Bytes:
        return rows[index]

    return change


def access(
    memory: Memory,
    agent: Agent,
    op: Operation,
    offsets: Granules,
    width: int,
    lanes: Granules | None,
    ordering: Ordering,
    change: Change | None = None,
) -> Bytes:
    """
    Access elements one after the other: the old bytes, an array (offsets, width).

    `lanes` says which lane of the agent makes each access; None: all together make one.
    """
    rows = np.zeros((len(offsets), width), np.uint8)
    if not memory.contains(agent, op, offsets, width):
        return rows
    agent.touch(() if lanes is None else lanes.tolist())
    for index, offset in enumerate(offsets.tolist()):
        place = slice(offset, offset + width)
        rows[index] = memory.data[place]
        new = None if change is None else change(index, rows[index].copy())
        made = ordering
        if new is None and ordering.writes:
            made = replace(ordering, writes=False, releases=False)
        lane = None if lanes is None else int(lanes[index])
        memory.strong.note(agent, op, offset, width, lane, made)
        if new is not None:
            memory.data[place] = new
    return rows
