"""Launches of products of torch tensors that were made before: found, not planned.

Kinds of calls are told apart as those of one kernel are. A kind of product may have
several kernels, though: which one copies its operands depends on their alignment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.call_kinds import Addresses, CallKinds
from croqtile_mlir.runtime.launch import PreparedLaunch
from croqtile_mlir.runtime.repeated_calls import Again, Repeats
from croqtile_mlir.runtime.replay import Replay, Variant
from croqtile_mlir.runtime.streams import current_stream_of

_KEPT = 256
_ALIGNMENT = 16


@dataclass(frozen=True)
class _Entry:
    """Launches that differ in addresses."""

    variant: Variant
    order: tuple[int, int, int]
    """Which of a, b and out are the kernel's lhs, rhs and out."""

    sizes: tuple[int, int, int]
    """The bytes from the first to the last of a, b and out."""


@dataclass(frozen=True, eq=False)
class _Product:
    """A kind of product: of tensors that differ in addresses alone."""

    replays: BoundedCache[Hashable, Replay]
    """By the addresses of a, b and out."""

    entries: BoundedCache[Addresses, _Entry]
    """By what these leave over from multiples of the alignment that TMA needs."""


@dataclass(frozen=True, eq=False)
class Launches:
    """Products of one result type and schedule. Safe to share between threads."""

    results: CallKinds[Callable[[], Any]] = field(
        default_factory=lambda: CallKinds[Callable[[], Any]](2, (0, 1))
    )
    """By a and b: what makes a result."""

    products: CallKinds[_Product] = field(
        default_factory=lambda: CallKinds[_Product](3, (0, 1, 2))
    )
    """By a, b and out."""

    @property
    def again(self) -> Sequence[Again]:
        """What launches calls like the latest ones: asked before `find`."""
        return self.products.again

    def new_result(self, a: Any, b: Any) -> Any:
        """A new result; None if no product of such tensors was made before."""
        found = self.results.find((a, b))
        return None if found is None else found[0]()

    def find(self, a: Any, b: Any, out: Any) -> Replay | None:
        """The launch of a call, if one like it was made."""
        found = self.products.find((a, b, out))
        if found is None:
            return None
        product, addresses = found
        replay = product.replays.get(addresses)
        if replay is not None:
            return replay
        entry = product.entries.get(_alignment(addresses))
        if entry is None or _writes_operands(addresses, entry.sizes):
            return None
        places = [addresses[number] for number in entry.order]
        replay = entry.variant.at(dict(zip(("lhs", "rhs", "out"), places, strict=True)))
        product.replays.put(addresses, replay)
        return replay

    def add(
        self, a: Any, b: Any, out: Any, prepared: PreparedLaunch, *, swapped: bool
    ) -> None:
        """Remember a launch of plain torch tensors.

        The kernel of a swapped one has the transposed b on its left-hand side.
        """
        tensors = self.products.plain((a, b, out))
        variant, parameters = Variant.of(prepared), prepared.parameters
        if tensors is None or variant is None or parameters is None:
            return
        addresses = tuple([tensor.data_ptr() for tensor in tensors])
        found = self.products.find(tensors)
        product = self._new_product(tensors) if found is None else found[0]
        # Strides of torch are not negative: the first element is at the address.
        spans = {n: memory_range(each.value) for n, each in prepared.tensors.items()}
        size = {name: end - start for name, (start, end) in spans.items()}
        order = (1, 0, 2) if swapped else (0, 1, 2)
        operands = [size["lhs"], size["rhs"]]
        sizes = operands[order[0]], operands[order[1]], size["out"]
        product.entries.put(_alignment(addresses), _Entry(variant, order, sizes))
        product.replays.put(addresses, Replay.of(prepared.enqueue, parameters))

    def _new_product(self, tensors: Sequence[Any]) -> _Product:
        made = _Product(BoundedCache(_KEPT), BoundedCache(_KEPT))
        current = current_stream_of(sys.modules["torch"])
        repeats = Repeats(made.replays, tensors[0].get_device(), current)
        self.products.add(tensors, made, repeats)
        return made

    def know(self, a: Any, b: Any, result: Any) -> None:
        """Remember what result plain torch tensors have."""
        tensors = self.results.plain((a, b))
        if tensors is None:
            return
        torch: Any = sys.modules["torch"]
        kind = {"dtype": result.dtype, "device": result.device}
        shape = (a.shape[0], b.shape[1])
        self.results.add(tensors, partial(torch.empty, shape, **kind), None)


def _alignment(addresses: Addresses) -> Addresses:
    return tuple([address % _ALIGNMENT for address in addresses])


def _writes_operands(addresses: Addresses, sizes: tuple[int, int, int]) -> bool:
    """Whether the result shares memory with an operand."""
    (*operands, out), (*lengths, length) = addresses, sizes
    return any(
        overlap((out, out + length), (address, address + size))
        for address, size in zip(operands, lengths, strict=True)
    )
