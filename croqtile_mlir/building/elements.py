"""Elements: each by a thread, or all of a tile together."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.building.checks import (
    caller,
    check_indices,
    check_integer_lists,
    check_integers,
    check_values,
    named,
    refusing,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import (
    AccType,
    AtomicKind,
    Combination,
    MemoryOrder,
    MemoryScope,
    dims_of,
    element_of,
)
from croqtile_mlir.dialects.croq.index import Index

_index = IndexType()


@dataclass
class Body:
    """What computes an element."""

    elements: tuple[SSAValue, ...]
    """Those of the inputs."""

    place: tuple[SSAValue, ...]
    """The indices of the element, if asked for."""

    value: SSAValue | None = None
    """The element; to be set."""

    result: SSAValue | None = None
    """The accumulator that was made, after the body."""


class Elements(Building):
    """Loads, stores and updates of a thread; computations of all elements."""

    def load(
        self,
        tile: SSAValue,
        *at: Index,
        order: MemoryOrder | str | None = None,
        scope: MemoryScope | str | None = None,
    ) -> SSAValue:
        """One element; inside `parallel` of threads."""
        check_values(tile)
        check_indices(at)
        ordered = _order(order), _scope(scope)
        return self.made(lambda: croq.LoadOp(tile, at, *ordered)).results[0]

    def store_element(
        self,
        value: SSAValue,
        tile: SSAValue,
        *at: Index,
        order: MemoryOrder | str | None = None,
        scope: MemoryScope | str | None = None,
    ) -> None:
        """Set one element; inside `parallel` of threads."""
        check_values(value, tile)
        check_indices(at)
        ordered = _order(order), _scope(scope)
        self.made(lambda: croq.StoreOp(value, tile, at, *ordered))

    def atomic(
        self,
        kind: AtomicKind | str,
        value: SSAValue,
        tile: SSAValue,
        *at: Index,
        compare: SSAValue | None = None,
        order: MemoryOrder | str = MemoryOrder.Relaxed,
        scope: MemoryScope | str | None = None,
    ) -> SSAValue:
        """Update one element in one step; what it was before."""
        check_values(value, tile, optional=compare)
        check_indices(at)
        what, how = named(AtomicKind, kind, "kind"), named(MemoryOrder, order, "order")
        among = _scope(scope)
        op = self.made(
            lambda: croq.AtomicOp(
                what,
                value,
                tile,
                at,
                compare=compare,
                order=how,
                scope=among,
                result=True,
            )
        )
        assert op.old is not None
        return op.old

    @contextmanager
    def elementwise(
        self,
        *inputs: SSAValue | tuple[SSAValue, Sequence[int]],
        to: SSAValue | AccType,
        positions: bool = False,
    ) -> Generator[Body]:
        """Compute each element of a tile, or of a new accumulator of a type.

        An input with dims has only these of the result. The body sets `value`.
        """
        given = [_input(each) for each in inputs]
        if not isinstance(to, AccType):
            check_values(to)
        with refusing():
            rank = len(dims_of(to)) if isinstance(to, SSAValue) else 2
            kinds = [element_of(value) for value, _ in given]
        places = [_index] * rank if positions else []
        block = Block(arg_types=[*kinds, *places])
        op = self.made(
            lambda: croq.ElementwiseOp(
                [value for value, _ in given],
                [range(rank) if dims is None else dims for _, dims in given],
                Region(block),
                destination=to if isinstance(to, SSAValue) else None,
                result_type=None if isinstance(to, SSAValue) else to,
                positions=positions,
            )
        )
        arguments = tuple(block.args)
        body = Body(arguments[: len(given)], arguments[len(given) :])
        with self.inside(block):
            yield body
            if body.value is None:
                fail(caller(), "the body must set `value`, got none")
            check_values(body.value)
            self.add(croq.YieldOp([body.value]))
        body.result = op.result

    def reduce(
        self,
        combination: Combination | str,
        source: SSAValue,
        dim: int,
        destination: SSAValue,
    ) -> None:
        """Combine the elements along a dim of a tile or an accumulator."""
        check_values(source, destination)
        check_integers(dim=dim)
        kind = named(Combination, combination, "combination")
        self.made(lambda: croq.ReduceOp(kind, source, dim, destination))

    def thread_id(self) -> SSAValue:
        """The number of the thread in its scope."""
        return self.add(croq.ThreadIdOp()).result

    def elect(self) -> SSAValue:
        """An `i1` that is true in one thread of the scope."""
        return self.add(croq.ElectOp()).result


def _input(
    given: SSAValue | tuple[SSAValue, Sequence[int]],
) -> tuple[SSAValue, Sequence[int] | None]:
    """An input with its dims, None for all of them."""
    if not isinstance(given, tuple):
        check_values(given)
        return given, None
    if len(given) != 2:
        fail(caller(), f"an input must be a tile or (tile, dims), got {len(given)}")
    value, dims = given
    check_values(value)
    check_integer_lists(dims=dims)
    return value, dims


def _order(order: MemoryOrder | str | None) -> MemoryOrder | None:
    return None if order is None else named(MemoryOrder, order, "order")


def _scope(scope: MemoryScope | str | None) -> MemoryScope | None:
    return None if scope is None else named(MemoryScope, scope, "scope")
