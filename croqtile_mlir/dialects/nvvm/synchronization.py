"""Fences, barriers of blocks and clusters, register budgets, dependent launches.

All of them order what other threads see and have unknown effects: they are never
removed, merged, or moved across.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    eq,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    GridDepAction,
    GridDepActionAttr,
    MemScope,
    MemScopeAttr,
    ProxyKind,
    ProxyKindAttr,
    Reduction,
    ReductionAttr,
    SetMaxRegisterAction,
    SetMaxRegisterActionAttr,
    SharedSpace,
    SharedSpaceAttr,
)
from croqtile_mlir.dialects.nvvm.operands import (
    GENERIC,
    SHARED,
    SHARED_CLUSTER,
    Value,
    address_space,
    check_space,
    optional,
    pointer,
    result_if,
)


@irdl_op_definition
class FenceProxyOp(IRDLOperation):
    """Order accesses through the generic proxy with those through another one.

    What a thread wrote to shared memory is visible to a TMA store, or to `wgmma`,
    after `{kind = async.shared, space = cta}`.

    ```mlir
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,
                      space = #nvvm.shared_space<cta>}
    ```
    """

    name = "nvvm.fence.proxy"

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "attr-dict"

    def __init__(self, kind: ProxyKind, space: SharedSpace | None = None):
        super().__init__(
            properties={
                "kind": ProxyKindAttr(kind),
                "space": None if space is None else SharedSpaceAttr(space),
            }
        )

    def verify_(self) -> None:
        kind = self.kind.data
        if kind in (ProxyKind.TensorMap, ProxyKind.Generic):
            raise VerifyException(
                "kind must be alias, async, async.global or async.shared,"
                f" got {kind.value}"
            )
        if kind is ProxyKind.AsyncShared and self.space is None:
            raise VerifyException("must have a space with kind async.shared")
        if kind is not ProxyKind.AsyncShared and self.space is not None:
            raise VerifyException(
                f"must have no space with kind {kind.value}, got {self.space.data}"
            )


@irdl_op_definition
class FenceProxyAcquireOp(IRDLOperation):
    """Acquire through the tensormap proxy what another thread wrote to `addr`.

    ```mlir
    nvvm.fence.proxy.acquire <gpu> %map, %size
    ```
    """

    name = "nvvm.fence.proxy.acquire"

    addr = operand_def(pointer())
    size = operand_def(i32)
    scope = prop_def(MemScopeAttr)
    from_proxy = prop_def(
        ProxyKindAttr,
        default_value=ProxyKindAttr(ProxyKind.Generic),
        prop_name="fromProxy",
    )
    to_proxy = prop_def(
        ProxyKindAttr,
        default_value=ProxyKindAttr(ProxyKind.TensorMap),
        prop_name="toProxy",
    )

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$scope $addr `,` $size attr-dict"

    def __init__(self, scope: MemScope, addr: Value, size: Value):
        super().__init__(
            operands=[addr, size], properties={"scope": MemScopeAttr(scope)}
        )

    def verify_(self) -> None:
        _check_proxies(self.from_proxy.data, self.to_proxy.data)


@irdl_op_definition
class FenceProxyReleaseOp(IRDLOperation):
    """Release what was written to a tensor map, for the tensormap proxy.

    ```mlir
    nvvm.fence.proxy.release <gpu>
    ```
    """

    name = "nvvm.fence.proxy.release"

    scope = prop_def(MemScopeAttr)
    from_proxy = prop_def(
        ProxyKindAttr,
        default_value=ProxyKindAttr(ProxyKind.Generic),
        prop_name="fromProxy",
    )
    to_proxy = prop_def(
        ProxyKindAttr,
        default_value=ProxyKindAttr(ProxyKind.TensorMap),
        prop_name="toProxy",
    )

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$scope attr-dict"

    def __init__(self, scope: MemScope):
        super().__init__(properties={"scope": MemScopeAttr(scope)})

    def verify_(self) -> None:
        _check_proxies(self.from_proxy.data, self.to_proxy.data)


def _check_proxies(from_proxy: ProxyKind, to_proxy: ProxyKind) -> None:
    if (from_proxy, to_proxy) != (ProxyKind.Generic, ProxyKind.TensorMap):
        raise VerifyException(
            "must be from the proxy generic to the proxy tensormap, got from"
            f" {from_proxy.value} to {to_proxy.value}"
        )


class _BareOp(IRDLOperation, ABC):
    """An op of one word."""

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class FenceMbarrierInitOp(_BareOp):
    """Make initialised mbarriers visible to the cluster and to TMA.

    ```mlir
    nvvm.fence.mbarrier.init
    ```
    """

    name = "nvvm.fence.mbarrier.init"


@irdl_op_definition
class FenceScClusterOp(_BareOp):
    """A sequentially consistent fence over the cluster.

    ```mlir
    nvvm.fence.sc.cluster
    ```
    """

    name = "nvvm.fence.sc.cluster"


@irdl_op_definition
class MemoryBarrierOp(IRDLOperation):
    """Order the thread's memory operations before and after, as seen by a scope.

    ```mlir
    nvvm.memory.barrier <cta>
    ```
    """

    name = "nvvm.memory.barrier"

    scope = prop_def(MemScopeAttr)

    assembly_format = "$scope attr-dict"

    def __init__(self, scope: MemScope):
        super().__init__(properties={"scope": MemScopeAttr(scope)})

    def verify_(self) -> None:
        if self.scope.data is MemScope.Cluster:
            raise VerifyException("scope must be cta, gpu or sys, got cluster")


@irdl_op_definition
class Barrier0Op(_BareOp):
    """Wait for all threads of the block.

    ```mlir
    nvvm.barrier0
    ```
    """

    name = "nvvm.barrier0"


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Wait for all threads of the block, or for so many at the barrier `id`.

    The warps that come must be converged. With a reduction, also combine a predicate
    over the threads. A reduction excludes an `id`: upstream's syntax can't write both
    (it takes `#` after a value for the number of a result).

    ```mlir
    nvvm.barrier
    nvvm.barrier id = %id number_of_threads = %n
    %any = nvvm.barrier #nvvm.reduction<or> %p -> i32
    ```
    """

    name = "nvvm.barrier"

    barrier_id = opt_operand_def(i32)
    number_of_threads = opt_operand_def(i32)
    predicate = opt_operand_def(i32)
    reduction = opt_prop_def(ReductionAttr, prop_name="reductionOp")
    result = opt_result_def(i32)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "(`id` `=` $barrier_id^)? (`number_of_threads` `=` $number_of_threads^)?"
        " (qualified($reductionOp)^ $predicate `->` type($result))? attr-dict"
    )

    def __init__(
        self,
        barrier_id: Value | None = None,
        number_of_threads: Value | None = None,
        *,
        reduction: Reduction | None = None,
        predicate: Value | None = None,
    ):
        super().__init__(
            operands=[
                optional(barrier_id),
                optional(number_of_threads),
                optional(predicate),
            ],
            properties={
                "reductionOp": None if reduction is None else ReductionAttr(reduction)
            },
            result_types=[result_if(reduction is not None, i32)],
        )

    def verify_(self) -> None:
        if self.number_of_threads is not None and self.barrier_id is None:
            raise VerifyException("must have an id when it has number_of_threads")
        parts = (self.reduction, self.predicate, self.result)
        if len({part is None for part in parts}) > 1:
            raise VerifyException(
                "must have a reduction, a predicate and a result together, or none"
            )
        if self.reduction is not None and self.barrier_id is not None:
            raise VerifyException("must have no id when it has a reduction, got one")


@irdl_op_definition
class BarrierArriveOp(IRDLOperation):
    """Arrive at a barrier of the block without waiting.

    ```mlir
    nvvm.barrier.arrive id = %id number_of_threads = %n
    ```
    """

    name = "nvvm.barrier.arrive"

    barrier_id = opt_operand_def(i32)
    number_of_threads = operand_def(i32)

    assembly_format = (
        "(`id` `=` $barrier_id^)? `number_of_threads` `=` $number_of_threads attr-dict"
    )

    def __init__(self, barrier_id: Value | None, number_of_threads: Value):
        super().__init__(operands=[optional(barrier_id), number_of_threads])


@irdl_op_definition
class BarWarpSyncOp(IRDLOperation):
    """Wait for the lanes of a mask.

    ```mlir
    nvvm.bar.warp.sync %mask : i32
    ```
    """

    name = "nvvm.bar.warp.sync"

    mask = operand_def(i32)

    assembly_format = "$mask attr-dict `:` type($mask)"

    def __init__(self, mask: Value):
        super().__init__(operands=[mask])


class _ClusterOp(IRDLOperation, ABC):
    """Half of a barrier over the cluster; `aligned` when the warp is converged."""

    aligned = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "attr-dict"

    def __init__(self, *, aligned: bool = False):
        super().__init__(properties={"aligned": UnitAttr() if aligned else None})


@irdl_op_definition
class ClusterArriveOp(_ClusterOp):
    """Arrive at the barrier of the cluster, and release what was written before.

    ```mlir
    nvvm.cluster.arrive {aligned}
    ```
    """

    name = "nvvm.cluster.arrive"


@irdl_op_definition
class ClusterArriveRelaxedOp(_ClusterOp):
    """Arrive at the barrier of the cluster, and order no memory.

    ```mlir
    nvvm.cluster.arrive.relaxed {aligned}
    ```
    """

    name = "nvvm.cluster.arrive.relaxed"


@irdl_op_definition
class ClusterWaitOp(_ClusterOp):
    """Wait until all threads of the cluster have arrived.

    ```mlir
    nvvm.cluster.wait {aligned}
    ```
    """

    name = "nvvm.cluster.wait"


@irdl_op_definition
class MapaOp(IRDLOperation):
    """The address, in another block of the cluster, of the same shared memory.

    ```mlir
    %remote = nvvm.mapa %p, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    ```
    """

    name = "nvvm.mapa"

    addr = operand_def(LLVMPointerType)
    rank = operand_def(i32)
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    assembly_format = "$addr `,` $rank attr-dict `:` type($addr) `->` type($result)"

    def __init__(self, addr: Value, rank: Value):
        shared = address_space(SSAValue.get(addr).type) == SHARED
        super().__init__(
            operands=[addr, rank],
            result_types=[pointer(SHARED_CLUSTER if shared else GENERIC)],
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)
        shared = address_space(self.addr.type) == SHARED
        check_space(self.result, "result", SHARED_CLUSTER if shared else GENERIC)


@irdl_op_definition
class SetMaxRegisterOp(IRDLOperation):
    """Change the number of registers that each thread of the warpgroup may use.

    All four warps of the warpgroup execute it. PTX ISA: `setmaxnreg`.

    ```mlir
    nvvm.setmaxregister decrease 40
    ```
    """

    name = "nvvm.setmaxregister"

    count = prop_def(IntegerAttr.constr(type=eq(i32)), prop_name="regCount")
    action = prop_def(SetMaxRegisterActionAttr)

    assembly_format = "$action $regCount attr-dict"

    def __init__(self, count: int, action: SetMaxRegisterAction):
        super().__init__(
            properties={
                "regCount": IntegerAttr(count, i32),
                "action": SetMaxRegisterActionAttr(action),
            }
        )

    def verify_(self) -> None:
        count = self.count.value.data
        if count % 8 or not 24 <= count <= 256:
            raise VerifyException(
                f"count must be a multiple of 8 from 24 to 256, got {count}"
            )


@irdl_op_definition
class GridDepControlOp(IRDLOperation):
    """Wait for the grid that this one depends on, or let the dependents start.

    ```mlir
    nvvm.griddepcontrol wait
    ```
    """

    name = "nvvm.griddepcontrol"

    kind = prop_def(GridDepActionAttr)

    assembly_format = "$kind attr-dict"

    def __init__(self, kind: GridDepAction):
        super().__init__(properties={"kind": GridDepActionAttr(kind)})


@irdl_op_definition
class NanosleepOp(IRDLOperation):
    """Sleep for about so many nanoseconds.

    ```mlir
    nvvm.nanosleep %ns
    ```
    """

    name = "nvvm.nanosleep"

    duration = operand_def(i32)

    assembly_format = "$duration attr-dict"

    def __init__(self, duration: Value):
        super().__init__(operands=[duration])


@irdl_op_definition
class ExitOp(_BareOp):
    """End the thread. Not a terminator: what follows is not executed.

    ```mlir
    nvvm.exit
    ```
    """

    name = "nvvm.exit"


OPS = (
    BarWarpSyncOp,
    Barrier0Op,
    BarrierArriveOp,
    BarrierOp,
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
    ExitOp,
    FenceMbarrierInitOp,
    FenceProxyAcquireOp,
    FenceProxyOp,
    FenceProxyReleaseOp,
    FenceScClusterOp,
    GridDepControlOp,
    MapaOp,
    MemoryBarrierOp,
    NanosleepOp,
    SetMaxRegisterOp,
)
