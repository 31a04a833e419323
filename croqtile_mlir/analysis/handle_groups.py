"""Which tiles and futures may stand for parts of the same buffers."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.carried import entering, leaving
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    DataOp,
    FutureType,
    KernelOp,
    PermuteOp,
    SelectOp,
    TileType,
    ViewOp,
)


class HandleGroups:
    """Tiles and futures that stand for parts of the same buffers (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[SSAValue, SSAValue] = {}

    def find(self, value: SSAValue) -> SSAValue:
        """What stands for all of the group of a value."""
        root = value
        while (above := self._parent.get(root)) is not None:
            root = above
        return root

    def join(self, *values: SSAValue) -> None:
        """Put the groups of values together."""
        first = self.find(values[0])
        for value in values[1:]:
            other = self.find(value)
            if other is not first:
                self._parent[other] = first


def _is_handle(value: SSAValue) -> bool:
    return isinstance(value.type, TileType | FutureType)


def handle_groups(kernel: KernelOp) -> HandleGroups:
    """What the tiles and futures of a kernel may stand for."""
    groups = HandleGroups()
    for op in kernel.walk():
        if isinstance(op, ViewOp):
            groups.join(op.viewed, op.results[0])
        elif isinstance(op, CopyAsyncOp):
            groups.join(op.destination, op.future)
        elif isinstance(op, DataOp):
            groups.join(op.future, op.tile)
        elif isinstance(op, PermuteOp):
            groups.join(*op.handles, *op.results)
        elif isinstance(op, SelectOp):
            groups.join(op.first, op.second, op.chosen)
        for carried in (*entering(op), *leaving(op)):
            if _is_handle(carried.source):
                groups.join(*carried.all)
    return groups
