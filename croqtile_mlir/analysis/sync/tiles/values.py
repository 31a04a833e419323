"""The values of a kernel as expressions over counters, dims and block indices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.sync.cluster_indices import Cluster
from croqtile_mlir.analysis.sync.integer_ops import NAMES
from croqtile_mlir.analysis.sync.model import (
    Apply,
    Constant,
    Expr,
    Unknown,
    Variable,
)
from croqtile_mlir.analysis.sync.symbolic import Expressions, Range
from croqtile_mlir.analysis.sync.tiles.drafts import (
    Draft,
    LoopDraft,
    Sources,
)
from croqtile_mlir.dialects.croq import (
    CDivOp,
    DimOp,
    ElectOp,
    ForeachOp,
    KernelOp,
    Level,
    ParallelOp,
    ThreadIdOp,
)
from croqtile_mlir.dialects.croq.index import Index

_DIVISIONS: Mapping[str, str] = MappingProxyType(
    {
        "arith.divui": "floordiv",
        "arith.remui": "mod",
        "arith.ceildivui": "ceildiv",
    }
)
_COUNT = (0, math.inf)

Leaf = tuple[str, int]
"""A dim and a divisor: the number of tiles of that size, rounded up."""

Bounds = tuple[Expr, Expr]
"""The lower and the upper bound of a loop."""

Way = tuple[SSAValue, int]
"""A condition, and the rank of the block if it differs between those of a cluster."""


@dataclass
class Alike:
    """Conditions of several roles that say the same of the number of an iteration."""

    conditions: dict[Expr, list[Way]] = field(default_factory=dict["Expr", list["Way"]])
    """By their form; the first of each is in `Values.ways`."""

    turns: dict[Expr, Variable] = field(default_factory=dict[Expr, Variable])
    """The names that stand for the counters of loops in these forms, by their steps."""

    guarded: list[Guarded] = field(default_factory=list["Guarded"])
    """Where these conditions are."""

    def first(self, form: Expr, loop: LoopDraft, way: Way, make: Expressions) -> Way:
        """The first condition of the form of one, with the counter of its loop."""
        if loop.step not in self.turns:
            self.turns[loop.step] = make.variable("turn", (0, math.inf))
        turn = self.turns[loop.step]
        same = self.conditions.setdefault(
            make.substitute(form, {loop.counter: turn}, {}), []
        )
        same.append(way)
        return same[0]


@dataclass(frozen=True)
class Guarded:
    """What is done in some iterations of a loop."""

    op: scf.IfOp
    draft: LoopDraft
    values: Values


@dataclass
class Values:
    """
    Translates index values, each when it is first asked for.

    A dim counts in `units`: where a kernel only needs `cdiv K, 64`, the variable is
    that number of tiles; where it needs tiles of two sizes it is the number of tiles
    of their greatest common divisor.
    """

    kernel: KernelOp
    units: Mapping[str, int] = field(default_factory=dict[str, int])
    make: Expressions = field(default_factory=Expressions)
    leaves: dict[Leaf, Variable] = field(default_factory=dict[Leaf, Variable])
    blocks: dict[SSAValue, Variable] = field(default_factory=dict[SSAValue, Variable])
    free: dict[int, Variable] = field(default_factory=dict[int, Variable])
    """Counts that stand for the number of trips of loops."""

    choices: dict[int, Variable] = field(default_factory=dict[int, Variable])
    """Variables that stand for conditions that a launch decides: 0 or not 0."""

    ways: dict[Way, str] = field(default_factory=dict["Way", str])
    """For conditions that it decides anew in each iteration: where they hold."""

    alike: Alike = field(default_factory=lambda: Alike())
    """Which of them hold in the same iterations."""

    warp: Variable | None = None
    """Where the agents are warps: the index of the warp in the block."""

    lanes: frozenset[Expr] = frozenset()
    """Variables that differ between the lanes of a warp."""

    local: set[Expr] = field(default_factory=set[Expr])
    """Variables that differ between the threads of a scope."""

    drafts: dict[Operation, Draft] = field(default_factory=dict[Operation, Draft])
    """The loops and branches so far; their block arguments and results are known."""

    known: dict[SSAValue, Expr] = field(default_factory=dict[SSAValue, Expr])

    cluster: Cluster | None = None
    """Where the block is one of a cluster."""

    trips: Mapping[int, Expr] = field(default_factory=dict[int, Expr])
    """For numbers of which the model is to hold in general: what stands for them."""

    runs: dict[Bounds, Expr] = field(default_factory=dict["Bounds", Expr])
    """For bounds of which a count stands for the trips: whether there are any."""

    def changing(self) -> frozenset[Expr]:
        """The variables that change while the block runs, or differ in it."""
        found: set[Expr] = {*self.lanes, *self.local}
        for draft in self.drafts.values():
            if isinstance(draft, LoopDraft):
                found.add(draft.counter)
                found |= {v for pair in draft.carried.values() for v in pair}
            elif _is_in_loop(draft.place):
                found |= {*draft.carried.values()}
        return frozenset(found if self.warp is None else {*found, self.warp})

    def given(self) -> frozenset[Expr]:
        """Variables that stand for what a block may have of its own."""
        results: set[Expr] = set()
        for draft in self.drafts.values():
            for number, _ in enumerate(draft.place.results):
                # Also of what nothing has asked for so far.
                results.add(draft.result(number))
        named = {expr for expr in results if isinstance(expr, Variable)}
        return frozenset({*self.choices.values(), *self.free.values(), *named})

    def index(self, index: Index, place: Operation) -> Expr:
        """The value of an index operand."""
        if isinstance(index, int):
            return Constant(index)
        if isinstance(index, str):
            return self._name(index, 1, place)
        return self.value(index)

    def value(self, value: SSAValue) -> Expr:
        """The value of an integer or index."""
        if value not in self.known:
            found = self._translated(value)
            # A name of a loop is only known from when the loop is.
            if isinstance(found, Unknown) and isinstance(value, BlockArgument):
                return found
            self.known[value] = found
        return self.known[value]

    def _translated(self, value: SSAValue) -> Expr:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value, owner)
        if not isinstance(value.type, IndexType | IntegerType):
            return Unknown(f"a value of type {value.type}", owner)
        match owner:
            case CDivOp():
                divisor = self.index(owner.denominator, owner)
                if isinstance(owner.numerator, str) and isinstance(divisor, Constant):
                    return self._name(owner.numerator, divisor.value, owner)
                number = self.index(owner.numerator, owner)
                return self.make.apply("ceildiv", number, divisor)
            case ThreadIdOp():
                return self.thread_id(owner)
            case DimOp():
                return self._name(owner.dim.data, 1, owner)
            case ForeachOp() | scf.ForOp() | scf.IfOp():
                draft = self.drafts.get(owner)
                if draft is None or not isinstance(value, OpResult):
                    return Unknown("a result of a region not modelled", owner)
                return draft.result(value.index)
            case _:
                return self._computed(owner, value)

    def in_general(self, number: Expr) -> Expr:
        """What stands for a constant or the bound of a loop."""
        if isinstance(number, Constant):
            return self.trips.get(number.value, number)
        return number

    def elected(self, op: Operation) -> Expr:
        """Whether a thread is the one that an op elects."""
        return Unknown(f"the result of {op.name}", op)

    def _computed(self, owner: Operation, value: SSAValue) -> Expr:
        """The result of arithmetic. Values of type index are never negative."""
        if isinstance(owner, ElectOp) or owner.name == "nvvm.elect.sync":
            return self.elected(owner)
        if owner.name not in NAMES:
            return Unknown(f"the result of {owner.name}", owner)
        operands = [self.value(operand) for operand in owner.operands]
        if not operands and (made := self.make.of(owner, operands)) is not None:
            return self.in_general(made)
        function = _DIVISIONS.get(owner.name)
        if function is not None and isinstance(value.type, IndexType):
            return self.make.apply(function, *operands)
        if isinstance(value.type, IndexType):
            divided = self._divided(owner.name, operands)
            if divided is not None:
                return divided
        found = self.make.of(owner, operands)
        return Unknown(f"the result of {owner.name}", owner) if found is None else found

    def _divided(self, name: str, operands: Sequence[Expr]) -> Expr | None:
        """A shift or mask of an index as the division that it is."""
        match name, operands:
            case "arith.shrui", (value, Constant(number)) if 0 <= number < 63:
                return self.make.apply("floordiv", value, Constant(1 << number))
            case "arith.andi", (value, Constant(mask)) if mask > 1:
                # A mask of one bit is a parity, which flips (`toggles`).
                if mask & (mask + 1) == 0:
                    return self.make.apply("mod", value, Constant(mask + 1))
                return None
            case _:
                return None

    def _argument(self, value: SSAValue, block: Block) -> Expr:
        around = block.parent_op()
        if around is None or not isinstance(value, BlockArgument):
            return Unknown("an argument", self.kernel)
        match around:
            case ParallelOp() if around.level.data is Level.Block and self.cluster:
                return self.cluster.indices[value.index]
            case ParallelOp() if not around.level.data.divides_block:
                name = value.name_hint or f"block index {value.index}"
                return self._block_index(value, name)
            case ForeachOp() | scf.ForOp():
                draft = self.drafts.get(around)
                if draft is None:
                    return Unknown("an index of a loop not modelled", around)
                return draft.argument(value.index)
            case ParallelOp():
                return self.thread_index(around, value)
            case _:
                return Unknown(f"an argument of {around.name}", around)

    def _name(self, name: str, divisor: int, place: Operation) -> Expr:
        """A parameter, or a dim in tiles of a size."""
        bound = self.kernel.param_values
        if name in bound:
            return self.make.apply("ceildiv", Constant(bound[name]), Constant(divisor))
        unit = self.units.get(name, divisor)
        if divisor % unit:
            return Unknown(f"{name} in tiles of {divisor}", place)
        if (name, unit) not in self.leaves:
            text = name if unit == 1 else f"ceil({name} / {unit})"
            self.leaves[name, unit] = self.make.variable(text, _COUNT)
        leaf = self.leaves[name, unit]
        return self.make.apply("ceildiv", leaf, Constant(divisor // unit))

    def dim_in_tiles(self, dim: Expr, size: int) -> Expr | None:
        """`ceil(dim / size)` where an expression is the number of a dim itself."""
        if isinstance(dim, Apply) and dim.function == "ceildiv":
            inner, by = dim.operands
            if isinstance(by, Constant):
                return self.dim_in_tiles(inner, by.value * size)
        for (name, unit), leaf in self.leaves.items():
            if leaf is dim:
                return self._name(name, unit * size, self.kernel)
        return None

    def by_rank(self, expr: Expr, of: Callable[[Expr, int], Expr]) -> Expr:
        """What stands for an expression, in each block that it differs in."""
        if self.cluster is None:
            return of(expr, 0)
        return self.cluster.by_rank(expr, of)

    def free_variable(self, expr: Expr, name: str) -> Variable:
        """The variable that stands for an expression, whatever its value is."""
        if id(expr) not in self.free:
            self.free[id(expr)] = self.make.variable(name, _COUNT)
        return self.free[id(expr)]

    def thread_index(self, level: ParallelOp, index: BlockArgument) -> Expr:
        """An index of a level below the block."""
        extent = level.extent_values[index.index]
        high = extent - 1 if isinstance(extent, int) else math.inf
        return self.local_variable(index, (0, high))

    def thread_id(self, op: ThreadIdOp) -> Expr:
        """The index of a thread in its scope."""
        threads = scope_of(op).num_threads
        return self.local_variable(op.result, (0, threads - 1))

    def local_variable(self, value: SSAValue, limits: Range) -> Variable:
        """What stands for a value that differs between threads."""
        variable = self.make.variable(value.name_hint or "thread", limits)
        self.local.add(variable)
        self.known[value] = variable
        return variable

    def _block_index(self, value: SSAValue, name: str) -> Variable:
        if value not in self.blocks:
            self.blocks[value] = self.make.variable(name, _COUNT)
        return self.blocks[value]


def _is_in_loop(op: Operation) -> bool:
    around = op.parent_op()
    while around is not None and not isinstance(around, ForeachOp | scf.ForOp):
        around = around.parent_op()
    return around is not None


def sources_of(values: Values) -> Sources:
    """What comes together in each carried value that something asks for."""
    found: Sources = {}
    while True:
        todo = [
            (draft, number)
            for draft in values.drafts.values()
            for number in draft.carried
            if (id(draft), number) not in found
        ]
        if not todo:
            return found
        for draft, number in todo:
            first, second = draft.sources(number)
            found[id(draft), number] = values.value(first), values.value(second)
