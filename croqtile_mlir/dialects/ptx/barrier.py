"""
Barriers, fences, and control of the launch (PTX ISA 9.7.13, 9.7.19): how threads wait
for one another other than through mbarriers.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import B32_REGISTER, B64_REGISTER
from croqtile_mlir.dialects.ptx.instruction import GuardedOp, Version, dotted
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    MemoryOperand,
    RegisterOrImmediate,
    Source,
    address_text,
    pack_offset,
    pack_source,
    source_text,
)
from croqtile_mlir.targets.architecture import Feature

_GUARD = "custom<Guard>($guard, type($guard), $negated) "


class _NamedBarrierOp(GuardedOp):
    """A hardware barrier of the block, and how many threads take part in it."""

    barrier = opt_operand_def(B32_REGISTER)
    barrier_immediate = opt_prop_def(IntAttr)
    threads = opt_operand_def(B32_REGISTER)
    threads_immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        _GUARD
        + "custom<RegisterOrImmediate>($barrier, type($barrier), $barrier_immediate) "
        "`,` "
        "custom<RegisterOrImmediate>($threads, type($threads), $threads_immediate) "
        "attr-dict"
    )

    def __init__(self, barrier: Source, threads: Source):
        barrier_register, barrier_immediate = pack_source(barrier)
        threads_register, threads_immediate = pack_source(threads)
        super().__init__(
            operands=[barrier_register, threads_register, None],
            properties={
                "barrier_immediate": barrier_immediate,
                "threads_immediate": threads_immediate,
            },
        )

    def instruction(self) -> str:
        barrier = source_text(self, self.barrier, self.barrier_immediate)
        opcode = self.name.removeprefix("ptx.")
        if self.threads_immediate is not None and self.threads_immediate.data == 0:
            return f"{opcode} {barrier}"
        threads = source_text(self, self.threads, self.threads_immediate)
        return f"{opcode} {barrier}, {threads}"

    def verify_(self) -> None:
        super().verify_()
        barrier, threads = self.barrier_immediate, self.threads_immediate
        if barrier is not None and not 0 <= barrier.data < 16:
            raise VerifyException(f"barrier must be 0 to 15, got {barrier.data}")
        if threads is not None and (threads.data < 0 or threads.data % 32):
            raise VerifyException(
                f"threads must be a multiple of 32, got {threads.data}"
            )


@irdl_op_definition
class BarSyncOp(_NamedBarrierOp):
    """
    Wait until so many threads have arrived, all of the block when that is 0.

    `ptx.bar.sync 1, 128` prints `bar.sync 1, 128;`
    """

    name = "ptx.bar.sync"


@irdl_op_definition
class BarArriveOp(_NamedBarrierOp):
    """
    Arrive without waiting.

    `ptx.bar.arrive 9, 256` prints `bar.arrive 9, 256;`
    """

    name = "ptx.bar.arrive"

    def verify_(self) -> None:
        super().verify_()
        if self.threads_immediate is not None and self.threads_immediate.data == 0:
            raise VerifyException("threads must be given, got 0")


class _SourceOp(GuardedOp):
    """An instruction of one register or immediate."""

    TYPE_SUFFIX: ClassVar[str] = ""

    value = opt_operand_def(B32_REGISTER)
    immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        _GUARD
        + "custom<RegisterOrImmediate>($value, type($value), $immediate) attr-dict"
    )

    def __init__(self, value: Source):
        register, immediate = pack_source(value)
        super().__init__(operands=[register, None], properties={"immediate": immediate})

    def instruction(self) -> str:
        opcode = dotted(self.name.removeprefix("ptx."), self.TYPE_SUFFIX)
        return f"{opcode} {source_text(self, self.value, self.immediate)}"


@irdl_op_definition
class BarWarpSyncOp(_SourceOp):
    """
    Wait for the threads of the warp in a mask.

    `ptx.bar.warp.sync -1` prints `bar.warp.sync -1;`
    """

    name = "ptx.bar.warp.sync"


@irdl_op_definition
class NanosleepOp(_SourceOp):
    """
    Sleep for about so many nanoseconds.

    `ptx.nanosleep 100` prints `nanosleep.u32 100;`
    """

    name = "ptx.nanosleep"
    TYPE_SUFFIX: ClassVar[str] = "u32"


class _KindOp(GuardedOp):
    """An instruction whose variants differ in qualifiers only."""

    KINDS: ClassVar[tuple[str, ...]]

    kind = prop_def(StringAttr)

    custom_directives = (Guard,)

    SYNTAX: ClassVar[str] = _GUARD + "$kind attr-dict"

    def __init__(self, kind: str):
        super().__init__(operands=[None], properties={"kind": StringAttr(kind)})

    def instruction(self) -> str:
        return dotted(self.name.removeprefix("ptx."), self.kind.data)

    def verify_(self) -> None:
        super().verify_()
        if self.kind.data not in self.KINDS:
            raise VerifyException(
                f"kind must be one of {', '.join(self.KINDS)}, got {self.kind.data}"
            )


_SCOPES = ("cta", "cluster", "gpu", "sys")


@irdl_op_definition
class FenceOp(_KindOp):
    """
    Order memory accesses of this thread, also those through another proxy.

    `ptx.fence "proxy.async.shared::cta"` prints `fence.proxy.async.shared::cta;`
    """

    name = "ptx.fence"

    KINDS: ClassVar[tuple[str, ...]] = (
        "mbarrier_init.release.cluster",
        "proxy.alias",
        "proxy.async",
        "proxy.async.global",
        "proxy.async.shared::cta",
        "proxy.async.shared::cluster",
        *(f"proxy.tensormap::generic.release.{scope}" for scope in _SCOPES),
        *(f"{order}.{scope}" for order in ("sc", "acq_rel") for scope in _SCOPES),
    )

    def needs_feature(self) -> Feature | None:
        kind = self.kind.data
        if kind.startswith("mbarrier_init"):
            return "mbarrier_tx"
        if kind.startswith(("proxy.async", "proxy.tensormap")):
            return "tma"
        return "cluster" if kind.endswith("cluster") else None

    def needs_version(self) -> Version:
        kind = self.kind.data
        if "tensormap" in kind:
            return (8, 3)
        if kind.startswith(("mbarrier_init", "proxy.async")):
            return (8, 0)
        return (7, 8) if kind.endswith("cluster") else (7, 0)


@irdl_op_definition
class MembarOp(_KindOp):
    """
    Order all memory accesses of this thread at a level.

    `ptx.membar "gl"` prints `membar.gl;`
    """

    name = "ptx.membar"

    KINDS: ClassVar[tuple[str, ...]] = ("cta", "gl", "sys")


@irdl_op_definition
class FenceTensormapOp(GuardedOp):
    """
    Let later uses of a tensor map see what was written to its 128 bytes.

    `ptx.fence.tensormap_acquire "gpu" [%a]` prints
    `fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;`
    """

    name = "ptx.fence.tensormap_acquire"
    VERSION: ClassVar[Version] = (8, 3)

    scope = prop_def(StringAttr)
    address = operand_def(B64_REGISTER)
    offset = opt_prop_def(IntAttr)

    custom_directives = (Guard, MemoryOperand)

    SYNTAX: ClassVar[str] = (
        _GUARD + "$scope custom<MemoryOperand>($address, type($address), $offset) "
        "attr-dict"
    )

    def __init__(self, scope: str, address: Address):
        super().__init__(
            operands=[address.base, None],
            properties={"scope": StringAttr(scope), "offset": pack_offset(address)},
        )

    def instruction(self) -> str:
        place = address_text(self, self.address, self.offset)
        return f"fence.proxy.tensormap::generic.acquire.{self.scope.data} {place}, 128"

    def verify_(self) -> None:
        super().verify_()
        if self.scope.data not in _SCOPES:
            raise VerifyException(
                f"scope must be one of {', '.join(_SCOPES)}, got {self.scope.data}"
            )


class _ClusterBarrierOp(GuardedOp):
    """Half of a barrier over the blocks of a cluster."""

    FEATURE: ClassVar[Feature | None] = "cluster"
    VERSION: ClassVar[Version] = (7, 8)
    ORDERS: ClassVar[tuple[str, ...]]

    order = opt_prop_def(StringAttr)
    aligned = opt_prop_def(UnitAttr)

    custom_directives = (Guard,)

    SYNTAX: ClassVar[str] = (
        _GUARD + "(`order` $order^)? (`aligned` $aligned^)? attr-dict"
    )

    def __init__(self, *, order: str | None = None, aligned: bool = False):
        super().__init__(
            operands=[None],
            properties={
                "order": None if order is None else StringAttr(order),
                "aligned": UnitAttr() if aligned else None,
            },
        )

    def instruction(self) -> str:
        return dotted(
            self.name.removeprefix("ptx."),
            self.order.data if self.order else None,
            "aligned" if self.aligned else None,
        )

    def needs_version(self) -> Version:
        return (8, 0) if self.order else self.VERSION

    def verify_(self) -> None:
        super().verify_()
        if self.order is not None and self.order.data not in self.ORDERS:
            raise VerifyException(
                f"order must be one of {', '.join(self.ORDERS)}, got {self.order.data}"
            )


@irdl_op_definition
class ClusterArriveOp(_ClusterBarrierOp):
    """
    Arrive at the barrier of the cluster.

    `ptx.barrier.cluster.arrive order "relaxed" aligned` prints
    `barrier.cluster.arrive.relaxed.aligned;`
    """

    name = "ptx.barrier.cluster.arrive"
    ORDERS: ClassVar[tuple[str, ...]] = ("release", "relaxed")


@irdl_op_definition
class ClusterWaitOp(_ClusterBarrierOp):
    """
    Wait until all threads of the cluster have arrived.

    `ptx.barrier.cluster.wait aligned` prints `barrier.cluster.wait.aligned;`
    """

    name = "ptx.barrier.cluster.wait"
    ORDERS: ClassVar[tuple[str, ...]] = ("acquire",)


@irdl_op_definition
class GriddepcontrolOp(_KindOp):
    """
    Wait for the grid this one depends on, or let its dependents start.

    `ptx.griddepcontrol "wait"` prints `griddepcontrol.wait;`
    """

    name = "ptx.griddepcontrol"
    VERSION: ClassVar[Version] = (7, 8)

    KINDS: ClassVar[tuple[str, ...]] = ("wait", "launch_dependents")


@irdl_op_definition
class SetMaxRegistersOp(GuardedOp):
    """
    Raise (`inc`) or lower (`dec`) the registers per thread of a warpgroup.

    `ptx.setmaxnreg "inc" 232` prints `setmaxnreg.inc.sync.aligned.u32 232;`
    """

    name = "ptx.setmaxnreg"
    FEATURE: ClassVar[Feature | None] = "setmaxnreg"
    VERSION: ClassVar[Version] = (8, 0)

    action = prop_def(StringAttr)
    count = prop_def(IntegerAttr.constr(type=i32))

    custom_directives = (Guard,)

    SYNTAX: ClassVar[str] = _GUARD + "$action $count attr-dict"

    def __init__(self, action: str, count: int):
        super().__init__(
            operands=[None],
            properties={
                "action": StringAttr(action),
                "count": IntegerAttr(count, i32),
            },
        )

    def instruction(self) -> str:
        count = self.count.value.data
        return f"setmaxnreg.{self.action.data}.sync.aligned.u32 {count}"

    def verify_(self) -> None:
        super().verify_()
        count = self.count.value.data
        if self.action.data not in ("inc", "dec"):
            raise VerifyException(f"action must be inc or dec, got {self.action.data}")
        if count % 8 or not 24 <= count <= 256:
            raise VerifyException(
                f"count must be a multiple of 8 from 24 to 256, got {count}"
            )


OPS = (
    BarArriveOp,
    BarSyncOp,
    BarWarpSyncOp,
    ClusterArriveOp,
    ClusterWaitOp,
    FenceOp,
    FenceTensormapOp,
    GriddepcontrolOp,
    MembarOp,
    NanosleepOp,
    SetMaxRegistersOp,
)
