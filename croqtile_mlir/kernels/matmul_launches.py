"""Launches of products of tensors that were made before: found, not planned.

Kinds of calls are told apart as those of one kernel are. A kind of product may have
several kernels, though: which one copies its operands depends on their alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.runtime.array_library import Addresses, Arrays
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.call_kinds import CallKinds
from croqtile_mlir.runtime.launch import PreparedLaunch
from croqtile_mlir.runtime.repeated_calls import Again, Repeats
from croqtile_mlir.runtime.replay import Replay, Variant

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

    stream: Callable[[], int]
    """The library's current stream on the device of the tensors."""


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

    def find(self, a: Any, b: Any, out: Any) -> tuple[Replay, Callable[[], int]] | None:
        """The launch of a call, if one like it was made; what gives its stream."""
        found = self.products.find((a, b, out))
        if found is None:
            return None
        product, addresses = found
        replay = product.replays.get(addresses)
        if replay is not None:
            return replay, product.stream
        entry = product.entries.get(_alignment(addresses))
        if entry is None or _writes_operands(addresses, entry.sizes):
            return None
        places = [addresses[number] for number in entry.order]
        replay = entry.variant.at(dict(zip(("lhs", "rhs", "out"), places, strict=True)))
        product.replays.put(addresses, replay)
        return replay, product.stream

    def add(
        self, a: Any, b: Any, out: Any, prepared: PreparedLaunch, *, swapped: bool
    ) -> None:
        """Remember a launch of plain tensors.

        The kernel of a swapped one has the transposed b on its left-hand side.
        """
        arrays = self.products.plain((a, b, out))
        variant, parameters = Variant.of(prepared), prepared.parameters
        if arrays is None or variant is None or parameters is None:
            return
        addresses = arrays.addresses
        found = self.products.find(arrays.tensors)
        product = self._new_product(arrays) if found is None else found[0]
        # Strides of a launch are not negative: the first element is at the address.
        spans = {n: memory_range(each.value) for n, each in prepared.tensors.items()}
        size = {name: end - start for name, (start, end) in spans.items()}
        order = (1, 0, 2) if swapped else (0, 1, 2)
        operands = [size["lhs"], size["rhs"]]
        sizes = operands[order[0]], operands[order[1]], size["out"]
        product.entries.put(_alignment(addresses), _Entry(variant, order, sizes))
        product.replays.put(addresses, Replay.of(prepared.enqueue, parameters))

    def _new_product(self, arrays: Arrays) -> _Product:
        library, tensors = arrays
        device, current = library.device_of(tensors[0]), library.current_stream()
        made = _Product(
            BoundedCache(_KEPT), BoundedCache(_KEPT), partial(current, device)
        )
        self.products.add(arrays, made, Repeats(made.replays, device, current))
        return made

    def know(self, a: Any, b: Any, result: Any) -> None:
        """Remember what result plain tensors have."""
        arrays = self.results.plain((a, b))
        if arrays is not None:
            self.results.add(arrays, arrays.library.another(result), None)


def _alignment(addresses: Addresses) -> Addresses:
    return tuple([address % _ALIGNMENT for address in addresses])


def _writes_operands(addresses: Addresses, sizes: tuple[int, int, int]) -> bool:
    """Whether the result shares memory with an operand."""
    (*operands, out), (*lengths, length) = addresses, sizes
    return any(
        overlap((out, out + length), (address, address + size))
        for address, size in zip(operands, lengths, strict=True)
    )
