"""Keeping one group of products in flight from one iteration to the next."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ForeachOp, MmaWaitOp, YieldOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def keep_one_in_flight(loop: ForeachOp) -> MmaWaitOp:
    """
    Let the products of an iteration run on into the next; after the loop they are
    waited for, which is the result.

    What an iteration reads is then free after the wait of the next one.
    """
    wait = _only_wait(loop)
    yielded = list(loop.yielded.operands)
    if wait.result not in yielded:
        fail(wait, "must be of an accumulator that the loop carries for in_flight=1")
    wait.properties["in_flight"] = IntAttr(1)
    result = loop.res[yielded.index(wait.result)]
    builder = LocatedBuilder.after(loop)
    builder.location = wait.location
    uses = list(result.uses)
    settled = builder.insert(MmaWaitOp(result, 0))
    settled.result.name_hint = result.name_hint
    for use in uses:
        use.operation.operands[use.index] = settled.result
    return settled


def _only_wait(loop: ForeachOp) -> MmaWaitOp:
    waits = [op for op in loop.body.walk() if isinstance(op, MmaWaitOp)]
    if len(waits) > 1:
        fail(
            waits[-1],
            f"must be the only wait of its loop for in_flight=1, got {len(waits)} of "
            "them",
            hint="close all products of an iteration by one croq.mma.commit",
        )
    (wait,) = waits
    for use in wait.result.uses:
        if not isinstance(use.operation, YieldOp):
            fail(
                use.operation,
                "must not use the accumulator in the loop for in_flight=1, whose "
                "products are in flight there",
                notes=[(wait, "this wait would leave a group in flight")],
            )
    return wait
