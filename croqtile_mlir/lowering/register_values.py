"""
Elements of arrays in local memory as SSA values: a load takes what was stored last.

Loops and conditions carry the elements that are stored inside them and read later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.register_elements import (
    Liveness,
    LocalArrays,
    Place,
    local_arrays,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.llvm_ext import (
    AllocaOp,
    FuncOp,
    GEPOp,
    LoadOp,
    StoreOp,
)
from croqtile_mlir.lowering.element_constants import element_constant
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    loop_like,
    replace_values,
    while_like,
)

State = dict[Place, SSAValue]
"""What the elements hold."""


def promote(function: FuncOp) -> LocalArrays:
    """Replace the arrays of a kernel whose accesses are at constant places."""
    arrays = local_arrays(function)
    if arrays.places:
        liveness = Liveness(arrays.places)
        body = function.body.block
        liveness.before(body, frozenset())
        order: dict[SSAValue, int] = {
            op.res: number for number, op in enumerate(_allocas(function))
        }
        _Promotion(liveness, order).block(body, {})
        _drop_unused(function)
    return arrays


def _allocas(function: FuncOp) -> list[AllocaOp]:
    return [op for op in function.walk() if isinstance(op, AllocaOp)]


def _drop_unused(function: FuncOp) -> None:
    for op in list(function.walk(reverse=True)):
        if isinstance(op, GEPOp | AllocaOp) and op.results[0].first_use is None:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class _Promotion:
    """Walks a kernel with what the elements hold."""

    liveness: Liveness
    order: Mapping[SSAValue, int]
    """The arrays as they come in the program."""

    @property
    def places(self) -> Mapping[Operation, Place]:
        """The elements of loads and stores."""
        return self.liveness.places

    def block(self, block: Block, state: State) -> None:
        """Replace the accesses of a block; `state` is that of its end afterwards."""
        for op in list(block.ops):
            if op in self.places:
                self._access(op, self.places[op], state)
            elif op.regions:
                self._nested(op, state)

    def _access(self, op: Operation, place: Place, state: State) -> None:
        if isinstance(op, StoreOp):
            state[place] = op.value
            op.detach()
            op.erase()
            return
        if (value := state.get(place)) is None:
            fail(
                op,
                "must load an element that was stored to before, got one of a register "
                "tile without a value",
                hint="croq.fill gives all elements of a tile one",
                notes=[(place[0], "the register tile is here")],
            )
        if isinstance(op, LoadOp):
            replace_values(op, [value])

    def _nested(self, op: Operation, state: State) -> None:
        stored = self.liveness.stored.get(op, frozenset())
        # What an iteration of a loop reads first is read after the one before.
        kept = self.liveness.after.get(op, frozenset()) | self.liveness.entry.get(
            op, frozenset()
        )
        carried = sorted(
            stored & kept, key=lambda place: (self.order[place[0]], place[1])
        )
        match op:
            case scf.IfOp():
                self._if(op, carried, state)
            case scf.ForOp():
                self._for(op, carried, state)
            case scf.WhileOp():
                self._while(op, carried, state)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block, state)
        for place in stored - kept:
            state.pop(place, None)

    def _for(self, loop: scf.ForOp, carried: Sequence[Place], state: State) -> None:
        builder = LocatedBuilder.before(loop)
        initial = self._values(builder, carried, state)
        inner = self._entered(loop.body.block, carried, initial, state)
        self.block(loop.body.block, inner)
        if not carried:
            return
        self._extend_yield(loop.body.block, carried, inner)
        body = loop.detach_region(loop.body)
        new = builder.insert(loop_like(loop, [*loop.iter_args, *initial], body))
        _replace(loop, new, carried, state)

    def _while(self, op: scf.WhileOp, carried: Sequence[Place], state: State) -> None:
        """The condition hands the values on, and the body hands them back."""
        builder = LocatedBuilder.before(op)
        initial = self._values(builder, carried, state)
        before, after = op.before_region, op.after_region
        for region in (before, after):
            inner = self._entered(region.block, carried, initial, state)
            self.block(region.block, inner)
            self._extend_yield(region.block, carried, inner)
        if not carried:
            return
        regions = [op.detach_region(region) for region in (before, after)]
        types = [*(r.type for r in op.results), *(value.type for value in initial)]
        new = builder.insert(while_like(op, [*op.arguments, *initial], types, regions))
        _replace(op, new, carried, state)

    def _if(self, op: scf.IfOp, carried: Sequence[Place], state: State) -> None:
        builder = LocatedBuilder.before(op)
        regions: list[Region] = []
        for region in (op.true_region, op.false_region):
            if not region.blocks:
                if not carried:
                    continue
                block = Block()
                LocatedBuilder.at_end(block, op.location).insert(scf.YieldOp())
                region.add_block(block)
            inner = dict(state)
            self.block(region.block, inner)
            self._extend_yield(region.block, carried, inner)
            regions.append(region)
        if not carried:
            return
        for region in regions:
            op.detach_region(region)
        types = [*(r.type for r in op.results), *map(_type_of, carried)]
        new = builder.insert(scf.IfOp(op.cond, types, regions[0], regions[1]))
        _replace(op, new, carried, state)

    def _values(
        self, builder: LocatedBuilder, carried: Sequence[Place], state: State
    ) -> list[SSAValue]:
        """
        What elements hold; zero where nothing was stored.

        That zero is read only by a program that reads an element without a value on
        some path. Nothing reports it from here on, and it cannot be told here: two
        conditions may hold together, and a loop may always run.
        """
        zeros: dict[Attribute, SSAValue] = {}
        found: list[SSAValue] = []
        for place in carried:
            if (known := state.get(place)) is None:
                kind = _type_of(place)
                if kind not in zeros:
                    owner = place[0].owner
                    assert isinstance(owner, Operation)
                    zeros[kind] = element_constant(builder, kind, 0, owner)
                known = zeros[kind]
            found.append(known)
        return found

    def _entered(
        self,
        block: Block,
        carried: Sequence[Place],
        initial: Sequence[SSAValue],
        state: State,
    ) -> State:
        """What the elements hold at the start of a block of a loop."""
        inner = dict(state)
        for place, value in zip(carried, initial, strict=True):
            argument = block.insert_arg(value.type, len(block.args))
            argument.name_hint = place[0].name_hint
            inner[place] = argument
        return inner

    def _extend_yield(
        self, block: Block, carried: Sequence[Place], state: State
    ) -> None:
        last = block.last_op
        if not carried:
            return
        if not isinstance(last, scf.YieldOp | scf.ConditionOp):
            raise ValueError("a loop or condition must end with a yield")
        builder = LocatedBuilder.before(last)
        values = self._values(builder, carried, state)
        if isinstance(last, scf.ConditionOp):
            builder.insert(scf.ConditionOp(last.condition, *last.args, *values))
        else:
            builder.insert(scf.YieldOp(*last.operands, *values))
        last.detach()
        last.erase()


def _type_of(place: Place) -> Attribute:
    """The type of an element."""
    array = place[0].owner
    assert isinstance(array, AllocaOp)
    return array.elem_type


def _replace(
    old: Operation, new: Operation, carried: Sequence[Place], state: State
) -> None:
    new.attributes |= old.attributes
    count = len(old.results)
    for place, value in zip(carried, new.results[count:], strict=True):
        value.name_hint = place[0].name_hint
        state[place] = value
    replace_values(old, new.results[:count])
