"""What must be over before a block ends and its shared memory is gone."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor, Transfer
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame
from croqtile_mlir.simulator.state import BlockState


@dataclass(eq=False)
class Watched:
    """One operation in flight."""

    op: Operation
    what: str
    slot: int = 0
    epoch: int | None = None
    by_peer: bool = False
    """Whether it is of another block of the cluster than the one that must not end."""

    def landed(self, transfer: Transfer) -> None:
        """What a waiter must know has happened."""
        self.slot, self.epoch = transfer.slot, transfer.act(self.op)


@dataclass(eq=False)
class _All:
    """
    Operations in flight, and accesses by other blocks of the cluster.

    The end of the block is ordered after what its threads know when they end.
    """

    block: BlockState
    operations: list[Watched] = field(default_factory=list[Watched])
    peers: dict[tuple[Operation, int], Watched] = field(
        default_factory=dict[tuple[Operation, int], Watched]
    )
    """Accesses by each op and slot of a peer, the last of each."""

    @classmethod
    def of(cls, block: BlockState) -> _All:
        """That of a block."""
        found = block.objects.get("in flight")
        if found is None:
            found = block.objects["in flight"] = cls(block)
            block.engine.at_end.append(found.check)
        return found

    def check(self) -> None:
        """Report what no agent has waited for."""
        engine = self.block.engine
        known = Clock()
        for agent in engine.agents:
            known.join(agent.clock)
        for operation in self.operations:
            epoch = operation.epoch
            if epoch is not None and known.saw(operation.slot, epoch):
                continue
            if operation.by_peer:
                self._report_peer(operation)
                continue
            engine.fault(
                FaultKind.UNFINISHED,
                operation.op,
                f"{operation.what} may be in flight when the block ends: no thread "
                f"waits for it",
            )
        for access in self.peers.values():
            if not known.saw(access.slot, access.epoch or 0):
                self._report_peer(access)

    def _report_peer(self, access: Watched) -> None:
        self.block.engine.fault(
            FaultKind.USE_AFTER_EXIT,
            access.op,
            f"{access.what} may come when the block of rank {self.block.rank} has "
            f"ended: nothing orders its end after it",
            hint="a barrier of the cluster must come before the end",
        )


def watch(
    frame: Frame, op: Operation, what: str, block: BlockState | None = None
) -> Watched:
    """Note an operation of an agent in a block, its own if left out; it must end."""
    target = block or frame.block
    by_peer = target is not frame.block
    operation = Watched(op, f"{what} of {frame.agent.name}", by_peer=by_peer)
    _All.of(target).operations.append(operation)
    return operation


def note_peer(block: BlockState, actor: Actor, op: Operation, what: str) -> None:
    """An actor of another block of the cluster accesses the memory of a block."""
    epoch = actor.act(op)
    access = Watched(op, f"{what} by {actor.name}", actor.slot, epoch, by_peer=True)
    _All.of(block).peers[op, actor.slot] = access
