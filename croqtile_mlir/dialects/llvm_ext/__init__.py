"""The `llvm` dialect: xDSL's, with what is missing or that upstream doesn't accept.

Import the classes from here: `LLVM` holds these, and xDSL's own for the rest. All
but loads, stores, calls and inline assembly are pure, so that dead ones disappear,
equal ones are merged, and loops are relieved of them.
"""

from xdsl.dialects import llvm
from xdsl.dialects.llvm import (
    BrOp,
    CallIntrinsicOp,
    CondBrOp,
    ConstantOp,
    InlineAsmOp,
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
    ReturnOp,
    SelectOp,
)
from xdsl.ir import Dialect

from croqtile_mlir.dialects.llvm_ext import (
    atomics,
    control,
    functions,
    local_memory,
    memory,
    values,
)
from croqtile_mlir.dialects.llvm_ext.atomics import (
    AtomicCmpXchgOp,
    AtomicRMWOp,
    BinOp,
    FenceOp,
    Ordering,
)
from croqtile_mlir.dialects.llvm_ext.control import TrapOp
from croqtile_mlir.dialects.llvm_ext.functions import KERNEL, FuncOp
from croqtile_mlir.dialects.llvm_ext.local_memory import LOCAL, AllocaOp
from croqtile_mlir.dialects.llvm_ext.memory import (
    AddressOfOp,
    GEPOp,
    GlobalOp,
    LoadOp,
    StoreOp,
    is_ordered,
)
from croqtile_mlir.dialects.llvm_ext.types import (
    GEP_DYNAMIC,
    ConstantRangeAttr,
    bit_width,
    member_type,
    pointer,
)
from croqtile_mlir.dialects.llvm_ext.values import (
    AddrSpaceCastOp,
    BitcastOp,
    ExtractElementOp,
    ExtractValueOp,
    InsertElementOp,
    InsertValueOp,
    IntToPtrOp,
    PoisonOp,
    PtrToIntOp,
    UndefOp,
    ZeroOp,
)

_OWN = (
    *atomics.OPS,
    *control.OPS,
    *functions.OPS,
    *local_memory.OPS,
    *memory.OPS,
    *values.OPS,
)
_OWN_NAMES = {op.name for op in _OWN}

LLVM = Dialect(
    "llvm",
    [*_OWN, *(op for op in llvm.LLVM.operations if op.name not in _OWN_NAMES)],
    [ConstantRangeAttr, *llvm.LLVM.attributes],
)

__all__ = [
    "GEP_DYNAMIC",
    "KERNEL",
    "LLVM",
    "LOCAL",
    "AddrSpaceCastOp",
    "AddressOfOp",
    "AllocaOp",
    "AtomicCmpXchgOp",
    "AtomicRMWOp",
    "BinOp",
    "BitcastOp",
    "BrOp",
    "CallIntrinsicOp",
    "CondBrOp",
    "ConstantOp",
    "ConstantRangeAttr",
    "ExtractElementOp",
    "ExtractValueOp",
    "FenceOp",
    "FuncOp",
    "GEPOp",
    "GlobalOp",
    "InlineAsmOp",
    "InsertElementOp",
    "InsertValueOp",
    "IntToPtrOp",
    "LLVMArrayType",
    "LLVMFunctionType",
    "LLVMPointerType",
    "LLVMStructType",
    "LLVMVoidType",
    "LinkageAttr",
    "LoadOp",
    "Ordering",
    "PoisonOp",
    "PtrToIntOp",
    "ReturnOp",
    "SelectOp",
    "StoreOp",
    "TrapOp",
    "UndefOp",
    "ZeroOp",
    "bit_width",
    "is_ordered",
    "member_type",
    "pointer",
]
