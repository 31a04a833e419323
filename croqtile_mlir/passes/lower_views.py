"""
`--lower-views`: addresses, descriptors and element accesses become pointer arithmetic.

    %as = croq.slot %a_s at %k                  %p = croq.address %a_s[0, 0, 0]
    %d = croq.descriptor %as[64, 16] major(k)   %s = arith.remui %k, 4
                                           ->   ..
                                                %d = arith.addi %base, 514 : i64

No view is left after it; see `docs/levels.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir import layouts
from croqtile_mlir.analysis.launch_checks import keep_chunk_checks
from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    AtomicOp,
    DescriptorOp,
    FenceOp,
    KernelOp,
    LoadOp,
    PointerOp,
    Space,
    StoreOp,
    StrideOp,
    ViewOp,
    tile_type,
)
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.lowering.address_users import check_users
from croqtile_mlir.lowering.addresses import (
    Element,
    descriptor_offset,
    global_offset,
    private_offset,
    resolve,
    shared_offset,
)
from croqtile_mlir.lowering.element_accesses import lower_access, lower_fence
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.private_arrays import drop_private_tiles, private_array
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_ADDRESS_BITS = (1 << 18) - 1
"""The part of a shared address that a descriptor holds, in units of 16 bytes."""

_LOW_WORD = (1 << 32) - 1

_GEP_LIMIT = 1 << 31
"""Constant indices of `llvm.getelementptr` have 32 bits."""


@dataclass(frozen=True)
class LowerViewsPass(ModulePass):
    """Turn views, descriptors and element accesses into pointer arithmetic."""

    name = "lower-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.block.ops:
            if isinstance(kernel, KernelOp):
                keep_chunk_checks(kernel)
                _Lowering().run(kernel)


@dataclass
class _Lowering:
    """The state of the lowering of one kernel."""

    memo: MemoBuilder = field(default_factory=MemoBuilder)
    bases: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    low_words: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    strides: dict[SSAValue, Sequence[SSAValue]] = field(
        default_factory=dict[SSAValue, Sequence[SSAValue]]
    )

    def run(self, kernel: KernelOp) -> None:
        """Lower all uses of tiles, then drop the views."""
        views: list[ViewOp] = []
        for op in list(kernel.walk()):
            match op:
                case AddressOp():
                    self.memo.move_before(op)
                    replace_values(op, [self._pointer(op)])
                case DescriptorOp():
                    self.memo.move_before(op)
                    replace_values(op, [self._descriptor(op)])
                case LoadOp() | StoreOp() | AtomicOp():
                    self.memo.move_before(op)
                    lower_access(op, self._pointer(op), self.memo)
                case FenceOp():
                    lower_fence(op)
                case ViewOp():
                    views.append(op)
                case _:
                    pass
        for view in reversed(views):
            for use in view.results[0].uses:
                fail(
                    use.operation,
                    "must be lowered before the views it uses",
                    hint="run --lower-dma and --lower-mma first",
                    notes=[(view, "the view is here")],
                )
            view.detach()
            view.erase()
        drop_private_tiles(kernel)

    def _pointer(self, op: AddressOp | LoadOp | StoreOp | AtomicOp) -> SSAValue:
        element = self._element(op)
        base = self._base(op, element.root)
        if element.root_type.memory_space is Space.Register:
            offset = private_offset(element, self.memo)
        elif element.root_type.memory_space is Space.Shared:
            offset = shared_offset(element, self.memo)
            if isinstance(op, AddressOp):
                check_users(op, element, offset)
        else:
            strides = self._strides(op, element.root)
            offset = global_offset(element, strides, self.memo)
        if isinstance(offset.dynamic, SSAValue):
            base = self._advance(base, offset.dynamic)
        if not -_GEP_LIMIT < offset.constant < _GEP_LIMIT:
            return self._advance(base, self.memo.constant(offset.constant, i64))
        return self._advance(base, offset.constant) if offset.constant else base

    def _advance(self, base: SSAValue, by: SSAValue | int) -> SSAValue:
        return self.memo.once(
            ("getelementptr", base, by),
            lambda b: b.insert(llvm.GEPOp(base, [by], i8)).result,
        )

    def _descriptor(self, op: DescriptorOp) -> SSAValue:
        element, memo = self._element(op), self.memo
        tile, major = element.root_type, op.major.data
        reason = wgmma.check_wgmma_operand(tile, major, element.matrix_origin)
        if reason is not None:
            fail(op, reason, notes=[(element.root, "the buffer is allocated here")])
        constant = wgmma.operand_descriptor(tile, major).constant
        low = self._low_word(op, element.root, constant & _LOW_WORD)
        units, offset = descriptor_offset(element, memo)
        # The sums cannot carry out of the field: every part is inside shared memory.
        low = memo.materialize(memo.add(low, units), i32)
        whole = memo.or_(memo.cast(low, i64), constant & ~_LOW_WORD)
        return memo.materialize(memo.add(whole, offset))

    def _low_word(self, op: Operation, root: SSAValue, constant: int) -> SSAValue:
        """The low word of the descriptors of a buffer, made beside its pointer."""
        if (known := self.low_words.get((root, constant))) is not None:
            return known
        base = self._base(op, root)
        build = LocatedBuilder.before(op)
        if isinstance(base.owner, Operation):
            build = LocatedBuilder.after(base.owner)
        address = build.insert(llvm.PtrToIntOp(base, i32)).result
        field = build.shr(build.and_(address, _ADDRESS_BITS), 4)
        low = build.or_(field, constant)
        self.low_words[(root, constant)] = low
        return low

    def _element(
        self, op: AddressOp | DescriptorOp | LoadOp | StoreOp | AtomicOp
    ) -> Element:
        element = resolve(op, op.tile, op.index_values, self.memo)
        tile = element.root_type
        if tile.memory_space is Space.Shared:
            if tile.layout is None:
                fail(
                    op,
                    f"must use a buffer with a layout, got {tile}",
                    hint="run --infer-layouts first",
                    notes=[(element.root, "the buffer is allocated here")],
                )
            if (reason := layouts.check_layout(tile)) is not None:
                fail(
                    op,
                    f"must use a buffer whose extents fit its layout: {reason}",
                    notes=[(element.root, "the buffer is allocated here")],
                )
        return element

    def _base(self, op: Operation, root: SSAValue) -> SSAValue:
        """The pointer to a whole buffer, made where it dominates all uses."""
        if (base := self.bases.get(root)) is not None:
            return base
        owner = root.owner
        shared = tile_type(root).memory_space is Space.Shared
        if shared and isinstance(owner, Operation):
            base = LocatedBuilder.after(owner).insert(AddressOp(root)).pointer
        elif tile_type(root).memory_space is Space.Register:
            base = private_array(_head(op), root)
        else:
            base = _head(op).insert(PointerOp(root)).result
        self.bases[root] = base
        return base

    def _strides(self, op: Operation, root: SSAValue) -> Sequence[SSAValue]:
        if (strides := self.strides.get(root)) is None:
            head = _head(op)
            outer = range(tile_type(root).rank - 1)
            strides = [head.insert(StrideOp(root, dim)).result for dim in outer]
            self.strides[root] = strides
        return strides


def _head(op: Operation) -> LocatedBuilder:
    return LocatedBuilder.at_start(block_of(op).body.block, op.location)
