"""Launching a call at addresses that were seen, with next to no Python code.

All that it asks of a tensor are its guard and its address, in every call, since both
may change in place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple

from croqtile_mlir.runtime.array_library import ArrayLibrary, Guard
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.replay import Replay
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments

Again = Callable[[Sequence[Any], int | None], bool]
"""Given the arguments of a call and its stream, if it has one: whether it launched."""


class Repeats(NamedTuple):
    """The launches of a kind that differ in addresses and scalars alone."""

    replays: BoundedCache[Hashable, Replay]
    """By addresses; by those and the packed scalars where there are scalars."""

    device: int
    stream: Callable[[int], int]
    """The library's current stream on a device."""


def again_of(
    count: int,
    tiles: Sequence[int],
    scalars: ScalarArguments | None,
    library: ArrayLibrary,
    guard: Guard,
    repeats: Repeats,
) -> Again:
    """Launches what was launched before, on a stream that it was launched on.

    A call has `count` arguments, the tensors among which are those of `tiles`.
    """
    make = _maker(count, tuple(tiles), scalars is not None, library.address)
    pack = None if scalars is None else scalars.pack
    return make(guard, pack, *repeats)


_TEXT = """
def make(guard, pack, replays, device, current):
    def again(args, given):
        try:
            {args}, = args
        except ValueError:
            return False
        if not guard({tensors}):
            return False
        try:
            launches, parameters, enqueue, _ = replays[{key}]
            launch = launches[current(device) if given is None else given]
        except KeyError:
            return False
        if status := launch(parameters, 0)[0]:
            enqueue.retry(launch, parameters, status)
        return True

    return again
"""
"""Written out for its arguments, as the functions that dataclasses make are: one that
reads addresses in a loop, or in a function of its own, takes much longer."""


@cache
def _maker(count: int, tiles: tuple[int, ...], has_scalars: bool, address: str) -> Any:
    """What makes `again` for a guard, and for the launches of a kind."""
    args = [f"arg_{number}" for number in range(count)]
    tensors = ", ".join(args[number] for number in tiles)
    addresses = ", ".join(f"{args[number]}.{address}" for number in tiles)
    text = _TEXT.format(
        args=", ".join(args),
        # The arguments are a tuple: as a whole they are not put into another.
        tensors=tensors if has_scalars else "*args",
        key=f"({addresses},), pack(args)" if has_scalars else f"{addresses},",
    )
    names: dict[str, Any] = {}
    exec(text, names)
    return names["make"]
