"""A simulated run as a picture: who does what, and who waits for whom, tick by tick."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, cast

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.storage.whole_files import write_whole

_ROW = 18
_NAMES = 150
_WIDTH = 900
_AXIS = 24
_COLOURS = {
    "wait": "#d9d9d9",
    "stuck": "#e15759",
    "product": "#4e79a7",
    "copy": "#59a14f",
    "barrier": "#edc948",
    "step": "#9c9c9c",
}
_PRODUCTS = ("mma", "wgmma")
_COPIES = ("cp.async", "copy", "bulk", "load", "store", "fill")
_BARRIERS = ("barrier", "mbarrier", "trigger", "fence", "bar.warp", "event")


@dataclass(frozen=True)
class Slice:
    """What a track did from one tick up to another."""

    track: str
    name: str
    began: int
    ended: int
    kind: str
    """A key of the legend: wait, stuck, product, copy, barrier, step."""

    details: str


@dataclass(frozen=True)
class Timeline:
    """One block of a simulated run; notebooks show it as a picture.

    Ticks are steps of the simulator, not time: what waits for what is right, how long
    it takes is not measured.
    """

    title: str
    tracks: tuple[str, ...]
    """Roles or warps, then the engines, in order of appearance."""

    slices: tuple[Slice, ...]

    @property
    def ticks(self) -> int:
        """How long the block ran."""
        return max((each.ended for each in self.slices), default=0)

    def between(self, first: int, last: int) -> Timeline:
        """The part from one tick up to another."""
        kept = [s for s in self.slices if s.began < last and s.ended > first]
        return Timeline(
            f"{self.title}, ticks {first} to {last}",
            self.tracks,
            tuple(
                Slice(
                    each.track,
                    each.name,
                    max(each.began, first) - first,
                    min(each.ended, last) - first,
                    each.kind,
                    each.details,
                )
                for each in kept
            ),
        )

    def svg(self) -> str:
        """The picture."""
        return "\n".join(self._lines())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whole or not at all."""
        from pathlib import Path

        write_whole(Path(path), self.svg().encode())

    def _repr_svg_(self) -> str:
        return self.svg()

    def _lines(self) -> Iterator[str]:
        height = _AXIS * 2 + _ROW * len(self.tracks) + _ROW
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_NAMES + _WIDTH}" '
            f'height="{height}" font-family="sans-serif" font-size="11">'
        )
        yield f'<text x="0" y="14">{escape(self.title)}</text>'
        rows = {track: number for number, track in enumerate(self.tracks)}
        for track, row in rows.items():
            y = _AXIS + _ROW * row
            yield f'<text x="0" y="{y + 13}" fill="#555">{escape(track)}</text>'
        scale = _WIDTH / max(self.ticks, 1)
        for each in self.slices:
            x, y = _NAMES + each.began * scale, _AXIS + _ROW * rows[each.track]
            width = max((each.ended - each.began) * scale, 0.5)
            tip = f"{each.name}: ticks {each.began} to {each.ended}\n{each.details}"
            size = f'width="{width:.1f}" height="{_ROW - 4}"'
            yield (
                f'<rect x="{x:.1f}" y="{y + 2}" {size} '
                f'fill="{_COLOURS[each.kind]}"><title>{escape(tip)}</title></rect>'
            )
        yield from self._axis(scale, _AXIS + _ROW * len(self.tracks))
        yield from self._legend(_AXIS * 2 + _ROW * len(self.tracks))
        yield "</svg>"

    def _axis(self, scale: float, y: int) -> Iterator[str]:
        step = next(s for s in _round_numbers() if s * scale >= 60)
        for tick in range(0, self.ticks + 1, step):
            x = _NAMES + tick * scale
            yield (
                f'<line x1="{x:.1f}" y1="{_AXIS}" x2="{x:.1f}" y2="{y}" '
                'stroke="#8884" /><text '
                f'x="{x:.1f}" y="{y + 14}" fill="#555">{tick}</text>'
            )

    def _legend(self, y: int) -> Iterator[str]:
        used = {each.kind for each in self.slices}
        for place, kind in enumerate(kind for kind in _COLOURS if kind in used):
            x = _NAMES + 90 * place
            yield (
                f'<rect x="{x}" y="{y}" width="12" height="12" '
                f'fill="{_COLOURS[kind]}" /><text x="{x + 16}" y="{y + 10}" '
                f'fill="#555">{kind}</text>'
            )


def timeline_of(events: Sequence[dict[str, Any]], title: str, block: int) -> Timeline:
    """The timeline of one block of a trace, counted from 0 in the order they ran.

    Raises `ArgumentError` where there is no such block.
    """
    blocks = sorted({event["pid"] for event in events})
    if block not in range(len(blocks)):
        raise ArgumentError(
            f"block must be between 0 and {len(blocks) - 1}, got {block}"
        )
    mine = [event for event in events if event["pid"] == blocks[block]]
    names = {
        event["tid"]: event["args"]["name"]
        for event in mine
        if event["ph"] == "M" and event["name"] == "thread_name"
    }
    (about,) = [e["args"]["name"] for e in mine if e["name"] == "process_name"]
    slices = [
        Slice(
            names[event["tid"]],
            event["name"],
            event["ts"],
            event["ts"] + event["dur"],
            _kind(event),
            _details(event["args"]),
        )
        for event in mine
        if event["ph"] == "X"
    ]
    tracks = tuple(names[number] for number in sorted(names))
    return Timeline(f"{title}, {about}", tracks, tuple(slices))


def _kind(event: dict[str, Any]) -> str:
    name: str = event["name"]
    if "state" in event["args"]:
        return "stuck" if name.startswith("for ever") else "wait"
    for kind, marks in (
        ("product", _PRODUCTS),
        ("barrier", _BARRIERS),
        ("copy", _COPIES),
    ):
        if any(mark in name for mark in marks):
            return kind
    return "step"


def _details(args: dict[str, Any]) -> str:
    lines: list[str] = []
    for name, value in args.items():
        items = cast("Iterable[object]", value) if isinstance(value, list) else [value]
        lines += [f"{name}: {item}" for item in items]
    return "\n".join(lines)


def _round_numbers() -> Iterator[int]:
    unit = 1
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10
