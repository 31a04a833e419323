"""
Loads and stores of one warp between two synchronisations, as few intervals of bytes.

Which lane, op or iteration touches a byte makes no difference to other warps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from croqtile_mlir.analysis.sync.hardware.events import Event, Kind
from croqtile_mlir.analysis.sync.hardware.lanes import Lanes, intervals, united
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import (
    Access,
    Apply,
    Buffer,
    Constant,
    Expr,
    Interval,
    Region,
    Start,
    Touch,
    Unknown,
)

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.hardware.lanes import Mask


class Way(Enum):
    """How memory is touched."""

    READ = auto()
    WRITE = auto()
    WRITE_LATER = auto()
    """By `cp.async`."""
    UPDATE = auto()
    """By an op that synchronises; two such do not conflict."""


_Key = tuple[Way, Buffer, Expr]
"""How it is touched, where, and the part of the address that is not static."""

MBARRIER_BYTES = 8
_WAYS = {
    Kind.READ: Way.READ,
    Kind.CP_ASYNC: Way.WRITE_LATER,
    Kind.UPDATE: Way.UPDATE,
}


@dataclass(frozen=True)
class Memory:
    """
    What a kernel has in shared memory.

    Its mbarriers are apart, although they have addresses there too.
    """

    data: Buffer
    mbarriers: Buffer


@dataclass
class Run:
    """Accesses of one warp that no synchronisation parts."""

    values: Values
    lanes: Lanes
    memory: Memory
    warp: int
    places: dict[Way, Event] = field(default_factory=dict[Way, Event])
    parts: dict[_Key, list[tuple[int, int]]] = field(
        default_factory=dict[_Key, list[tuple[int, int]]]
    )
    unknown: list[tuple[Way, Access]] = field(default_factory=list[tuple[Way, Access]])

    @property
    def writes(self) -> bool:
        """Whether memory has changed."""
        return Way.WRITE in self.places

    def add(self, event: Event, mask: Mask) -> None:
        """Add a load or store by some lanes, in some iterations."""
        import numpy as np

        if event.lanes:
            mask = mask & (np.arange(len(mask)) < event.lanes).reshape(
                -1, *(1,) * (mask.ndim - 1)
            )
        if not mask.any():
            return
        way = _WAYS.get(event.kind, Way.WRITE)
        self.places.setdefault(way, event)
        size, buffer = event.size, self.memory.data
        if event.kind is Kind.INIT:
            size, buffer = MBARRIER_BYTES, self.memory.mbarriers
        split = self.split(event.exprs[0])
        if split is None:
            what = Unknown("an address in shared memory", event.op)
            region = Region(buffer, None, (Interval(what, what),))
            strong = way is Way.UPDATE
            access = Access(region, way is not Way.READ, strong=strong)
            self.unknown.append((way, access))
            return
        moving, static = split
        key = (event.op, self.warp, mask.tobytes())
        found = self.lanes.intervals.get(key)
        if found is None:
            addresses = self.lanes.of_warp(static, self.warp)
            addresses, active = np.broadcast_arrays(addresses, mask)
            found = intervals(addresses[active], size)
            self.lanes.intervals[key] = found
        self.parts.setdefault((way, buffer, moving), []).extend(found)

    def split(self, address: Expr) -> tuple[Expr, Expr] | None:
        """An address as a sum of a part the same for all lanes and a static one."""
        if self.lanes.is_static(address):
            return Constant(0), address
        make = self.values.make
        if not self.lanes.per_lane & make.variables(address):
            return address, Constant(0)
        if isinstance(address, Apply):
            if address.function == "add":
                parts = [self.split(operand) for operand in address.operands]
                if parts[0] is None or parts[1] is None:
                    return None
                (a, b), (c, d) = parts[0], parts[1]
                return make.apply("add", a, c), make.apply("add", b, d)
            scale = address.operands[-1]
            if address.function in ("shl", "mul") and isinstance(scale, Constant):
                inner = self.split(address.operands[0])
                if inner is None:
                    return None
                a, b = (make.apply(address.function, part, scale) for part in inner)
                return a, b
        return None

    def touches(
        self, at_warp: dict[Expr, Expr], memo: dict[Expr, Expr]
    ) -> list[Touch | Start]:
        """
        The accesses, as at most four actions: what is read, written and updated, and
        what will be written by operations in flight.
        """
        made: list[Touch | Start] = []
        make = self.values.make
        in_order = sorted(self.places.items(), key=lambda p: p[0] is Way.WRITE_LATER)
        for way, event in in_order:
            write = way is not Way.READ
            accesses = [access for found, access in self.unknown if found is way]
            for (found, buffer, moving), parts in self.parts.items():
                if found is not way:
                    continue
                base = make.substitute(moving, at_warp, memo)
                for low, high in united(parts):
                    lower = make.apply("add", base, Constant(low))
                    upper = make.apply("add", base, Constant(high))
                    region = Region(buffer, None, (Interval(lower, upper),))
                    strong = way is Way.UPDATE
                    accesses.append(Access(region, write, strong=strong))
            if way is Way.WRITE_LATER:
                made.append(Start(event.op, tuple(accesses), queue=event.queue))
            else:
                made.append(Touch(event.op, tuple(accesses)))
        return made
