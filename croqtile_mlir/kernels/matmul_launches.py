"""Launches of products of torch tensors that were made before: found, not planned."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.launch import PreparedLaunch
from croqtile_mlir.runtime.plain_tensors import are_plain
from croqtile_mlir.runtime.replay import Replay, Variant

_KEPT = 1024
_ALIGNMENT = 16

Addresses = tuple[int, int, int]


class Call(NamedTuple):
    """One call, with all that its launch depends on. Made faster than a dataclass."""

    out: Any
    like: Hashable
    """Everything but the addresses."""

    addresses: Addresses
    """Of a, b and out."""

    device: int


@dataclass(frozen=True)
class _Entry:
    """Launches that differ in addresses."""

    variant: Variant
    order: tuple[int, int, int]
    """Which of a, b and out are the kernel's lhs, rhs and out."""

    sizes: tuple[int, int, int]
    """The bytes from the first to the last of a, b and out."""


@dataclass(frozen=True)
class Launches:
    """What was launched so far. Safe to share between threads."""

    results: BoundedCache[Hashable, Any] = field(
        default_factory=lambda: BoundedCache[Hashable, Any](_KEPT)
    )
    """The torch type of a result, by what is known of the operands."""

    entries: BoundedCache[Hashable, _Entry] = field(
        default_factory=lambda: BoundedCache[Hashable, _Entry](_KEPT)
    )
    replays: BoundedCache[Hashable, Replay] = field(
        default_factory=lambda: BoundedCache[Hashable, Replay](_KEPT)
    )

    def call(
        self, a: Any, b: Any, out: Any, choices: Hashable, *, allocate: bool
    ) -> Call | None:
        """A call of plain torch tensors; None where the long way must be taken.

        A missing `out` is made if `allocate` and a call like this one was made before.
        """
        torch: Any = sys.modules.get("torch")
        if torch is None:
            return None
        if not are_plain(torch, (a, b) if out is None else (a, b, out)):
            return None
        rows, cols, device = a.shape, b.shape, a.get_device()
        known = (rows, cols, a.stride(), b.stride(), a.dtype, b.dtype, device, choices)
        if out is None:
            kind = self.results.get(known) if allocate else None
            if kind is None:
                return None
            out = torch.empty((rows[0], cols[1]), dtype=kind, device=device)
        like = (
            *known,
            b.get_device(),
            out.shape,
            out.stride(),
            out.dtype,
            out.get_device(),
        )
        return Call(out, like, (a.data_ptr(), b.data_ptr(), out.data_ptr()), device)

    def find(self, call: Call) -> Replay | None:
        """The launch of a call, if one like it was made."""
        replay = self.replays.get((call.like, call.addresses))
        if replay is not None:
            return replay
        entry = self.entries.get(_group(call))
        if entry is None or _writes_operands(call.addresses, entry.sizes):
            return None
        found = [call.addresses[number] for number in entry.order]
        replay = entry.variant.at(dict(zip(("lhs", "rhs", "out"), found, strict=True)))
        self.replays.put((call.like, call.addresses), replay)
        return replay

    def add(self, call: Call, prepared: PreparedLaunch, order: Addresses) -> None:
        """Remember a launch."""
        self.replays.put((call.like, call.addresses), Replay.of(prepared))
        variant = Variant.of(prepared)
        if variant is None:
            return
        # Strides of torch are not negative: the first element is at the address.
        spans = {n: memory_range(each.value) for n, each in prepared.tensors.items()}
        size = {name: end - start for name, (start, end) in spans.items()}
        lhs, rhs = (size["lhs"], size["rhs"])[:: 1 if order[0] == 0 else -1]
        sizes = lhs, rhs, size["out"]
        self.entries.put(_group(call), _Entry(variant, order, sizes))

    def know(self, a: Any, b: Any, choices: Hashable, result: Any) -> None:
        """Remember the element type of a result that was made."""
        known = (a.shape, b.shape, a.stride(), b.stride(), a.dtype, b.dtype)
        self.results.put((*known, a.get_device(), choices), result.dtype)


def _group(call: Call) -> Hashable:
    a, b, out = call.addresses
    return call.like, a % _ALIGNMENT, b % _ALIGNMENT, out % _ALIGNMENT


def _writes_operands(addresses: Addresses, sizes: tuple[int, int, int]) -> bool:
    """Whether the result shares memory with an operand."""
    (*operands, out), (*lengths, length) = addresses, sizes
    return any(
        overlap((out, out + length), (address, address + size))
        for address, size in zip(operands, lengths, strict=True)
    )
