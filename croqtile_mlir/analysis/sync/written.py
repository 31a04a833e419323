"""
Whether parts of a buffer together are all of another: blocks of a cluster each fill a
part of what one of them reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqtile_mlir.analysis.sync.execution.regions import Part
from croqtile_mlir.analysis.sync.model import Access, Action, Proxy, Start

_Box = tuple[tuple[int, int], ...]


def is_exact(action: Action, access: Access, part: Part) -> bool:
    """
    Whether an access is to all of its part, as those of TMA and wgmma are; what threads
    touch may be less, and what is not known counts as more.
    """
    return (
        (isinstance(action, Start) or access.proxy is Proxy.ASYNC)
        and not part.guessed
        and bool(part.buffer.extents)
        and part.buffer.shared
    )


def missing(part: Part, parts: Iterable[Part]) -> str | None:
    """Some of a part that none of the others is; None where they are all of it."""
    left = [_box(part)]
    for other in parts:
        if other.slot is None or part.slot is None or other.slot == part.slot:
            cut = _box(other)
            left = [piece for box in left for piece in _without(box, cut)]
    if not left:
        return None
    return " x ".join(f"[{low}, {high})" for low, high in left[0])


def _box(part: Part) -> _Box:
    extents = part.buffer.extents
    hull = part.hull or (None,) * len(extents)
    return tuple(
        (0, extent) if side is None else side
        for side, extent in zip(hull, extents, strict=False)
    )


def _without(box: _Box, cut: _Box) -> list[_Box]:
    """What is left of a box, as boxes."""
    found: list[_Box] = []
    for dim, ((low, high), (begin, end)) in enumerate(zip(box, cut, strict=True)):
        if end <= low or high <= begin:
            return [box]
        if low < begin:
            found.append((*box[:dim], (low, begin), *box[dim + 1 :]))
        if end < high:
            found.append((*box[:dim], (end, high), *box[dim + 1 :]))
        inner = (max(low, begin), min(high, end))
        box = (*box[:dim], inner, *box[dim + 1 :])
    return found
