"""Special registers, one op each.

All but the clocks have one value for the life of a thread and are pure. The clocks
have unknown effects: two readings are never merged, moved, or removed.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import i32, i64
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.llvm_ext import ConstantRangeAttr


class SpecialRegisterOp(IRDLOperation, ABC):
    """A read of a 32-bit special register, with the range of its value if known.

    ```mlir
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    ```
    """

    range = opt_prop_def(ConstantRangeAttr)
    result = result_def(i32)

    traits = traits_def(Pure())

    assembly_format = "(`range` $range^)? attr-dict `:` type($result)"

    def __init__(self, bounds: tuple[int, int] | None = None):
        """`bounds` are the lowest value and one more than the highest."""
        super().__init__(
            properties={
                "range": None if bounds is None else ConstantRangeAttr(32, *bounds)
            },
            result_types=[i32],
        )

    def verify_(self) -> None:
        if self.range is not None and self.range.width.data != 32:
            raise VerifyException(
                f"range must be of i32, got one of i{self.range.width.data}"
            )


class ClockOp(IRDLOperation, ABC):
    """A read of a 64-bit counter that changes by itself."""

    result = result_def(i64)

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[i64])


@irdl_op_definition
class TidXOp(SpecialRegisterOp):
    """The thread's index in its block, x."""

    name = "nvvm.read.ptx.sreg.tid.x"


@irdl_op_definition
class TidYOp(SpecialRegisterOp):
    """The thread's index in its block, y."""

    name = "nvvm.read.ptx.sreg.tid.y"


@irdl_op_definition
class TidZOp(SpecialRegisterOp):
    """The thread's index in its block, z."""

    name = "nvvm.read.ptx.sreg.tid.z"


@irdl_op_definition
class NTidXOp(SpecialRegisterOp):
    """The extent of the block, x."""

    name = "nvvm.read.ptx.sreg.ntid.x"


@irdl_op_definition
class NTidYOp(SpecialRegisterOp):
    """The extent of the block, y."""

    name = "nvvm.read.ptx.sreg.ntid.y"


@irdl_op_definition
class NTidZOp(SpecialRegisterOp):
    """The extent of the block, z."""

    name = "nvvm.read.ptx.sreg.ntid.z"


@irdl_op_definition
class CtaIdXOp(SpecialRegisterOp):
    """The block's index in the grid, x."""

    name = "nvvm.read.ptx.sreg.ctaid.x"


@irdl_op_definition
class CtaIdYOp(SpecialRegisterOp):
    """The block's index in the grid, y."""

    name = "nvvm.read.ptx.sreg.ctaid.y"


@irdl_op_definition
class CtaIdZOp(SpecialRegisterOp):
    """The block's index in the grid, z."""

    name = "nvvm.read.ptx.sreg.ctaid.z"


@irdl_op_definition
class NCtaIdXOp(SpecialRegisterOp):
    """The extent of the grid in blocks, x."""

    name = "nvvm.read.ptx.sreg.nctaid.x"


@irdl_op_definition
class NCtaIdYOp(SpecialRegisterOp):
    """The extent of the grid in blocks, y."""

    name = "nvvm.read.ptx.sreg.nctaid.y"


@irdl_op_definition
class NCtaIdZOp(SpecialRegisterOp):
    """The extent of the grid in blocks, z."""

    name = "nvvm.read.ptx.sreg.nctaid.z"


@irdl_op_definition
class LaneIdOp(SpecialRegisterOp):
    """The thread's lane in its warp."""

    name = "nvvm.read.ptx.sreg.laneid"


@irdl_op_definition
class WarpIdOp(SpecialRegisterOp):
    """The warp's number in its block, as scheduled: not `tid.x / 32`."""

    name = "nvvm.read.ptx.sreg.warpid"


@irdl_op_definition
class NWarpIdOp(SpecialRegisterOp):
    """The number of warp numbers."""

    name = "nvvm.read.ptx.sreg.nwarpid"


@irdl_op_definition
class WarpSizeOp(SpecialRegisterOp):
    """The number of lanes of a warp."""

    name = "nvvm.read.ptx.sreg.warpsize"


@irdl_op_definition
class SmIdOp(SpecialRegisterOp):
    """The number of the multiprocessor."""

    name = "nvvm.read.ptx.sreg.smid"


@irdl_op_definition
class NSmIdOp(SpecialRegisterOp):
    """The number of multiprocessor numbers."""

    name = "nvvm.read.ptx.sreg.nsmid"


@irdl_op_definition
class GridIdOp(SpecialRegisterOp):
    """The number of the grid."""

    name = "nvvm.read.ptx.sreg.gridid"


@irdl_op_definition
class LaneMaskEqOp(SpecialRegisterOp):
    """The bit of the thread's lane."""

    name = "nvvm.read.ptx.sreg.lanemask.eq"


@irdl_op_definition
class LaneMaskLtOp(SpecialRegisterOp):
    """The bits of the lanes below the thread's."""

    name = "nvvm.read.ptx.sreg.lanemask.lt"


@irdl_op_definition
class LaneMaskLeOp(SpecialRegisterOp):
    """The bits of the lanes up to the thread's."""

    name = "nvvm.read.ptx.sreg.lanemask.le"


@irdl_op_definition
class LaneMaskGtOp(SpecialRegisterOp):
    """The bits of the lanes above the thread's."""

    name = "nvvm.read.ptx.sreg.lanemask.gt"


@irdl_op_definition
class LaneMaskGeOp(SpecialRegisterOp):
    """The bits of the lanes from the thread's on."""

    name = "nvvm.read.ptx.sreg.lanemask.ge"


@irdl_op_definition
class ClusterIdXOp(SpecialRegisterOp):
    """The cluster's index in the grid, x."""

    name = "nvvm.read.ptx.sreg.clusterid.x"


@irdl_op_definition
class ClusterIdYOp(SpecialRegisterOp):
    """The cluster's index in the grid, y."""

    name = "nvvm.read.ptx.sreg.clusterid.y"


@irdl_op_definition
class ClusterIdZOp(SpecialRegisterOp):
    """The cluster's index in the grid, z."""

    name = "nvvm.read.ptx.sreg.clusterid.z"


@irdl_op_definition
class NClusterIdXOp(SpecialRegisterOp):
    """The extent of the grid in clusters, x."""

    name = "nvvm.read.ptx.sreg.nclusterid.x"


@irdl_op_definition
class NClusterIdYOp(SpecialRegisterOp):
    """The extent of the grid in clusters, y."""

    name = "nvvm.read.ptx.sreg.nclusterid.y"


@irdl_op_definition
class NClusterIdZOp(SpecialRegisterOp):
    """The extent of the grid in clusters, z."""

    name = "nvvm.read.ptx.sreg.nclusterid.z"


@irdl_op_definition
class ClusterCtaIdXOp(SpecialRegisterOp):
    """The block's index in its cluster, x."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.x"


@irdl_op_definition
class ClusterCtaIdYOp(SpecialRegisterOp):
    """The block's index in its cluster, y."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.y"


@irdl_op_definition
class ClusterCtaIdZOp(SpecialRegisterOp):
    """The block's index in its cluster, z."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.z"


@irdl_op_definition
class ClusterNCtaIdXOp(SpecialRegisterOp):
    """The extent of the cluster in blocks, x."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.x"


@irdl_op_definition
class ClusterNCtaIdYOp(SpecialRegisterOp):
    """The extent of the cluster in blocks, y."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.y"


@irdl_op_definition
class ClusterNCtaIdZOp(SpecialRegisterOp):
    """The extent of the cluster in blocks, z."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.z"


@irdl_op_definition
class ClusterCtaRankOp(SpecialRegisterOp):
    """The block's rank in its cluster."""

    name = "nvvm.read.ptx.sreg.cluster.ctarank"


@irdl_op_definition
class ClusterNCtaRankOp(SpecialRegisterOp):
    """The number of blocks of the cluster."""

    name = "nvvm.read.ptx.sreg.cluster.nctarank"


@irdl_op_definition
class DynamicSmemSizeOp(SpecialRegisterOp):
    """The bytes of dynamic shared memory."""

    name = "nvvm.read.ptx.sreg.dynamic.smem.size"


@irdl_op_definition
class TotalSmemSizeOp(SpecialRegisterOp):
    """The bytes of shared memory."""

    name = "nvvm.read.ptx.sreg.total.smem.size"


@irdl_op_definition
class Clock64Op(ClockOp):
    """The multiprocessor's clock."""

    name = "nvvm.read.ptx.sreg.clock64"


@irdl_op_definition
class GlobalTimerOp(ClockOp):
    """The time in nanoseconds."""

    name = "nvvm.read.ptx.sreg.globaltimer"


OPS = (
    Clock64Op,
    ClusterCtaIdXOp,
    ClusterCtaIdYOp,
    ClusterCtaIdZOp,
    ClusterCtaRankOp,
    ClusterIdXOp,
    ClusterIdYOp,
    ClusterIdZOp,
    ClusterNCtaIdXOp,
    ClusterNCtaIdYOp,
    ClusterNCtaIdZOp,
    ClusterNCtaRankOp,
    CtaIdXOp,
    CtaIdYOp,
    CtaIdZOp,
    DynamicSmemSizeOp,
    GlobalTimerOp,
    GridIdOp,
    LaneIdOp,
    LaneMaskEqOp,
    LaneMaskGeOp,
    LaneMaskGtOp,
    LaneMaskLeOp,
    LaneMaskLtOp,
    NClusterIdXOp,
    NClusterIdYOp,
    NClusterIdZOp,
    NCtaIdXOp,
    NCtaIdYOp,
    NCtaIdZOp,
    NSmIdOp,
    NTidXOp,
    NTidYOp,
    NTidZOp,
    NWarpIdOp,
    SmIdOp,
    TidXOp,
    TidYOp,
    TidZOp,
    TotalSmemSizeOp,
    WarpIdOp,
    WarpSizeOp,
)
