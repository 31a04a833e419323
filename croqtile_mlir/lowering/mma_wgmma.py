"""
Products by `wgmma`: each warpgroup of the scope has rows of the accumulator.

The ops of one `mma.exec` are descriptors and wgmmas, K steps outside, rows inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AccType,
    DescriptorOp,
    Major,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    acc_type,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.lowering.acc_registers import Places
from croqtile_mlir.lowering.mma_fragments import (
    Fragments,
    Warpgroups,
    add_index,
    check_scope,
    fill,
    fragments_of,
)
from croqtile_mlir.lowering.mma_store import lower_store, places_of
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

K_STEP = 16
"""K of one wgmma on 16-bit operands."""


@dataclass
class WarpgroupProducts:
    """Lowers the products of a kernel; a part is a block of 64 rows."""

    ctx: Context
    target: Architecture
    spread: dict[tuple[Operation, AccType], Fragments] = field(
        default_factory=dict[tuple[Operation, AccType], Fragments]
    )
    warpgroups: Warpgroups = field(default_factory=lambda: Warpgroups({}))

    def fill(self, op: MmaFillOp) -> Sequence[SSAValue]:
        """The parts of a new accumulator."""
        found = self._fragments(op, op.acc)
        return [fill(op, found)] * found.blocks

    def multiply(self, op: MmaExecOp, parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit a product; the parts of its result."""
        check_scope(op)
        found = self._fragments(op, op.acc)
        first_row = self.warpgroups.first_row(op, found)
        return lower_exec(op, parts, found, first_row, self.target)

    def order(self, op: MmaCommitOp | MmaWaitOp) -> None:
        """Emit the end of a group, or what waits for groups."""
        check_scope(op)
        LocatedBuilder.before(op).insert(
            nvvm.WgmmaCommitGroupOp()
            if isinstance(op, MmaCommitOp)
            else nvvm.WgmmaWaitGroupOp(op.in_flight.data)
        )

    def store(self, op: MmaStoreOp, parts: Sequence[SSAValue]) -> None:
        """Emit the stores of an accumulator."""
        check_scope(op)
        found = self._fragments(op, op.acc)
        first_row = self.warpgroups.first_row(op, found)
        lower_store(op, parts, found, first_row, self.target)

    def places(self, op: Operation, acc: SSAValue) -> Places:
        """Where the elements of an accumulator are that a thread holds."""
        check_scope(op)
        found = self._fragments(op, acc)
        return places_of(op, found, self.warpgroups.first_row(op, found))

    def _fragments(self, op: Operation, acc: SSAValue) -> Fragments:
        key = (scope_of(op).root, acc_type(acc))
        if (found := self.spread.get(key)) is None:
            found = fragments_of(op, acc_type(acc), self.target, self.ctx)
            self.spread[key] = found
        return found


def _check_operand(op: MmaExecOp, name: str, tile: SSAValue, major: Major) -> None:
    root = root_of(tile)
    buffer = tile_type(root)
    notes = [(root, f"{name} is part of this buffer")]
    if buffer.layout is None:
        fail(
            op,
            f"{name} must have a layout, got {buffer}",
            hint="run --infer-layouts first",
            notes=notes,
        )
    if (reason := wgmma.check_wgmma_operand(buffer, major)) is not None:
        fail(op, f"{name}: {reason}", notes=notes)


def _check_exec(op: MmaExecOp, target: Architecture) -> nvvm.WgmmaType:
    _check_operand(op, "A", op.a, op.a_major)
    _check_operand(op, "B", op.b, op.b_major)
    if op.depth % K_STEP:
        fail(op, f"K must be a multiple of {K_STEP}, got {op.depth}")
    element = tile_type(op.a).element_type
    acc = acc_type(op.acc)
    shapes = target.mma_shapes("wgmma", element.name, acc.element_type.name)
    if not any(shape.admits_n(acc.shape[1]) for shape in shapes):
        fail(
            op,
            f"must be a product that {target.name} has, got {element} operands and "
            f"{acc}",
        )
    return (
        nvvm.WgmmaType.BF16 if isinstance(element, BFloat16Type) else nvvm.WgmmaType.F16
    )


def lower_exec(
    op: MmaExecOp,
    blocks: Sequence[SSAValue],
    found: Fragments,
    first_row: Index,
    target: Architecture,
) -> list[SSAValue]:
    """Emit the wgmmas of an `mma.exec`: K steps outside, blocks of rows inside."""
    element = _check_exec(op, target)
    b = LocatedBuilder.before(op)
    if not isinstance(op.acc.owner, MmaExecOp):
        b.insert(nvvm.WgmmaFenceAlignedOp())
    rows = [
        add_index(b, first_row, number * wgmma.WGMMA_ROWS)
        for number in range(found.blocks)
    ]
    results = list(blocks)
    for k in range(0, op.depth, K_STEP):
        b_part = _descriptor(b, op.b, op.b_major, 0, k)
        for number, row in enumerate(rows):
            a_part = _descriptor(b, op.a, op.a_major, row, k)
            product = nvvm.WgmmaMmaAsyncOp(
                a_part,
                b_part,
                results[number],
                wgmma.WGMMA_ROWS,
                found.cols,
                K_STEP,
                element,
                element,
                found.element,
                nvvm.MMALayout.Row if op.a_major is Major.K else nvvm.MMALayout.Col,
                nvvm.MMALayout.Col if op.b_major is Major.K else nvvm.MMALayout.Row,
            )
            results[number] = b.insert(product).result
    return results


def _descriptor(
    b: LocatedBuilder, tile: SSAValue, major: Major, mn: Index, k: int
) -> SSAValue:
    indices = (mn, k) if major is Major.K else (k, mn)
    return b.insert(DescriptorOp(tile, indices, major)).result
