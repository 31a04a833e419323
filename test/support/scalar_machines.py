"""
Two machines that run one thread of a scalar kernel: on the values of the hardware
level, and on the registers of the ptx level. Both record the values that are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    ConditionalBranchOp,
    FallthroughOp,
)
from croqtile_mlir.dialects.ptx.conversion import CvtOp
from croqtile_mlir.dialects.ptx.instruction import ComputeOp
from croqtile_mlir.dialects.ptx.memory import LoadParameterOp, StoreOp
from croqtile_mlir.dialects.ptx.operands import type_of
from croqtile_mlir.dialects.ptx.structure import EntryOp
from support.scalar_programs import calculate, compares, signed

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")


def _bits(value: SSAValue) -> int:
    return value.type.bitwidth if isa(value.type, IntegerType) else 64


@dataclass
class HardwareMachine:
    """Values of the hardware level, as bit patterns."""

    held: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    trace: list[int] = field(default_factory=list[int])

    def run(self, func: llvm.FuncOp, arguments: Sequence[int]) -> None:
        """Run a kernel."""
        block = func.body.blocks[0]
        self.held.update(zip(block.args, arguments, strict=True))
        self.block(block)

    def block(self, block: Block, values: Sequence[int] = ()) -> list[int]:
        """Run a block with values for its arguments; gives what it yields."""
        if values:
            self.held.update(zip(block.args, values, strict=True))
        for op in block.ops:
            self.step(op)
        last = block.last_op
        assert last is not None
        return [self.held[value] for value in last.operands]

    def step(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp(value=IntegerAttr() as value):
                mask = (1 << _bits(op.result)) - 1
                self.held[op.result] = value.value.data & mask
            case arith.CmpiOp():
                predicate = op.predicate.value.data
                a, b = self.held[op.lhs], self.held[op.rhs]
                if 2 <= predicate <= 5:
                    a, b = (signed(x, _bits(op.lhs)) for x in (a, b))
                self.held[op.result] = compares(_COMPARISONS[predicate], a, b)
            case arith.SelectOp():
                chosen = op.lhs if self.held[op.cond] else op.rhs
                self.held[op.result] = self.held[chosen]
            case arith.ExtSIOp():
                wide = signed(self.held[op.input], _bits(op.input))
                self.held[op.result] = wide & ((1 << _bits(op.result)) - 1)
            case arith.ExtUIOp() | arith.TruncIOp():
                mask = (1 << _bits(op.result)) - 1
                self.held[op.result] = self.held[op.input] & mask
            case arith.SignlessIntegerBinaryOperation():
                a, b = self.held[op.lhs], self.held[op.rhs]
                result = calculate(_NAMES[op.name], a, b, _bits(op.result))
                self.held[op.result] = result
            case llvm.StoreOp():
                self.trace.append(self.held[op.value])
            case _:
                self.control(op)

    def control(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                bits = _bits(op.lb)
                low, high, step = (
                    signed(self.held[x], bits) for x in (op.lb, op.ub, op.step)
                )
                values = [self.held[value] for value in op.iter_args]
                for index in range(low, high, step):
                    values = self.block(op.body.block, [index, *values])
                self.held.update(zip(op.res, values, strict=True))
            case scf.IfOp():
                taken = bool(self.held[op.cond])
                region = op.true_region if taken else op.false_region
                if region.blocks:
                    values = self.block(region.block)
                    self.held.update(zip(op.output, values, strict=True))
            case scf.WhileOp():
                values = [self.held[value] for value in op.arguments]
                while True:
                    more, *passed = self.block(op.before_region.block, values)
                    if not more:
                        break
                    values = self.block(op.after_region.block, passed)
                self.held.update(zip(op.res, passed, strict=True))
            case _:
                assert op.name in ("scf.yield", "scf.condition", "llvm.return"), op.name


_NAMES = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.divui": "divu",
    "arith.remui": "remu",
    "arith.minui": "minu",
    "arith.maxui": "maxu",
    "arith.minsi": "mins",
    "arith.maxsi": "maxs",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.shli": "shl",
    "arith.shrui": "shru",
    "arith.shrsi": "shrs",
}


@dataclass
class ScalarRegisterMachine:
    """Registers of the ptx level; a branch moves nothing."""

    registers: dict[str, int] = field(default_factory=dict[str, int])
    trace: list[int] = field(default_factory=list[int])

    def run(self, entry: EntryOp, arguments: Sequence[int], steps: int) -> bool:
        """Run a kernel; whether it ended within so many blocks."""
        names = [parameter.parameter.data for parameter in entry.parameters]
        parameters = dict(zip(names, arguments, strict=True))
        block = entry.body.blocks[0]
        for _ in range(steps):
            for op in block.ops:
                self.step(op, parameters)
            match block.last_op:
                case BranchOp() as branch:
                    block = branch.target
                case FallthroughOp() as branch:
                    block = branch.next
                case ConditionalBranchOp() as branch:
                    taken = bool(self.read(branch.predicate))
                    jumps = taken is (branch.negated is None)
                    block = branch.target if jumps else branch.next
                case _:
                    return True
        return False

    def read(self, value: SSAValue) -> int:
        (name,) = type_of(value).names
        return self.registers[name]

    def write(self, value: SSAValue, data: int) -> None:
        value_type = type_of(value)
        (name,) = value_type.names
        self.registers[name] = data & ((1 << value_type.kind.bits) - 1)

    def step(self, op: Operation, parameters: dict[str, int]) -> None:
        match op:
            case LoadParameterOp():
                self.write(op.result, parameters[op.parameter.data])
            case StoreOp():
                guard = op.guard
                if guard is not None:
                    if bool(self.read(guard)) is (op.negated is not None):
                        return
                immediate = op.immediate.data if op.immediate else 0
                value = immediate if op.value is None else self.read(op.value)
                self.trace.append(value & ((1 << op.type.data.bits) - 1))
            case ComputeOp():
                self.compute(op)
            case _:
                pass

    def compute(self, op: ComputeOp) -> None:
        type = op.type.data
        bits = type.bits
        types = op.source_types()
        values = [
            (source if isinstance(source, int) else self.read(source))
            & ((1 << source_type.bits) - 1)
            for source, source_type in zip(op.inputs, types, strict=True)
        ]
        is_signed = type.value.startswith("s")
        match op:
            case ptx.MovOp():
                result = values[0]
            case ptx.NotOp():
                result = ~values[0]
            case ptx.SelpOp():
                result = values[0] if values[2] else values[1]
            case ptx.SetpOp():
                a, b = (signed(x, bits) if is_signed else x for x in values)
                result = compares(op.qualifier, a, b)
            case CvtOp():
                source = op.source_type.data
                result = values[0]
                if source.value.startswith("s"):
                    result = signed(result, source.bits)
                result &= (1 << bits) - 1
            case _:
                name = op.mnemonic
                if op.qualifier == "hi":
                    name = "mulhiu"
                if name in ("div", "rem", "min", "max", "shr"):
                    name += "s" if is_signed else "u"
                result = calculate(name, values[0], values[1], bits)
        self.write(op.result, result)
