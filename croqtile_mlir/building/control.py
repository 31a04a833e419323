"""Levels, roles, loops, conditions and indices."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from croqtile_mlir.building.checks import (
    caller,
    check_extents,
    check_indices,
    check_integers,
    check_kind,
    check_operands,
    check_texts,
    check_values,
    element_type,
    named,
    number_of,
    refusing,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level
from croqtile_mlir.dialects.croq.index import Index

_index = IndexType()


@dataclass
class Loop:
    """A loop that is being built."""

    index: SSAValue
    carried: tuple[SSAValue, ...]
    """The carried values at the start of an iteration."""

    next: tuple[SSAValue, ...] = ()
    """The carried values of the next iteration; to be set in the body."""

    results: tuple[SSAValue, ...] = field(default=(), init=False)
    """The carried values after the last iteration."""


@dataclass
class While:
    """A loop whose end its values decide."""

    carried: tuple[SSAValue, ...]
    """The values, in the condition and in the body."""

    condition: SSAValue | None = None
    """Whether to go on; to be set before the body."""

    next: tuple[SSAValue, ...] = ()
    """The values of the next iteration; to be set in the body."""

    results: tuple[SSAValue, ...] = field(default=(), init=False)
    """The values with which it ends."""

    op: scf.WhileOp | None = field(default=None, init=False, repr=False)


@dataclass
class Case:
    """A condition whose sides are being built."""

    op: scf.IfOp
    values: tuple[SSAValue, ...] = ()
    """What the side that is open results in; to be set in it."""

    @property
    def results(self) -> tuple[SSAValue, ...]:
        """The values of the side that was executed."""
        return tuple(self.op.results)


class Control(Building):
    """Who executes what, how often, and with which indices."""

    @contextmanager
    def parallel(
        self,
        *extents: Index,
        level: Level | str = Level.Block,
        threads: int | None = None,
    ) -> Generator[tuple[SSAValue, ...]]:
        """A body for each index of a level; gives the indices."""
        check_integers(threads=threads)
        check_indices(extents)
        check_extents([each for each in extents if isinstance(each, int)])
        kind = named(Level, level, "level")
        body = Block(arg_types=[_index] * len(extents))
        self.add(croq.ParallelOp(extents, kind, Region(body), threads))
        with self.inside(body):
            yield tuple(body.args)

    @contextmanager
    def role(
        self,
        name: str,
        first: int,
        last: int,
        *,
        warps: bool = False,
        registers: int | None = None,
    ) -> Generator[None]:
        """A role of the warpgroups (or warps) from `first` up to `last`, without it."""
        check_texts(name=name)
        check_integers(first=first, last=last, registers=registers)
        body = Block()
        self.add(
            croq.RoleOp(
                name, first, last, Region(body), warps=warps, registers=registers
            )
        )
        with self.inside(body):
            yield

    @contextmanager
    def foreach(
        self,
        upper: Index,
        *,
        lower: Index = 0,
        step: Index = 1,
        init: Sequence[SSAValue] = (),
        unroll: bool | int = False,
    ) -> Generator[Loop]:
        """A loop that carries values from `init` on; its body sets `next`.

        `unroll`: by so many iterations; True: all.
        """
        check_operands(init, "init")
        check_integers(unroll=int(unroll) if isinstance(unroll, bool) else unroll)
        check_indices((lower, upper, step))
        body = Block(arg_types=[_index, *(value.type for value in init)])
        op = self.add(
            croq.ForeachOp(
                upper,
                Region(body),
                lower=lower,
                step=step,
                iter_args=list(init),
                unroll=unroll,
            )
        )
        loop = Loop(body.args[0], tuple(body.args[1:]))
        with self.inside(body):
            yield loop
            check_operands(loop.next, "next")
            self.add(croq.YieldOp(loop.next))
        loop.results = tuple(op.results)

    @contextmanager
    def repeat(self, *init: SSAValue) -> Generator[While]:
        """The condition of a loop: it sets `condition`; `body_of` is what is repeated.

        The condition is the same in all threads that execute the loop.
        """
        check_values(*init)
        types = [value.type for value in init]
        before, after = Block(arg_types=types), Block(arg_types=types)
        op = self.add(scf.WhileOp(init, types, Region(before), Region(after)))
        loop = While(tuple(before.args))
        with self.inside(before):
            yield loop
            if loop.condition is None:
                fail(caller(), "a loop must set `condition`, got none")
            check_values(loop.condition)
            self.add(scf.ConditionOp(loop.condition, *before.args))
        loop.carried, loop.results = tuple(after.args), tuple(op.results)
        loop.op = op

    @contextmanager
    def body_of(self, loop: While) -> Generator[None]:
        """What a loop repeats; it sets `next`."""
        check_kind(loop, While, "the loop of `repeat`")
        if loop.op is None:
            fail(caller(), "the body of a loop must come after its condition")
        with self.inside(loop.op.after_region.block):
            yield
            check_operands(loop.next, "next")
            self.add(scf.YieldOp(*loop.next))

    @contextmanager
    def when(self, condition: SSAValue, *types: Attribute) -> Generator[Case]:
        """What is done where a condition holds; with types, it sets `values`."""
        check_values(condition)
        for each in types:
            check_kind(each, Attribute, "the type of a result")
        body, other = Block(), Region(Block()) if types else None
        op = self.add(scf.IfOp(condition, types, Region(body), other))
        yield from self._side(Case(op), body)

    @contextmanager
    def otherwise(self, case: Case) -> Generator[Case]:
        """What is done where the condition of a case does not hold."""
        check_kind(case, Case, "the case of `when`")
        other = case.op.false_region
        if not other.blocks:
            other.add_block(Block())
        yield from self._side(case, other.block)

    def _side(self, case: Case, body: Block) -> Generator[Case]:
        case.values = ()
        with self.inside(body):
            yield case
            check_operands(case.values, "values")
            self.add(scf.YieldOp(*case.values))

    def cdiv(self, numerator: Index, denominator: Index) -> SSAValue:
        """The quotient, rounded up."""
        check_indices((numerator, denominator))
        return self.add(croq.CDivOp(numerator, denominator)).results[0]

    def dim(self, name: str) -> SSAValue:
        """The value of a dim or a parameter."""
        check_texts(name=name)
        return self.add(croq.DimOp(name)).results[0]

    def bounded(self, extent: Index, at: Index = 0) -> SSAValue:
        """An index below an extent, without a loop (`croq.with`)."""
        check_indices((extent, at))
        return self.add(croq.WithOp(extent, at)).result

    def compose(self, *parts: SSAValue) -> SSAValue:
        """Several indices as one, the first slowest; all others are bounded."""
        check_values(*parts)
        return self.add(croq.ComposeOp(parts)).result

    def axis(self, index: SSAValue) -> SSAValue:
        """The extent of a bounded index."""
        check_values(index)
        return self.add(croq.AxisOp(index)).result

    def constant(self, value: float, dtype: str = "index") -> SSAValue:
        """A number of an element type, an index, or an `i1`."""
        if dtype == "index":
            number = number_of(i64, value, "a constant").value.data
            return self.add(arith.ConstantOp(IntegerAttr(int(number), _index))).result
        kind = i1 if dtype == "i1" else element_type(dtype)
        given = int(value) if kind == i1 and isinstance(value, bool) else value
        number = number_of(kind, given, "a constant").value.data
        if isinstance(kind, IntegerType):
            with refusing():
                attr = IntegerAttr(int(number), kind)
        else:
            attr = FloatAttr(float(number), kind)
        return self.add(arith.ConstantOp(attr)).result
