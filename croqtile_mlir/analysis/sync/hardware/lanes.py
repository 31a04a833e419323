"""
What depends on the warp, the lane and short loops only, as arrays of numbers.

Axis 0 of an array is the warp, axis 1 the lane, each further axis a loop around.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.hardware.events import For
from croqtile_mlir.analysis.sync.hardware.values import WARP_LANES, Values
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

MAX_LOOPS = 4
MAX_ELEMENTS = 1 << 20
"""Lanes times iterations of the loops that are looked at as one array, at most."""


@dataclass
class Lanes:
    """Evaluates expressions for all lanes of a block at once."""

    values: Values
    arrays: dict[Expr, Numbers] = field(default_factory=dict[Expr, "Numbers"])

    intervals: dict[tuple[Operation, int, bytes], list[tuple[int, int]]] = field(
        default_factory=dict[tuple[Operation, int, bytes], list[tuple[int, int]]]
    )
    """The bytes that an op touches in a warp, by where it is active."""

    def __post_init__(self) -> None:
        import numpy as np

        warps = self.values.threads // WARP_LANES
        shape = (-1, *(1,) * (1 + MAX_LOOPS))
        self.arrays[self.values.warp] = np.arange(warps).reshape(shape)
        shape = (1, -1, *(1,) * MAX_LOOPS)
        self.arrays[self.values.lane] = np.arange(WARP_LANES).reshape(shape)
        self.full: Mask = np.ones((WARP_LANES, *(1,) * MAX_LOOPS), np.bool_)
        self.per_lane: set[Expr] = {self.values.lane}
        """The lane, and the counters of loops that are an axis."""

    def is_static(self, expr: Expr) -> bool:
        """Whether an expression depends on the warp, the lane and open loops only."""
        return all(v in self.arrays for v in self.values.make.variables(expr))

    def of_warp(self, expr: Expr, warp: int) -> Numbers:
        """The values in a warp: axis 0 is the lane."""
        array = self.array(expr)
        return array[warp if array.shape[0] > 1 else 0]

    def array(self, expr: Expr) -> Numbers:
        """The values of an expression."""
        import numpy as np

        if isinstance(expr, Constant):
            return np.full((1,) * (2 + MAX_LOOPS), expr.value, np.int64)
        known = self.arrays.get(expr)
        if known is None:
            assert isinstance(expr, Apply)
            operands = [self.array(operand) for operand in expr.operands]
            known = _apply(expr.function, operands, expr.bits)
            self.arrays[expr] = known
        return known

    def enter(self, loop: For, depth: int) -> Mask | None:
        """
        Open a loop along an axis; where its counter is in range, warp by warp.

        None of a loop that has too many iterations, or not known how many.
        """
        import numpy as np

        bounds = (loop.lower, loop.upper, loop.step)
        if depth >= MAX_LOOPS or not all(map(self.is_static, bounds)):
            return None
        lower, upper, step = map(self.array, bounds)
        if step.min() < 1:
            return None
        if loop.counter not in self.arrays:
            trips = int((-((lower - upper) // step)).max())
            trips = max(trips, 1)
            before = max(lower.size, upper.size, WARP_LANES)
            if trips * before > MAX_ELEMENTS:
                return None
            shape = [1] * (2 + MAX_LOOPS)
            shape[2 + depth] = -1
            self.per_lane.add(loop.counter)
            self.arrays[loop.counter] = lower + step * np.arange(trips).reshape(shape)
        return self.arrays[loop.counter] < upper


def _apply(function: str, operands: list[Numbers], bits: int | None) -> Numbers:
    import numpy as np

    match function:
        case "select":
            condition, yes, no = operands
            return np.where(condition != 0, yes, no)
        case "ult" | "ule":
            a, b = (x.astype(np.uint64) for x in operands)
            return (a < b if function == "ult" else a <= b).astype(np.int64)
        case "shr":
            a, b = operands
            mask = (1 << bits) - 1 if bits is not None and bits < 64 else -1
            return (a & mask) >> b
        case "ceildiv":
            return -(-operands[0] // operands[1])
        case _:
            pass
    names = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "floordiv": np.floor_divide,
        "mod": np.mod,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "shl": np.left_shift,
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    result = np.asarray(names[function](*operands)).astype(np.int64)
    if bits is None or bits >= 64:
        return result
    if bits == 1:
        return result & 1
    sign = 1 << (bits - 1)
    return ((result & ((1 << bits) - 1)) ^ sign) - sign


def intervals(low: Numbers, size: int) -> list[tuple[int, int]]:
    """The bytes of accesses of `size` bytes at the addresses, in few intervals."""
    import numpy as np

    starts = np.unique(low)
    if not starts.size:
        return []
    cuts = np.flatnonzero(starts[1:] > starts[:-1] + size) + 1
    firsts = starts[np.concatenate(([0], cuts))]
    lasts = starts[np.concatenate((cuts - 1, [starts.size - 1]))]
    return [(int(a), int(b) + size) for a, b in zip(firsts, lasts, strict=True)]


def united(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same numbers in as few intervals as possible."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def active_lanes(mask: Mask) -> list[int]:
    """The lanes that are active at all."""
    import numpy as np

    active = np.asarray(mask.reshape(WARP_LANES, -1).any(axis=1))
    return [lane for lane in range(WARP_LANES) if active[lane]]


def converged_lanes(mask: Mask) -> list[int]:
    """The lanes that are active wherever, and as often as, any is."""
    import numpy as np

    rows = mask.reshape(WARP_LANES, -1)
    missing = np.asarray((rows.any(axis=0) & ~rows).any(axis=1))
    return [lane for lane in range(WARP_LANES) if not missing[lane]]
