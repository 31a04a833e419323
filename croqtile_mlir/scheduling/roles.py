"""Dividing the body of a block into a producer and consumers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyOp,
    EventOp,
    ForeachOp,
    ParallelOp,
    root_of,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.in_flight import keep_one_in_flight
from croqtile_mlir.scheduling.needed_ops import Needed, has_effect, keep_needed
from croqtile_mlir.scheduling.rings import (
    Ring,
    add_producer_side,
    give_credits,
    release,
    wait_for_loads,
)


@dataclass(frozen=True)
class RoleBody:
    """A copy of the body of a block, for a role."""

    block: Block
    ops: dict[Operation, Operation]
    """Of the ops of the body: their copies."""

    values: dict[SSAValue, SSAValue]

    def loop(self, loop: ForeachOp) -> ForeachOp:
        """The copy of a loop."""
        copy = self.ops[loop]
        if not isinstance(copy, ForeachOp):
            raise TypeError("the copy of a loop is a loop")
        return copy

    def value(self, value: SSAValue) -> SSAValue:
        """The copy of a value; one that the block keeps is its own."""
        return self.values.get(value, value)

    def ring(self, ring: Ring) -> Ring:
        """A ring as it is in the copy."""
        loads = [self.ops[load] for load in ring.loads]
        return replace(
            ring,
            loop=self.loop(ring.loop),
            loads=tuple(load for load in loads if isinstance(load, CopyOp)),
            head=self.ops[ring.head],
            last_read=self.ops[ring.last_read],
            order=self.value(ring.order),
        )


def ops_of_roles(block: ParallelOp) -> list[Operation]:
    """The ops of a block that its roles execute; what they share stays outside."""
    return [op for op in block.body.block.ops if not isinstance(op, AllocOp | EventOp)]


def copy_body(
    block: ParallelOp, shared: Collection[SSAValue] | None = None
) -> RoleBody:
    """
    A copy of what the roles of a block execute.

    With `shared` it gets copies of all other buffers and events of the block, too.
    """
    copied = RoleBody(Block(), {}, {})
    for op in list(block.body.block.ops):
        if isinstance(op, AllocOp | EventOp):
            if shared is not None and op.results[0] not in shared:
                LocatedBuilder.after(op).insert(op.clone(copied.values))
            continue
        copy = op.clone(copied.values)
        copied.block.add_op(copy)
        copied.ops.update(zip(op.walk(), copy.walk(), strict=True))
    return copied


def erase_originals(block: ParallelOp) -> None:
    """Erase what the roles of a block execute, of which they have copies."""
    for op in reversed(ops_of_roles(block)):
        op.detach()
        op.erase(safe_erase=False)


def producer_body(block: ParallelOp, rings: Sequence[Ring]) -> Block:
    """
    A body of what the loads of rings need: they wait for empty slots and fill them.

    Loads whose place follows from more than arithmetic are a located error.
    """
    copied = copy_body(block)
    originals = {copy: op for op, copy in copied.ops.items()}
    roots = [op for ring in rings for op in add_producer_side(copied.ring(ring))]
    needed = Needed(copied.block, roots)
    for op in needed.effects():
        if op not in roots:
            fail(
                originals.get(op, op),
                "must not be needed to find what is loaded ahead: the producer does "
                "arithmetic only",
                notes=[(rings[0].loads[0], "the load is here")],
            )
    keep_needed(copied.block, needed)
    return copied.block


def consumer_body(block: ParallelOp, rings: Sequence[Ring], *, in_flight: int) -> Block:
    """
    The body of a block without the loads of its rings: their reads wait for full slots
    and release them, and each slot is released once to begin with.
    """
    copied = copy_body(block)
    for ring in reversed([copied.ring(ring) for ring in rings]):
        wait_for_loads(ring)
        if in_flight:
            keep_one_in_flight(ring.loop)
        release(ring, late=in_flight)
        start = LocatedBuilder.at_start(copied.block, ring.loop.location)
        give_credits(ring, start, ring.stages - in_flight)
    keep_effects(copied.block)
    return copied.block


def keep_effects(body: Block) -> None:
    """Erase what only computes what nobody uses."""
    keep_needed(body, Needed(body, [op for op in body.walk() if has_effect(op)]))


def buffers_of(ring: Ring) -> set[SSAValue]:
    """The buffers of the stages of a ring."""
    return {root_of(load.destination) for load in ring.loads}
