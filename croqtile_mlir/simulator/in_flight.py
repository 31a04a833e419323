"""Operations that somebody must wait for before the block ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Transfer
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

    def landed(self, transfer: Transfer) -> None:
        """What a waiter must know has happened."""
        self.slot, self.epoch = transfer.slot, transfer.act(self.op)


@dataclass(eq=False)
class _All:
    block: BlockState
    operations: list[Watched] = field(default_factory=list[Watched])

    def check(self) -> None:
        """Report what no agent has waited for."""
        engine = self.block.engine
        known = Clock()
        for agent in engine.agents:
            known.join(agent.clock)
        for operation in self.operations:
            epoch = operation.epoch
            if epoch is None or not known.saw(operation.slot, epoch):
                engine.fault(
                    FaultKind.UNFINISHED,
                    operation.op,
                    f"{operation.what} may be in flight when the block ends: no thread "
                    f"waits for it",
                )


def watch(frame: Frame, op: Operation, what: str) -> Watched:
    """Note an operation of an agent that must be waited for."""
    block = frame.block
    everything = block.objects.get("in flight")
    if everything is None:
        everything = block.objects["in flight"] = _All(block)
        block.engine.at_end.append(everything.check)
    operation = Watched(op, f"{what} of {frame.agent.name}")
    everything.operations.append(operation)
    return operation
