"""
Random kernels at the ptx level, and machines that run them: one on values, one on the
registers that are assigned to them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects.ptx.arithmetic import AddOp, MovOp, SetpOp
from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    ConditionalBranchOp,
    FallthroughOp,
    LabelOp,
    ReturnOp,
)
from croqtile_mlir.dialects.ptx.matrix import StmatrixOp, WgmmaMmaAsyncOp
from croqtile_mlir.dialects.ptx.memory import StateSpace, StoreOp
from croqtile_mlir.dialects.ptx.operands import Address, type_of
from croqtile_mlir.dialects.ptx.registers import (
    FillGroupOp,
    JoinOp,
    MoveGroupOp,
    SplitOp,
)
from croqtile_mlir.dialects.ptx.structure import EntryOp, ModuleOp
from croqtile_mlir.dialects.ptx.types import (
    B32,
    PREDICATE,
    GroupType,
    InstructionType,
    PTXType,
    RegisterKind,
)

GROUP = GroupType(RegisterKind.B32, 4)
MMA = "m64n8k32.s32.s8.s8"
MASK = 0xFFFFFFFF
Value = tuple[int, ...]
"""What the registers of a value hold."""


class Generator:
    """Makes a kernel of random blocks, branches and instructions."""

    def __init__(self, seed: int, blocks: int, ops: int, accumulate: bool):
        self.random = random.Random(seed)
        self.accumulate = accumulate
        self.blocks = [Block() for _ in range(blocks)]
        self.region = Region(self.blocks)
        for number, block in enumerate(self.blocks[1:], 1):
            block.add_op(LabelOp(f"block_{number}"))
            for _ in range(self.random.randrange(4)):
                kind = self.random.choice([B32, B32, GROUP, PREDICATE])
                block.insert_arg(kind, len(block.args))
        self.successors: list[list[int]] = []
        for index in range(blocks):
            self.successors.append(self._pick_successors(index))
        self.dominators = self._find_dominators()
        self.defined: list[list[SSAValue]] = [[] for _ in self.blocks]
        self.descriptor: SSAValue | None = None
        self.address: SSAValue | None = None
        for index, block in enumerate(self.blocks):
            self._fill(index, block, ops)

    def _pick_successors(self, index: int) -> list[int]:
        last = len(self.blocks) - 1
        if index == last:
            return []
        target = self.random.randrange(1, last + 1)
        ways = [[index + 1], [target, index + 1]]
        # Every block must be reached.
        if any(index + 1 in earlier for earlier in self.successors):
            ways.append([target])
        return self.random.choice(ways)

    def _find_dominators(self) -> list[set[int]]:
        count = len(self.blocks)
        dominators = [{0}] + [set(range(count)) for _ in range(1, count)]
        changed = True
        while changed:
            changed = False
            for block in range(1, count):
                into = [i for i in range(count) if block in self.successors[i]]
                found = set(range(count)).intersection(*(dominators[i] for i in into))
                found |= {block}
                if found != dominators[block]:
                    dominators[block], changed = found, True
        return dominators

    def _visible(self, index: int, kind: PTXType) -> list[SSAValue]:
        return [
            value
            for block in sorted(self.dominators[index])
            for value in self.defined[block]
            if value.type == kind
        ]

    def _value(self, index: int, kind: PTXType) -> SSAValue:
        found = self._visible(index, kind)
        if found:
            # The latest are the likeliest to be overwritten while others are live.
            return found[-self.random.randrange(1, min(len(found), 6) + 1)]
        op: Operation = FillGroupOp(self.random.randrange(100), GROUP)
        if kind == B32:
            op = MovOp(InstructionType.B32, self.random.randrange(100))
        elif kind == PREDICATE:
            source = self._value(index, B32)
            op = SetpOp(InstructionType.U32, source, 50, qualifiers="lt")
        return self._add(index, op)[0]

    def _add(self, index: int, op: Operation) -> Sequence[SSAValue]:
        self.blocks[index].add_op(op)
        self.defined[index] += op.results
        return op.results

    def _fill(self, index: int, block: Block, ops: int) -> None:
        self.defined[index] += block.args
        if index == 0:
            self.address = self._add(0, MovOp(InstructionType.B32, 0))[0]
            self.descriptor = self._add(0, MovOp(InstructionType.B64, 7))[0]
        for _ in range(self.random.randrange(ops)):
            self._instruction(index)
        self._store(index)
        self._branch(index, block)

    def _store(self, index: int) -> None:
        assert self.address is not None
        place = Address(self.address, index)
        if self.random.random() < 0.5:
            self._add(index, StmatrixOp(place, self._value(index, GROUP)))
        else:
            value = self._value(index, B32)
            store = StoreOp(StateSpace.Shared, InstructionType.B32, place, value)
            self._add(index, store)

    def _instruction(self, index: int) -> None:
        match self.random.randrange(7 if self.accumulate else 6):
            case 0:
                self._add(index, MovOp(InstructionType.B32, self.random.randrange(100)))
            case 1 | 2:
                a, b = self._value(index, B32), self._value(index, B32)
                self._add(index, AddOp(InstructionType.S32, a, b))
            case 3:
                self._add(index, SplitOp(self._value(index, GROUP)))
            case 4:
                lanes = [self._value(index, B32) for _ in range(4)]
                self._add(index, JoinOp(lanes))
            case 5:
                self._store(index)
            case _:
                assert self.descriptor is not None
                accumulator = self._value(index, GROUP)
                a = self.random.choice([self.descriptor, self._value(index, GROUP)])
                mma = WgmmaMmaAsyncOp(MMA, accumulator, a, self.descriptor)
                self._add(index, mma)

    def _branch(self, index: int, block: Block) -> None:
        def passed(target: int) -> list[SSAValue]:
            arguments = self.blocks[target].args
            return [self._value(index, type_of(argument)) for argument in arguments]

        match self.successors[index]:
            case []:
                block.add_op(ReturnOp())
            case [target] if target == index + 1 and self.random.random() < 0.5:
                block.add_op(FallthroughOp(self.blocks[target], passed(target)))
            case [target]:
                block.add_op(BranchOp(self.blocks[target], passed(target)))
            case [target, other]:
                predicate = self._value(index, PREDICATE)
                to_target, to_other = passed(target), passed(other)
                block.add_op(
                    ConditionalBranchOp(
                        predicate,
                        self.blocks[target],
                        to_target,
                        self.blocks[other],
                        to_other,
                        negated=self.random.random() < 0.5,
                    )
                )
            case _:
                raise AssertionError

    def module(self) -> BuiltinModuleOp:
        """The kernel in a module."""
        entry = EntryOp("k", [], self.region)
        return BuiltinModuleOp([ModuleOp("8.0", "sm_90a", [entry])])


@dataclass
class Machine(ABC):
    """Runs a kernel; how values are held is up to the subclass."""

    trace: list[tuple[int, Value]] = field(default_factory=list[tuple[int, Value]])

    @abstractmethod
    def read(self, value: SSAValue) -> Value:
        """What a value holds."""

    @abstractmethod
    def write(self, value: SSAValue, data: Value) -> None:
        """What defines a value does."""

    @abstractmethod
    def enter(self, block: Block, values: Sequence[SSAValue]) -> None:
        """What a branch to a block with values does."""

    def run(self, entry: EntryOp, steps: int, events: int) -> bool:
        """Run so many steps or up to so many stores; whether the kernel ended."""
        block = entry.body.blocks[0]
        while steps > 0 and len(self.trace) < events:
            for op in block.ops:
                steps -= 1
                self.execute(op)
            match block.last_op:
                case BranchOp() as branch:
                    target, values = branch.target, branch.arguments
                case FallthroughOp() as branch:
                    target, values = branch.next, branch.arguments
                case ConditionalBranchOp() as branch:
                    taken = bool(self.read(branch.predicate)[0])
                    if taken is (branch.negated is None):
                        target, values = branch.target, branch.target_arguments
                    else:
                        target, values = branch.next, branch.next_arguments
                case _:
                    return True
            self.enter(target, values)
            block = target
        return False

    def execute(self, op: Operation) -> None:
        match op:
            case MovOp():
                source = op.inputs[0]
                data = (source,) if isinstance(source, int) else self.read(source)
                self.write(op.result, data)
            case AddOp():
                a, b = (self.read(value)[0] for value in op.sources)
                self.write(op.result, ((a + b) & MASK,))
            case SetpOp():
                self.write(op.result, (int(self.read(op.sources[0])[0] % 97 < 50),))
            case FillGroupOp():
                self.write(op.group, (op.value.data,) * type_of(op.group).lanes)
            case MoveGroupOp():
                self.write(op.group, self.read(op.source))
            case SplitOp():
                for lane, data in zip(op.lanes, self.read(op.group), strict=True):
                    self.alias(lane, (data,))
            case JoinOp():
                data = tuple(self.read(lane)[0] for lane in op.lanes)
                self.alias(op.group, data)
            case WgmmaMmaAsyncOp():
                added = sum(self.read(op.a))
                accumulator = self.read(op.accumulator)
                result = tuple((x * 3 + added + i) for i, x in enumerate(accumulator))
                self.write(op.result, tuple(x & MASK for x in result))
            case StoreOp():
                assert op.value is not None
                self._record(op.offset.data if op.offset else 0, op.value)
            case StmatrixOp():
                self._record(op.offset.data if op.offset else 0, op.value)
            case _:
                pass

    def _record(self, where: int, value: SSAValue) -> None:
        self.trace.append((where, self.read(value)))

    @abstractmethod
    def alias(self, value: SSAValue, data: Value) -> None:
        """What `split` and `join` do."""


@dataclass
class ValueMachine(Machine):
    """Values are values."""

    held: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])

    def read(self, value: SSAValue) -> Value:
        return self.held[value]

    def write(self, value: SSAValue, data: Value) -> None:
        self.held[value] = data

    def alias(self, value: SSAValue, data: Value) -> None:
        self.write(value, data)

    def enter(self, block: Block, values: Sequence[SSAValue]) -> None:
        data = [self.read(value) for value in values]
        self.held.update(zip(block.args, data, strict=True))


@dataclass
class RegisterMachine(Machine):
    """Only registers hold anything; branches, splits and joins do nothing."""

    registers: dict[str, int] = field(default_factory=dict[str, int])

    def read(self, value: SSAValue) -> Value:
        return tuple(self.registers[name] for name in type_of(value).names)

    def write(self, value: SSAValue, data: Value) -> None:
        for name, each in zip(type_of(value).names, data, strict=True):
            self.registers[name] = each

    def alias(self, value: SSAValue, data: Value) -> None:
        return

    def enter(self, block: Block, values: Sequence[SSAValue]) -> None:
        return
