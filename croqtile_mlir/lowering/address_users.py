"""What the instructions that use a shared address need of its alignment."""

from __future__ import annotations

from math import gcd

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue, Use
from xdsl.utils.hints import isa

from croqtile_mlir import layouts
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import AddressOp
from croqtile_mlir.layouts import boxes
from croqtile_mlir.lowering.addresses import Element, Offset


def check_users(op: AddressOp, element: Element, offset: Offset) -> None:
    """Refuse an address that is not aligned as the instructions that use it need."""
    pointers: list[SSAValue] = [op.pointer]
    for pointer in pointers:
        for use in pointer.uses:
            if isinstance(use.operation, llvm.AddrSpaceCastOp):
                pointers.append(use.operation.result)
            reason = _misaligned(use, element, offset)
            if reason is not None:
                notes = [(element.root, "the buffer is allocated here")]
                fail(op, reason, notes=notes)


def _misaligned(use: Use, element: Element, offset: Offset) -> str | None:
    user = use.operation
    pointer = user.operands[use.index]
    match user:
        case (
            nvvm.CpAsyncBulkTensorLoadOp(dst=place)
            | nvvm.CpAsyncBulkTensorStoreOp(src=place)
        ) if pointer is place:
            return boxes.check_tma_origin(element.root_type, element.matrix_origin)
        case nvvm.StMatrixOp() | nvvm.LdMatrixOp():
            known = gcd(offset.multiple, offset.constant)
            if known % layouts.CHUNK_BYTES:
                return (
                    f"rows must start at a multiple of {layouts.CHUNK_BYTES} bytes of "
                    f"their buffer, got a multiple of {known}"
                )
        case llvm.LoadOp() | llvm.StoreOp():
            width = _vector_bytes(user)
            if offset.multiple % width == 0 and offset.constant % width:
                return (
                    f"a vector must start at a multiple of {width} bytes of its "
                    f"buffer, got {offset.constant}"
                )
        case _:
            pass
    return None


def _vector_bytes(op: llvm.LoadOp | llvm.StoreOp) -> int:
    accessed = op.result.type if isinstance(op, llvm.LoadOp) else op.value.type
    bits = llvm.bit_width(accessed) if isa(accessed, VectorType) else None
    return 1 if bits is None else bits // 8
