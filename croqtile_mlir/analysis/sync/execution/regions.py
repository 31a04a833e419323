"""Parts of buffers with numbers in place of expressions, and whether two meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from croqtile_mlir.analysis.sync.model import Buffer

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.lanes import Lanes

    Bounds: TypeAlias = tuple[int, int] | tuple[Lanes, Lanes]
    """An interval, or one for each active lane."""
else:
    Bounds = object


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A part of a buffer; equal parts are one object."""

    index: int
    family: int
    """Of parts that differ in the slot only."""

    buffer: Buffer
    slot: int | None
    box: tuple[Bounds | None, ...]
    hull: tuple[tuple[int, int] | None, ...]
    """The smallest interval of each dimension that holds those of all lanes."""

    empty: bool
    guessed: bool
    """Something of it was not known, so that it is larger than what is touched."""

    @property
    def text(self) -> str:
        """`%a_s[2]`, `smem bytes [0, 1024)`."""
        name = self.buffer.name
        if self.slot is not None and self.buffer.slots > 1:
            name = f"{name}[{self.slot}]"
        known = [f"[{h[0]}, {h[1]})" for h in self.hull if h is not None]
        if known:
            name = f"{name} {' x '.join(known)}"
        return name + self.buffer.owner


class Parts:
    """The parts that executions of a program touch, one object for each."""

    def __init__(self) -> None:
        self._parts: dict[tuple[object, ...], Part] = {}
        self._families: dict[tuple[object, ...], int] = {}
        self._meet: dict[tuple[int, int], bool] = {}

    def part(
        self,
        buffer: Buffer,
        slot: int | None,
        box: tuple[Bounds | None, ...],
        guessed: bool,
    ) -> Part:
        """The part with these numbers."""
        key: list[object] = [slot, id(buffer), guessed]
        for side in box:
            match side:
                case None:
                    key.append(None)
                case (int(), int()):
                    key.append(side)
                case (lower, upper):
                    key.append((_bytes(lower), _bytes(upper)))
        found = self._parts.get(tuple(key))
        if found is None:
            hull = tuple(_hull(side) for side in box)
            empty = any(side is not None and side[0] >= side[1] for side in hull)
            index = len(self._parts)
            family = self._families.setdefault(tuple(key[1:]), len(self._families))
            found = Part(index, family, buffer, slot, box, hull, empty, guessed)
            self._parts[tuple(key)] = found
        return found

    def meet(self, a: Part, b: Part) -> bool:
        """Whether two parts have something in common."""
        if a is b:
            return not a.empty
        if a.buffer is not b.buffer or a.empty or b.empty:
            return False
        if a.slot is not None and b.slot is not None and a.slot != b.slot:
            return False
        if len(a.box) != len(b.box):
            return True
        key = (a.index, b.index)
        found = self._meet.get(key)
        if found is None:
            found = self._meet[key] = _boxes_meet(a, b)
        return found


def _bytes(side: int | Lanes) -> object:
    return side if isinstance(side, int) else side.tobytes()


def _hull(side: Bounds | None) -> tuple[int, int] | None:
    match side:
        case None:
            return None
        case (int() as lower, int() as upper):
            return lower, upper
        case (lower, upper):
            if isinstance(lower, int) or isinstance(upper, int) or not lower.size:
                return 0, 0
            return int(lower.min()), int(upper.max())


def _boxes_meet(a: Part, b: Part) -> bool:
    lanes = False
    for mine, other, side, other_side in zip(a.hull, b.hull, a.box, b.box, strict=True):
        if mine is None or other is None:
            continue
        if mine[0] >= other[1] or other[0] >= mine[1]:
            return False
        if not _is_plain(side) or not _is_plain(other_side):
            lanes = True
    if not lanes:
        return True
    from croqtile_mlir.analysis.sync import lanes as arrays

    count_a, count_b = _lane_count(a), _lane_count(b)
    both = [
        (side, other)
        for side, other in zip(a.box, b.box, strict=True)
        if side is not None and other is not None
    ]
    return arrays.boxes_meet(
        [(arrays.spread(s[0], count_a), arrays.spread(s[1], count_a)) for s, _ in both],
        [(arrays.spread(o[0], count_b), arrays.spread(o[1], count_b)) for _, o in both],
    )


def _is_plain(side: Bounds | None) -> bool:
    return side is None or isinstance(side[0], int)


def _lane_count(part: Part) -> int:
    for side in part.box:
        if side is not None and not isinstance(side[0], int):
            return side[0].size
    return 1
