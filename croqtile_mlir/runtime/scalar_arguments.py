"""The scalars of a call, packed together."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from croqtile_mlir.launch.plan import LaunchPlan, ScalarArg
from croqtile_mlir.runtime.dtypes import DType, dtype_named, pack_scalar

_CODES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
"""What `struct` writes in one go: each `int`, or `float` for floats, that it takes is
written as `pack_scalar` writes it."""


@dataclass(frozen=True, eq=False)
class ScalarArguments:
    """Which arguments of a call are scalars, and how their bytes are made."""

    places: tuple[tuple[int, str, DType], ...]
    """Their numbers, names and types."""

    are_plain: Callable[..., bool]
    """Whether values are of the Python types that are packed in one go."""

    pick: Callable[[Sequence[Any]], Sequence[Any]]
    """The scalars among the arguments."""

    packer: struct.Struct | None
    """None where some type is not one of struct's."""

    @staticmethod
    def of(plan: LaunchPlan) -> ScalarArguments | None:
        """Those of a plan; None if it has none."""
        places = tuple(
            (number, arg.name, dtype_named(arg.dtype))
            for number, arg in enumerate(plan.inputs)
            if isinstance(arg, ScalarArg)
        )
        if not places:
            return None
        types = [dtype for _, _, dtype in places]
        codes = [_CODES.get(dtype.name) for dtype in types]
        packer = None
        if None not in codes:
            packer = struct.Struct("<" + "".join(filter(None, codes)))
        are_plain = _type_test([float if each.is_float else int for each in types])
        pick = chosen([number for number, _, _ in places])
        return ScalarArguments(places, are_plain, pick, packer)

    def pack(self, args: Sequence[Any]) -> bytes:
        """Their bytes, one after the other; refuses what a type cannot hold."""
        values = self.pick(args)
        if self.packer is not None and self.are_plain(*values):
            try:
                return self.packer.pack(*values)
            except (struct.error, OverflowError):
                # Refused below, by name, or unsigned.
                pass
        places = zip(self.places, values, strict=True)
        return b"".join(
            pack_scalar(name, dtype, value) for (_, name, dtype), value in places
        )

    def split(self, packed: bytes) -> list[bytes]:
        """The bytes of each."""
        parts: list[bytes] = []
        start = 0
        for _, _, dtype in self.places:
            parts.append(packed[start : start + dtype.bytes])
            start += dtype.bytes
        return parts


def _type_test(kinds: Sequence[type[int] | type[float]]) -> Callable[..., bool]:
    """What tells whether values are of just these types.

    Written out, as the reader of addresses is: a loop takes half as long again.
    """
    names = [f"value_{number}" for number in range(len(kinds))]
    tests = [
        f"type({name}) is {kind.__name__}"
        for name, kind in zip(names, kinds, strict=True)
    ]
    return eval(f"lambda {', '.join(names)}: {' and '.join(tests)}", {})


def chosen(numbers: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What picks the arguments of these numbers, of which there are some."""
    first, *rest = numbers
    # Of a slice, a getter of one makes a sequence, too.
    return itemgetter(first, *rest) if rest else itemgetter(slice(first, first + 1))
