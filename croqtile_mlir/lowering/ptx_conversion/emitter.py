"""Makes the ops of one kernel, and keeps what each value of the source has become."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias, TypeVar, cast

from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.ptx.arithmetic import AddOp, MovOp, NotOp
from croqtile_mlir.dialects.ptx.control import LabelOp
from croqtile_mlir.dialects.ptx.conversion import PackOp
from croqtile_mlir.dialects.ptx.instruction import AssemblyOp, GuardedOp, Version
from croqtile_mlir.dialects.ptx.operands import Address, Source
from croqtile_mlir.dialects.ptx.registers import (
    FillGroupOp,
    JoinOp,
    SplitOp,
    UndefOp,
)
from croqtile_mlir.dialects.ptx.types import (
    B16,
    GroupType,
    InstructionType,
    PTXType,
    RegisterKind,
)
from croqtile_mlir.lowering.ptx_conversion.lowered import (
    Lowered,
    Members,
    Negated,
    Undefined,
    register_type_of,
)
from croqtile_mlir.targets.architecture import Architecture

OpT = TypeVar("OpT", bound=Operation)
AssemblyOpT = TypeVar("AssemblyOpT", bound=AssemblyOp)

Rule: TypeAlias = "Callable[[Emitter, Operation], None]"
"""Makes what an op of the source becomes."""

RuleTable: TypeAlias = Mapping[type[Operation], Rule]


def rule(
    op: type[OpT], make: Callable[[Emitter, OpT], None]
) -> tuple[type[Operation], Rule]:
    """An entry of a table of rules."""
    return op, cast("Rule", make)


def is_used(value: SSAValue) -> bool:
    """Whether a value of the source has any use."""
    return next(iter(value.uses), None) is not None


@dataclass
class Emitter:
    """
    Appends ops to the blocks of a kernel. `source` is the op of the hardware level that
    is being converted: where new ops come from, and what an error points at.
    """

    target: Architecture
    rules: RuleTable
    region: Region
    source: Operation
    values: dict[SSAValue, Lowered] = field(default_factory=dict[SSAValue, Lowered])
    block: Block = field(default_factory=Block)
    blocks: dict[Block, Block] = field(default_factory=dict[Block, Block])
    """What the blocks of the source have become."""

    started: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Accumulators of the source that are zero where a predicate is false, whatever
    their registers hold."""

    version: Version = (0, 0)
    """The PTX ISA version that the ops so far need."""

    _guard: tuple[SSAValue, bool] | None = None
    _labels: dict[str, int] = field(default_factory=dict[str, int])
    _splits: dict[tuple[SSAValue, Block], tuple[SSAValue, ...]] = field(
        default_factory=dict[tuple[SSAValue, Block], tuple[SSAValue, ...]]
    )

    def convert_block(self, block: Block) -> None:
        """Convert the ops of a block of the source; terminators have rules too."""
        for op in block.ops:
            self.convert(op)

    def convert(self, op: Operation) -> None:
        """
        Convert one op.

        Raises:
            CompileError: there is no rule for it, or the target lacks what it needs.
        """
        make = self.rules.get(type(op))
        self.source = op
        if make is None:
            self.refuse("is not supported by convert-to-ptx")
        make(self, op)

    def refuse(self, message: str, *, hint: str | None = None) -> NoReturn:
        """Refuse the op that is being converted."""
        fail(self.source, message, hint=hint)

    def emit(self, op: AssemblyOpT) -> AssemblyOpT:
        """
        Append an op to the current block.

        Raises:
            CompileError: the target does not have the instruction.
        """
        feature = op.needs_feature()
        if feature is not None and not self.target.has(feature):
            self.refuse(
                f"must be compiled for a target that has {feature}, "
                f"got {self.target.name}"
            )
        self.version = max(self.version, op.needs_version())
        op.location = self.source.location
        if self._guard is not None and isinstance(op, GuardedOp):
            op.set_guard(*self._guard)
        self.block.add_op(op)
        return op

    @contextmanager
    def guarded(self, condition: SSAValue) -> Generator[None]:
        """
        Execute instructions without results only if an i1 of the source is true;
        those with results compute something that then isn't needed.
        """
        self._guard = self.predicate(condition)
        yield
        self._guard = None

    def emit_guarded(self, op: GuardedOp, guard: SSAValue | None) -> None:
        """Append an op that is to be executed only if an i1 of the source is true."""
        if guard is not None:
            known = self.constant(guard)
            if known == 0:
                return
            if known is None:
                op.set_guard(*self.predicate(guard))
        self.emit(op)

    def start(self, block: Block) -> None:
        """Go on in a new block, which comes next in the text."""
        self.region.add_block(block)
        self.block = block

    def local_name(self) -> str:
        """A name for a further array in local memory, which the kernel alone sees."""
        number = self._labels.get("local", 0) + 1
        self._labels["local"] = number
        return f"local_{number}"

    def labelled(self, stem: str, types: Sequence[PTXType] = ()) -> Block:
        """A block that can be jumped to; it has no place in the text yet."""
        number = self._labels.get(stem, 0) + 1
        self._labels[stem] = number
        label = LabelOp(f"{stem}_{number}")
        label.location = self.source.location
        return Block([label], arg_types=types)

    def bind(self, value: SSAValue, lowered: Lowered) -> None:
        """Say what a value of the source has become."""
        self.values[value] = lowered

    def get(self, value: SSAValue) -> Lowered:
        """What a value of the source has become."""
        return self.values[value]

    def constant(self, value: SSAValue) -> int | None:
        """The immediate that a value of the source is, if it is one."""
        lowered = self.values[value]
        return lowered if isinstance(lowered, int) else None

    def type_of(self, value: SSAValue) -> PTXType:
        """The registers that a value of the source needs."""
        found = register_type_of(value.type)
        if found is None:
            self.refuse(
                f"must not use a value of type {value.type}, which no registers hold"
            )
        return found

    def register(self, value: SSAValue) -> SSAValue:
        """A value of the source in a register, or a struct or vector in a group."""
        lowered = self.values[value]
        if isinstance(lowered, SSAValue):
            return lowered
        return self.materialize(lowered, self.type_of(value))

    def source_of(self, value: SSAValue) -> Source:
        """A value of the source in a register, or as an immediate."""
        lowered = self.values[value]
        return lowered if isinstance(lowered, int) else self.register(value)

    def address(self, value: SSAValue) -> Address:
        """A pointer of the source as the address of a memory operand."""
        lowered = self.values[value]
        if isinstance(lowered, Address):
            return lowered
        return Address(self.register(value))

    def predicate(self, value: SSAValue) -> tuple[SSAValue, bool]:
        """An i1 of the source as a predicate, and whether it is negated."""
        lowered = self.values[value]
        if isinstance(lowered, Negated):
            return lowered.predicate, True
        return self.register(value), False

    def lanes(self, value: SSAValue) -> tuple[Lowered, ...]:
        """The members of a struct, or the registers of a vector."""
        lowered = self.values[value]
        if isinstance(lowered, SSAValue):
            single = not isinstance(lowered.type, GroupType)
            return (lowered,) if single else self.split(lowered)
        value_type = self.type_of(value)
        count = value_type.lanes
        match lowered:
            case Members(items) if len(items) == count:
                return items
            case Members(items):
                self.values[value] = self._join(items, value_type)
                return self.lanes(value)
            case Undefined():
                return (lowered,) * count
            case int():
                return (0,) * count
            case _:
                return (lowered,)

    def split(self, group: SSAValue) -> tuple[SSAValue, ...]:
        """The registers of a group, split once in each block that needs them."""
        key = group, self.block
        if key not in self._splits:
            self._splits[key] = tuple(self.emit(SplitOp(group)).lanes)
        return self._splits[key]

    def materialize(self, lowered: Lowered, wanted: PTXType) -> SSAValue:
        """Registers of a type that hold a value."""
        match lowered:
            case SSAValue():
                return lowered
            case int():
                if isinstance(wanted, GroupType):
                    return self.emit(FillGroupOp(lowered, wanted)).group
                return self.move(lowered, wanted)
            case Address(base, 0):
                return base
            case Address(base, offset):
                move_type = InstructionType(f"s{wanted.kind.bits}")
                return self.emit(AddOp(move_type, base, offset)).result
            case Negated(predicate):
                return self.emit(NotOp(InstructionType.Predicate, predicate)).result
            case Undefined():
                return self.emit(UndefOp(wanted)).result
            case Members(items):
                return self._join(items, wanted)

    def move(self, value: Source, wanted: PTXType) -> SSAValue:
        """A register of a type, moved from an immediate or from one of its width."""
        kind = wanted.kind
        if kind in (RegisterKind.F32, RegisterKind.F64) and not isinstance(value, int):
            kind = RegisterKind(f"b{kind.bits}")
        move_type = InstructionType(kind.value)
        return self.emit(MovOp(move_type, value, result_type=wanted)).result

    def _join(self, items: tuple[Lowered, ...], wanted: PTXType) -> SSAValue:
        """One register or a group; a lane of it may hold several 16-bit elements."""
        if all(isinstance(item, int) and item == 0 for item in items):
            return self.materialize(0, wanted)
        lane = wanted.lane if isinstance(wanted, GroupType) else wanted
        per_lane = len(items) // wanted.lanes
        lanes: list[SSAValue] = []
        for first in range(0, len(items), per_lane):
            part = items[first : first + per_lane]
            if per_lane == 1:
                lanes.append(self.materialize(part[0], lane))
            else:
                halves = self.emit(JoinOp([self.materialize(i, B16) for i in part]))
                packed = PackOp(InstructionType(lane.kind.value), halves.group)
                lanes.append(self.emit(packed).result)
        if not isinstance(wanted, GroupType):
            return lanes[0]
        return self.emit(JoinOp(lanes)).group
