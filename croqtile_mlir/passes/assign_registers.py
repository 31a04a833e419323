"""Give every value of a kernel at the ptx level its registers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, OpResult, SSAValue, SSAValues
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from croqtile_mlir.analysis.ptx_liveness import Liveness
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.ptx.operands import type_of
from croqtile_mlir.dialects.ptx.structure import EntryOp, ModuleOp
from croqtile_mlir.lowering.parallel_moves import Names
from croqtile_mlir.lowering.register_moves import MoveInserter, RegisterNames
from croqtile_mlir.lowering.register_webs import Webs


@dataclass(frozen=True)
class AssignRegistersPass(ModulePass):
    """
    Name the registers of every value, and make the moves explicit that remain.

    An accumulator shares its registers with the result that overwrites it, a block's
    argument with the values passed to it, a lane of a group with the register split
    from it or joined to it, as far as no value is lost. Every other value has registers
    of its own: ptxas allocates the hardware's.

    A move of an accumulator in a loop is refused: it would serialise every wgmma.
    """

    name = "assign-registers"

    def apply(self, ctx: Context, op: BuiltinModuleOp) -> None:
        for module in op.ops:
            if isinstance(module, ModuleOp):
                for entry in module.body.block.ops:
                    if isinstance(entry, EntryOp):
                        assign_registers(entry)


def assign_registers(entry: EntryOp) -> None:
    """
    Assign registers in one kernel.

    Raises:
        CompileError: a value has registers already, or an accumulator would be moved in
            a loop.
    """
    _check_unassigned(entry)
    liveness = Liveness(entry)
    registers = RegisterNames(Webs(liveness))
    inserter = MoveInserter(registers, liveness)
    inserter.insert_all()
    _retype(entry, {**registers.names, **inserter.lanes})


def _check_unassigned(entry: EntryOp) -> None:
    for block in entry.body.blocks:
        for op in block.ops:
            for value in (*block.args, *op.results):
                if type_of(value).names:
                    fail(op, f"must not have registers assigned yet, got {value.type}")


def _retype(entry: EntryOp, names: dict[SSAValue, Names]) -> None:
    """Put the names into the types, in two walks over the kernel."""
    types: dict[tuple[Attribute, Names], Attribute] = {}

    def assigned(value: SSAValue) -> Attribute:
        key = value.type, names[value]
        if key not in types:
            types[key] = type_of(value).assign(names[value])
        return types[key]

    new: dict[SSAValue, SSAValue] = {}
    for block in entry.body.blocks:
        for argument in block.args:
            Rewriter.replace_value_with_new_type(argument, assigned(argument))
        for op in block.ops:
            if not op.results or type_of(op.results[0]).names:
                continue
            results = [
                OpResult(assigned(result), op, index)
                for index, result in enumerate(op.results)
            ]
            for old, result in zip(op.results, results, strict=True):
                result.name_hint = old.name_hint
                new[old] = result
            op.results = SSAValues(results)
    for block in entry.body.blocks:
        for op in block.ops:
            if op.operands:
                op.operands = [new.get(operand, operand) for operand in op.operands]
