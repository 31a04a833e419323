"""The slot and the parity of a position, computed once for each block that needs them.

For a ring of S slots: slot = order mod S and parity = (order div S) & 1. Of a constant
offset only the remainder mod S matters to the slot, and beside it one bit to the
parity, so that `at %k` and `at %k + S` share their arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import DimOp, Position
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_Key = tuple[str, SSAValue | str, int, int]


@dataclass
class Positions:
    """Emits the arithmetic of positions and finds again what is there already."""

    _known: dict[tuple[Block, _Key], SSAValue] = field(
        default_factory=dict[tuple[Block, _Key], SSAValue]
    )

    def slot(self, op: Operation, position: Position, slots: int) -> Index:
        """The slot of a position, for use right before `op`: an integer or an index."""
        base, offset = self._order(op, position)
        if position.by_slot:
            return base if isinstance(base, int) else self._value(op, base)
        if isinstance(base, int):
            return (base + offset) % slots
        if slots == 1:
            return 0
        shift = offset % slots
        return self._once(
            op,
            ("slot", base, shift, slots),
            lambda builder: builder.urem(self._shifted(op, base, shift), slots),
        )

    def parity(
        self, op: Operation, position: Position, slots: int, inverted: bool
    ) -> SSAValue:
        """The parity of the generation at an order, an i32 for use before `op`."""
        base, offset = self._order(op, position)
        if isinstance(base, int):
            parity = ((base + offset) // slots & 1) ^ int(inverted)
            return LocatedBuilder.before(op).i32(parity)
        turns, shift = divmod(offset, slots)
        plain = self._once(
            op,
            ("parity", base, shift, slots),
            lambda builder: builder.cast(
                builder.and_(builder.udiv(self._shifted(op, base, shift), slots), 1),
                i32,
            ),
        )
        if turns % 2 == int(inverted):
            return plain
        return self._once(
            op,
            ("inverted parity", base, shift, slots),
            lambda builder: builder.xor(plain, 1),
        )

    def _order(self, op: Operation, position: Position) -> tuple[Index, int]:
        if isinstance(position.offset, str):
            fail(
                op,
                f"offset must be an integer, got {position.offset}",
                hint="run --bind-params first",
            )
        return position.base, position.offset

    def _value(self, op: Operation, base: SSAValue | str) -> SSAValue:
        if isinstance(base, SSAValue):
            return base
        return self._once(
            op,
            ("dim", base, 0, 1),
            lambda builder: builder.insert(DimOp(base)).result,
        )

    def _shifted(self, op: Operation, base: SSAValue | str, shift: int) -> SSAValue:
        value = self._value(op, base)
        if shift == 0:
            return value
        return self._once(
            op, ("order", base, shift, 1), lambda builder: builder.add(value, shift)
        )

    def _once(
        self,
        op: Operation,
        key: _Key,
        make: Callable[[LocatedBuilder], SSAValue],
    ) -> SSAValue:
        """The value of a key before `op`, made there when no earlier one reaches it."""
        block = op.parent_block()
        while block is not None:
            found = self._known.get((block, key))
            user = block.find_ancestor_op_in_block(op)
            if found is not None and user is not None:
                owner = found.owner
                if isinstance(owner, Operation) and owner.is_before_in_block(user):
                    return found
            block = block.parent_block()
        value = make(LocatedBuilder.before(op))
        if value.name_hint is None and key[0] != "dim":
            value.name_hint = key[0].split()[-1]
        if (home := op.parent_block()) is not None:
            self._known[home, key] = value
        return value
