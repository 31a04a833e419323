"""
Copies by TMA: one box for each panel of the shared tile, by the elected thread.

PTX ISA, "Data Movement and Conversion Instructions: cp.async.bulk.tensor".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.analysis.tma_rules import why_not_global, why_not_shared
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    CopyAsyncOp,
    CopyOp,
    ElectOp,
    Layout,
    TensorMapOp,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import AddrSpaceCastOp
from croqtile_mlir.dialects.nvvm.operands import SHARED_CLUSTER
from croqtile_mlir.layouts.boxes import tma_boxes
from croqtile_mlir.lowering.cluster_reach import MASK_BITS, reach_of
from croqtile_mlir.lowering.elected import when_elected
from croqtile_mlir.lowering.global_windows import GlobalWindow, global_window
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_MapKey = tuple[SSAValue, tuple[int, ...], Layout, Operation]


@dataclass(frozen=True)
class _Box:
    """One bulk copy: where it is in shared memory, and in the argument."""

    extents: tuple[int, ...]
    pointer: SSAValue
    coordinates: tuple[SSAValue, ...]
    """Innermost first, i32."""


@dataclass
class TmaCopies:
    """Lowers copies with engine tma; the tensor maps it made are used again."""

    memo: MemoBuilder
    maps: dict[_MapKey, SSAValue] = field(default_factory=dict[_MapKey, SSAValue])

    def lower_load(self, copy: CopyAsyncOp) -> None:
        """Issue a load; its bytes count on the mbarrier that it completes."""
        mbarrier = copy.completes
        if mbarrier is None:
            fail(
                copy,
                "with engine tma must complete on an mbarrier, got a load without",
                hint="run --lower-futures and --lower-events first",
            )
        boxes = self._boxes(copy, copy.source, copy.destination)
        targets = [
            self.memo.builder.insert(AddrSpaceCastOp(box.pointer, SHARED_CLUSTER))
            for box in boxes
        ]
        maps = self._maps(copy, copy.source, copy.destination, boxes)
        mask = self._mask(copy)
        with when_elected(copy) as builder:
            for box, target, tensor_map in zip(boxes, targets, maps, strict=True):
                builder.insert(
                    nvvm.CpAsyncBulkTensorLoadOp(
                        target,
                        tensor_map,
                        box.coordinates,
                        mbarrier,
                        multicast_mask=mask,
                    )
                )

    def _mask(self, copy: CopyAsyncOp) -> SSAValue | None:
        """The ranks in the cluster that a copy goes to; None for its own block only."""
        reach, memo = reach_of(copy), self.memo
        if reach.count == 1:
            return None
        first = reach.first_once(memo)
        kind = IntegerType(MASK_BITS)
        if isinstance(first, int):
            return memo.constant(reach.mask << first, kind)
        return memo.cast(memo.bits_from(reach.mask, first), kind)

    def lower_store(self, copy: CopyOp | CopyAsyncOp) -> None:
        """Issue a store as one bulk group; a `croq.copy` also waits for it."""
        boxes = self._boxes(copy, copy.destination, copy.source)
        maps = self._maps(copy, copy.destination, copy.source, boxes)
        with when_elected(copy) as builder:
            for box, tensor_map in zip(boxes, maps, strict=True):
                builder.insert(
                    nvvm.CpAsyncBulkTensorStoreOp(
                        tensor_map, box.pointer, box.coordinates
                    )
                )
            builder.insert(nvvm.CpAsyncBulkCommitGroupOp())
            if isinstance(copy, CopyOp):
                builder.insert(nvvm.CpAsyncBulkWaitGroupOp(0))

    def _boxes(
        self, copy: CopyOp | CopyAsyncOp, outside: SSAValue, inside: SSAValue
    ) -> list[_Box]:
        """The boxes of a copy between a global tile and a shared one."""
        tile = tile_type(inside)
        dims = _check(copy, outside, inside)
        self.memo.move_before(copy)
        window = global_window(copy, outside, dims, self.memo)
        dropped = (1,) * (window.root_type.rank - tile.rank)
        boxes: list[_Box] = []
        for box in tma_boxes(tile, tile_type(root_of(inside))):
            pointer = self.memo.builder.insert(AddressOp(inside, box.at)).pointer
            at = self._coordinates(window, box.at)
            boxes.append(_Box((*dropped, *box.extents), pointer, at))
        return boxes

    def _coordinates(
        self, window: GlobalWindow, at: Sequence[int]
    ) -> tuple[SSAValue, ...]:
        inside = (*(0 for _ in range(len(window.origin) - len(at))), *at)
        memo = self.memo
        return tuple(
            memo.materialize(memo.sum(start + offset, i32), i32)
            for start, offset in zip(
                reversed(window.origin), reversed(inside), strict=True
            )
        )

    def _maps(
        self,
        copy: CopyOp | CopyAsyncOp,
        outside: SSAValue,
        inside: SSAValue,
        boxes: Sequence[_Box],
    ) -> list[SSAValue]:
        """The tensor map of each box, at the head of the block."""
        root, layout = root_of(outside), layouts.layout_of(tile_type(inside))
        block = block_of(copy)
        found: list[SSAValue] = []
        for box in boxes:
            key = (root, box.extents, layout, block)
            if key not in self.maps:
                body = block.body.block
                builder = LocatedBuilder.at_start(body, copy.location)
                first = body.first_op
                while isinstance(first, ElectOp | TensorMapOp):
                    first = first.next_op
                if first is not None:
                    builder.point = LocatedBuilder.before(first).point
                made = builder.insert(TensorMapOp(root, box.extents, layout)).result
                if root.name_hint is not None:
                    made.name_hint = f"{root.name_hint}_map"
                self.maps[key] = made
            found.append(self.maps[key])
        return found


def _check(
    copy: CopyOp | CopyAsyncOp, outside: SSAValue, inside: SSAValue
) -> tuple[int, ...]:
    """Refuse what TMA can't move; the extents of a tile that it can."""
    if tile_type(inside).layout is None:
        fail(
            copy,
            f"shared tile must have a layout, got {tile_type(inside)}",
            hint="run --infer-layouts first",
            notes=[(inside, "the tile is defined here")],
        )
    dims = tile_type(inside).static_dims
    reason = why_not_global(outside) or why_not_shared(inside)
    if reason is not None or dims is None:
        fail(
            copy,
            f"with engine tma: {reason}",
            hint="use engine(threads)",
            notes=[
                (outside, "the global tile is defined here"),
                (inside, "the shared tile is defined here"),
            ],
        )
    return dims
