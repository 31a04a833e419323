"""
How accumulators are cut up.

Each warpgroup of the scope owns rows / warpgroups rows of an accumulator, in blocks of
64 rows; a block is one struct of the registers of a thread.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import copysign

from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type, FloatAttr, IndexType, f32, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import (
    WARPGROUP_THREADS,
    Scope,
    block_of,
    block_threads,
    scope_of,
)
from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AccType,
    MmaFillOp,
    ThreadIdOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.lowering.register_budgets import Budget, Need
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

OTHER_REGISTERS = 26
"""What one wgmma needs besides its accumulator for ptxas to accept it."""


@dataclass(frozen=True)
class Fragments:
    """How an accumulator is spread: over warpgroups, and over structs in a thread."""

    warpgroups: int
    blocks: int
    """Blocks of 64 rows of one warpgroup; one struct each."""

    cols: int
    packed: bool
    """Whether a register is an i32 that holds two f16."""

    @property
    def rows(self) -> int:
        """Rows of one warpgroup."""
        return self.blocks * wgmma.WGMMA_ROWS

    @property
    def element(self) -> nvvm.WgmmaType:
        """The element type of the accumulator."""
        return nvvm.WgmmaType.F16 if self.packed else nvvm.WgmmaType.F32

    @property
    def struct(self) -> LLVMStructType:
        """The type of a block."""
        return nvvm.accumulator_type(self.cols, self.element)


def check_scope(op: Operation) -> Scope:
    """The whole warpgroups that execute an op together; a located error otherwise."""
    scope = scope_of(op)
    if (cause := divergence(op)) is not None:
        fail(
            op,
            "must be executed by all warpgroups of its role or block together",
            notes=[(cause, "this keeps threads apart")],
        )
    if scope.first_thread % WARPGROUP_THREADS or scope.num_threads % WARPGROUP_THREADS:
        last = scope.first_thread + scope.num_threads
        fail(
            op,
            f"must be executed by whole warpgroups of {WARPGROUP_THREADS} threads, got "
            f"threads [{scope.first_thread}, {last})",
            hint="attributes {warp_products} of the kernel lets warps multiply",
            notes=[(scope.root, "the threads are those of this op")],
        )
    return scope


def fragments_of(
    op: Operation, acc: AccType, target: Architecture, ctx: Context
) -> Fragments:
    """How an accumulator that `op` makes is spread; refuses what wgmma cannot do."""
    scope = check_scope(op)
    warpgroups = scope.num_threads // WARPGROUP_THREADS
    rows, cols = acc.shape
    if rows % (wgmma.WGMMA_ROWS * warpgroups):
        fail(
            op,
            f"must have a multiple of {wgmma.WGMMA_ROWS * warpgroups} rows "
            f"({wgmma.WGMMA_ROWS} for each of {_warpgroups(warpgroups)}), got {rows}",
        )
    if cols % 8 or not 8 <= cols <= 256:
        fail(op, f"must have a multiple of 8 columns from 8 to 256, got {cols}")
    packed = isinstance(acc.element_type, Float16Type)
    found = Fragments(warpgroups, rows // wgmma.WGMMA_ROWS // warpgroups, cols, packed)
    _check_registers(op, acc, found, scope, target, ctx)
    return found


def _warpgroups(number: int) -> str:
    return f"{number} warpgroup{'s' if number > 1 else ''}"


def _check_registers(
    op: Operation,
    acc: AccType,
    found: Fragments,
    scope: Scope,
    target: Architecture,
    ctx: Context,
) -> None:
    one = wgmma.accumulator_registers(found.cols, 16 if found.packed else 32)
    threads = block_threads(block_of(op))
    at_launch = target.max_registers(threads)
    total = one * found.blocks
    need = Need(
        op,
        total,
        f"{acc} takes {total} in each thread of {_warpgroups(found.warpgroups)}",
        "use a smaller tile, more warpgroups, or a larger budget of registers",
    )
    budget = Budget.of(scope, target)
    budget.refuse(need)
    if one + OTHER_REGISTERS > at_launch:
        fail(
            op,
            f"must need at most {at_launch - OTHER_REGISTERS} registers for 64 rows "
            f"in a block of {threads} threads, got {one}",
            hint="use fewer columns, or fewer threads",
        )
    budget.warn(need, OTHER_REGISTERS, ctx)


@dataclass(frozen=True)
class Warpgroups:
    """The rows at which the calling warpgroup's part of accumulators starts."""

    first_rows: dict[tuple[Operation, int], SSAValue]

    def first_row(self, op: Operation, found: Fragments) -> Index:
        """
        The first row of the warpgroup that executes `op`; 0 when there is but one.

        The index of the warpgroup is shuffled from lane 0, so that what is computed
        from it is known to be the same in the whole warp.
        """
        if found.warpgroups == 1:
            return 0
        root = scope_of(op).root
        key = (root, found.rows)
        if (known := self.first_rows.get(key)) is None:
            b = LocatedBuilder.at_start(root.body.block, op.location)
            thread = b.cast(b.insert(ThreadIdOp()).result, i32)
            warpgroup = b.shr(thread, WARPGROUP_THREADS.bit_length() - 1)
            uniform = b.insert(
                nvvm.ShflSyncOp(
                    nvvm.ShflKind.Idx, b.i32(-1), warpgroup, b.i32(0), b.i32(31)
                )
            ).result
            known = b.mul(b.cast(uniform, IndexType()), found.rows)
            self.first_rows[key] = known
        return known


def add_index(b: LocatedBuilder, base: Index, by: int) -> SSAValue | int:
    """base + by, where both may be known."""
    if isinstance(base, int):
        return base + by
    return b.add(base, by) if isinstance(base, SSAValue) else by


def fill(op: MmaFillOp, found: Fragments) -> SSAValue:
    """Emit a block whose elements all have the value of an `mma.fill`."""
    b = LocatedBuilder.before(op)
    value = op.number
    if value == 0 and copysign(1, value) > 0:
        return b.insert(llvm.ZeroOp(found.struct)).result
    if found.packed:
        (half,) = struct.unpack("<h", struct.pack("<e", value))
        element = b.i32(half << 16 | half & 0xFFFF)
    else:
        element = b.float(FloatAttr(value, f32))
    block = b.insert(llvm.UndefOp(found.struct)).result
    for register in range(len(found.struct.types)):
        block = b.insert(llvm.InsertValueOp(block, element, register)).result
    return block
