"""From the hardware level to one PTX module: instructions, registers, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i8
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, Block, Region
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.gpu_ext import ModuleOp as GPUModuleOp
from croqtile_mlir.dialects.llvm_ext import (
    KERNEL,
    FuncOp,
    GlobalOp,
    LLVMArrayType,
)
from croqtile_mlir.dialects.ptx.instruction import Version
from croqtile_mlir.dialects.ptx.memory import (
    CvtaOp,
    LoadParameterOp,
    MoveParameterOp,
    StateSpace,
)
from croqtile_mlir.dialects.ptx.structure import (
    EntryOp,
    ExternSharedOp,
    ModuleOp,
    ParameterAttr,
)
from croqtile_mlir.dialects.ptx.types import InstructionType, RegisterKind
from croqtile_mlir.lowering.ptx_conversion import (
    aggregates,
    atomics,
    control,
    copies,
    floats,
    integers,
    maths,
    matrices,
    pointers,
    synchronization,
)
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable
from croqtile_mlir.lowering.ptx_conversion.launch_bounds import (
    cluster_of,
    extents_of,
    number_of,
)
from croqtile_mlir.lowering.ptx_conversion.pointers import size_of
from croqtile_mlir.targets.architecture import Architecture

RULES: RuleTable = MappingProxyType(
    {
        **integers.RULES,
        **floats.RULES,
        **maths.RULES,
        **atomics.RULES,
        **pointers.RULES,
        **aggregates.RULES,
        **control.RULES,
        **synchronization.RULES,
        **copies.RULES,
        **matrices.RULES,
    }
)
"""The rule for each op of the hardware level."""

_DEFAULT_SHARED_ALIGN = 16


@dataclass(frozen=True)
class ConvertToPtxPass(ModulePass):
    """
    Turn the kernels of all `gpu.module`s into one `ptx.module`.

    Values get virtual registers of PTX's types, `scf` and `cf` become blocks and
    branches, constants and constant offsets of addresses move into the instructions.
    The module has the lowest PTX ISA version that its instructions need.
    """

    name = "convert-to-ptx"

    def apply(self, ctx: Context, op: BuiltinModuleOp) -> None:
        target = target_of(op)
        version = _parse_version(target.ptx_version)
        shared: dict[str, ExternSharedOp] = {}
        entries: dict[str, EntryOp] = {}
        modules = [each for each in op.ops if isinstance(each, GPUModuleOp)]
        for module in modules:
            for inner in module.body.block.ops:
                if isinstance(inner, GlobalOp):
                    _add_shared(shared, inner)
                elif isinstance(inner, FuncOp):
                    if inner.sym_name.data in entries:
                        fail(inner, "must have a name of its own among all kernels")
                    converter = _KernelConverter(inner, target)
                    entries[inner.sym_name.data] = converter.convert()
                    version = max(version, converter.version)
                else:
                    fail(inner, "is not supported by convert-to-ptx")
        major, minor = version
        result = ModuleOp(
            f"{major}.{minor}", target.name, [*shared.values(), *entries.values()]
        )
        for module in modules:
            result.location = module.location
            module.detach()
            module.erase()
        op.body.block.add_op(result)


def _parse_version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


def _add_shared(shared: dict[str, ExternSharedOp], op: GlobalOp) -> None:
    """Dynamic shared memory; modules that name it alike mean the same."""
    external = op.linkage.linkage.data == "external" and op.value is None
    if op.addr_space.value.data != 3 or not external or op.initializer.blocks:
        fail(
            op,
            "is not supported by convert-to-ptx unless it is an external array in "
            "address space 3",
        )
    name = op.sym_name.data
    align = _DEFAULT_SHARED_ALIGN
    if op.alignment is not None:
        align = op.alignment.value.data
    if name in shared:
        align = max(align, shared[name].align.value.data)
    declaration = ExternSharedOp(name, align)
    declaration.location = op.location
    shared[name] = declaration


class _KernelConverter:
    """Converts one function."""

    def __init__(self, func: FuncOp, target: Architecture):
        self.func = func
        self.emitter = Emitter(target, RULES, Region(), func)

    @property
    def version(self) -> Version:
        """The PTX ISA version that the instructions need."""
        return self.emitter.version

    def convert(self) -> EntryOp:
        """The kernel; the function is left as it was."""
        func, e = self.func, self.emitter
        if not func.is_kernel:
            fail(
                func,
                f"must be a kernel for convert-to-ptx, got one without {KERNEL}",
            )
        blocks = list(func.body.blocks)
        e.start(Block())
        parameters = [self._parameter(index) for index in range(len(blocks[0].args))]
        self._declare_blocks(blocks)
        for block in blocks:
            if block is not blocks[0]:
                e.start(e.blocks[block])
            e.convert_block(block)
        entry = EntryOp(
            func.sym_name.data,
            parameters,
            e.region,
            maxntid=extents_of(func, "nvvm.maxntid"),
            reqntid=extents_of(func, "nvvm.reqntid"),
            minnctapersm=number_of(func, "nvvm.minctasm"),
            maxnreg=number_of(func, "nvvm.maxnreg"),
            cluster=cluster_of(func, e.target),
            maxclusterrank=number_of(func, "nvvm.cluster_max_blocks"),
        )
        entry.attributes.update(self._kept_attributes())
        entry.location = func.location
        return entry

    def _declare_blocks(self, blocks: list[Block]) -> None:
        e = self.emitter
        for block in blocks[1:]:
            types = [e.type_of(argument) for argument in block.args]
            e.blocks[block] = e.labelled("block", types)
            for argument, value in zip(block.args, e.blocks[block].args, strict=True):
                e.bind(argument, value)

    def _parameter(self, index: int) -> ParameterAttr:
        """Declare a parameter, and load it or take its address."""
        argument = self.func.body.blocks[0].args[index]
        name = f"{self.func.sym_name.data}_param_{index}"
        e = self.emitter
        attributes = self.func.argument_attributes(index)
        by_value = attributes.get("llvm.byval")
        if by_value is not None:
            address = e.emit(MoveParameterOp(name)).result
            generic = e.emit(CvtaOp(StateSpace.Param, address)).result
            e.bind(argument, generic)
            return self._array_parameter(name, by_value, attributes)
        type = e.type_of(argument)
        if type.lanes != 1 or type.kind is RegisterKind.Predicate:
            fail(self.func, f"must not have a parameter of type {argument.type}")
        parameter_type = InstructionType(type.kind.value.replace("b", "u"))
        if argument.type == i8:
            parameter_type = InstructionType.U8
        e.bind(argument, e.emit(LoadParameterOp(parameter_type, name)).result)
        return ParameterAttr(name, parameter_type)

    def _array_parameter(
        self, name: str, by_value: Attribute, attributes: Mapping[str, Attribute]
    ) -> ParameterAttr:
        size = size_of(by_value) if isinstance(by_value, LLVMArrayType) else None
        if size is None:
            fail(self.func, f"must not have a parameter of type {by_value} by value")
        align = attributes.get("llvm.align")
        bytes = align.value.data if isa(align, IntegerAttr) else 1
        return ParameterAttr(name, InstructionType.B8, size, bytes)

    def _kept_attributes(self) -> dict[str, Attribute]:
        return {
            name: attribute
            for name, attribute in self.func.attributes.items()
            if not name.startswith("nvvm.")
        }
