"""Barriers of a block and of a cluster, at hardware level."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.hardware.events import Event, Kind
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import Constant, Expr, Rendezvous
from croqtile_mlir.analysis.sync.not_modelled import NotModelled


def meet(event: Event, exprs: tuple[Expr, ...], values: Values) -> Rendezvous:
    """What a warp does at a barrier that all of its lanes enter."""
    if event.kind is Kind.CLUSTER:
        threads = values.threads * values.cluster.blocks
        return Rendezvous(event.op, "of the cluster", threads, cluster=True)
    number, size = exprs
    if not isinstance(number, Constant) or not isinstance(size, Constant):
        raise NotModelled(event.op, "the number or size of a barrier")
    return Rendezvous(
        event.op,
        f"barrier {number.value}",
        size.value,
        arrive_only=event.reads_only,
    )
