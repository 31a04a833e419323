"""Clusters at hardware level: special registers, and what reaches other blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.sync.cluster_indices import Cluster
from croqtile_mlir.analysis.sync.hardware.events import (
    MEMORY,
    Event,
    Kind,
    Step,
    walk,
)
from croqtile_mlir.analysis.sync.model import Constant, Expr
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.llvm_ext import AddrSpaceCastOp, FuncOp, GEPOp

_AXES = ("x", "y", "z")
_ARRIVALS = (nvvm.ClusterArriveOp, nvvm.ClusterArriveRelaxedOp)


def cluster_of(function: FuncOp, make: Expressions) -> Cluster:
    """The cluster that a kernel is launched in; of one block without an attribute."""
    value = function.attributes.get("nvvm.cluster_dim")
    extents = [1, 1, 1]
    if isinstance(value, DenseArrayBase):
        extents = [*(int(extent) for extent in value.iter_values()), 1, 1, 1][:3]
    return Cluster.of(make, extents, [f"cluster.ctaid.{axis}" for axis in _AXES])


def cluster_register(name: str, cluster: Cluster) -> Expr | None:
    """A special register that says where the block is in its cluster (PTX ISA)."""
    axis = _AXES.index(name[-1]) if name[-1] in _AXES else 0
    match name.removesuffix(f".{name[-1]}"):
        case "cluster.ctaid":
            return cluster.indices[axis]
        case "cluster.nctaid":
            return Constant(cluster.extents[axis])
        case "cluster.ctarank":
            return cluster.rank()
        case "cluster.nctarank":
            return Constant(cluster.blocks)
        case _:
            return None


def is_of_peer(address: SSAValue) -> bool:
    """Whether an address is in the shared memory that `mapa` finds in some block."""
    while isinstance(owner := address.owner, AddrSpaceCastOp | GEPOp):
        address = owner.value if isinstance(owner, AddrSpaceCastOp) else owner.base
    return isinstance(owner, nvvm.MapaOp)


def meeting(op: Operation) -> Event | None:
    """
    The barrier of the cluster that an arrival is together with the wait after it; None
    of the wait.
    """
    if isinstance(op, nvvm.ClusterWaitOp):
        if not isinstance(op.prev_op, _ARRIVALS):
            raise NotModelled(op, f"{op.name} that does not follow its arrival")
        return None
    if not isinstance(op.next_op, nvvm.ClusterWaitOp):
        raise NotModelled(op, f"{op.name} without the wait right after it")
    if op.attributes.get("aligned") is None and "aligned" not in op.properties:
        raise NotModelled(op, f"{op.name} that is not aligned")
    return Event(op, Kind.CLUSTER)


def reaches_peers(steps: Sequence[Step]) -> bool:
    """Whether a block arrives at, or copies to, others of its cluster."""
    return any(
        isinstance(step, Event)
        and step.kind in (Kind.ARRIVE, Kind.LOAD)
        and len(step.exprs) > RANKS
        for step in walk(steps)
    )


RANKS = 3
"""Which expression of an arrival or load says what blocks it reaches."""


def check_relaxed(steps: Sequence[Step]) -> Refuted | None:
    """
    What is wrong with an arrival at the barrier of the cluster that orders no memory.

    Only mbarriers may be initialised before it: their fence makes that visible to the
    cluster (PTX ISA, `fence.mbarrier_init`).
    """
    hidden: list[Event] = []
    before: Event | None = None
    for event in walk(steps):
        if not isinstance(event, Event):
            continue
        match event.kind:
            case Kind.INIT:
                hidden.append(event)
            case Kind.INIT_FENCE:
                hidden.clear()
            case Kind.CLUSTER if isinstance(event.op, nvvm.ClusterArriveRelaxedOp):
                if hidden:
                    return _unseen(event, hidden[0])
                if before is not None:
                    raise NotModelled(
                        event.op, "an arrival that does not order what comes before it"
                    )
            case Kind.CLUSTER:
                hidden.clear()
                before = None
            case Kind.ARRIVE | Kind.CP_ARRIVE | Kind.CP_ASYNC | Kind.PRODUCT:
                before = before or event
            case Kind.LOAD | Kind.STORE:
                before = before or event
            case _ if event.kind in MEMORY:
                before = before or event
            case _:
                pass
    return None


def _unseen(event: Event, init: Event) -> Refuted:
    return Refuted(
        Rule.MISSING_FENCE,
        event.op,
        f"{Rule.MISSING_FENCE}: must come after a fence that shows the cluster what is "
        "initialised, got none",
        notes=((init.op, "the mbarrier is initialised here"),),
        hint="put nvvm.fence.mbarrier.init after nvvm.mbarrier.init",
    )
