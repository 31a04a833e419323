"""Control flow between blocks of a function (`cf`, `llvm`): of whole warps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from xdsl.dialects import cf
from xdsl.ir import Block, Operation, Region

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.simulator.actors import LOOP_PAUSE, Polling, Progress
from croqtile_mlir.simulator.program import Body, Frame, Handlers, Maker, nothing
from croqtile_mlir.simulator.values import lanes_of


@dataclass(frozen=True)
class _Edge:
    target: Block
    sources: tuple[int, ...]


@dataclass(frozen=True)
class _Node:
    body: Body
    op: Operation | None
    condition: int | None
    edges: tuple[_Edge, ...]


@dataclass(frozen=True)
class Graph:
    """The blocks of a region, made steps."""

    entry: Block
    nodes: dict[Block, _Node]

    @classmethod
    def of(cls, region: Region, maker: Maker) -> Graph:
        """Make the steps of all blocks."""
        nodes = {block: _node(block, maker) for block in region.blocks}
        return cls(region.blocks[0], nodes)

    def run(self, frame: Frame) -> Progress:
        """Execute from the first block to a return."""
        values, block, turns = frame.values, self.entry, 0
        while True:
            node = self.nodes[block]
            yield from node.body.resume(frame)
            if not node.edges:
                return
            if len(node.edges) > 1:
                turns += 1
                if turns % LOOP_PAUSE == 0:
                    yield Polling(node.op, "the condition of a loop")
            edge = self._taken(frame, node)
            arguments = self.nodes[edge.target].body.arguments
            news = [values[source] for source in edge.sources]
            for argument, new in zip(arguments, news, strict=True):
                values[argument] = new
            block = edge.target

    def _taken(self, frame: Frame, node: _Node) -> _Edge:
        if node.condition is None:
            return node.edges[0]
        taken = frame.values[node.condition]
        if taken.__class__ is np.ndarray:
            lanes = lanes_of(taken, frame.agent.threads)[frame.lanes]
            if (lanes != lanes[0]).any():
                fail(
                    node.op,
                    "must go the same way in all lanes of a warp in the simulator",
                    hint="`scf.if` may diverge",
                )
            taken = bool(lanes[0])
        return node.edges[0 if taken else 1]


def _node(block: Block, maker: Maker) -> _Node:
    body, last = maker.body(block), block.last_op
    match last:
        case cf.BranchOp() | llvm.BrOp():
            return _Node(
                body,
                last,
                None,
                (_Edge(last.successor, maker.registers(last.arguments)),),
            )
        case cf.ConditionalBranchOp() | llvm.CondBrOp():
            return _Node(
                body,
                last,
                maker.register(last.cond),
                (
                    _Edge(last.then_block, maker.registers(last.then_arguments)),
                    _Edge(last.else_block, maker.registers(last.else_arguments)),
                ),
            )
        case _:
            return _Node(body, last, None, ())


HANDLERS: Final[Handlers] = {
    cf.BranchOp: nothing,
    cf.ConditionalBranchOp: nothing,
    llvm.BrOp: nothing,
    llvm.CondBrOp: nothing,
    llvm.ReturnOp: nothing,
}
