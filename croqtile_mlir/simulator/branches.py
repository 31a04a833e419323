"""
Control flow between blocks of a function (`cf`, `llvm`).

Of lanes that part, those at the block that comes first in the text go on, until others
are there with them: what comes after a branch or a loop in the text is where they meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from xdsl.dialects import cf
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.simulator.actors import LOOP_PAUSE, Polling, Progress
from croqtile_mlir.simulator.control import within
from croqtile_mlir.simulator.program import (
    Body,
    Frame,
    Handlers,
    Maker,
    Mask,
    nothing,
)
from croqtile_mlir.simulator.values import merge_of


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
    order: int
    results: tuple[tuple[int, SSAValue], ...]
    """The registers of what the ops of the block compute."""


@dataclass(frozen=True)
class Graph:
    """The blocks of a region, made steps."""

    entry: Block
    nodes: dict[Block, _Node]

    @classmethod
    def of(cls, region: Region, maker: Maker) -> Graph:
        """Make the steps of all blocks."""
        nodes = {
            block: _node(block, order, maker)
            for order, block in enumerate(region.blocks)
        }
        return cls(region.blocks[0], nodes)

    def run(self, frame: Frame) -> Progress:
        """Execute from the first block until all lanes have returned."""
        around, turns = frame.mask, 0
        # Where lanes are; None: all that there are.
        lanes_at: dict[Block, Mask | None] = {self.entry: around}
        while lanes_at:
            block = min(lanes_at, key=lambda each: self.nodes[each].order)
            node = self.nodes[block]
            frame.mask = lanes_at.pop(block)
            alone = not lanes_at
            kept = [] if alone else [frame.values[at] for at, _ in node.results]
            yield from node.body.resume(frame)
            if not alone:
                # Other lanes may still need what they have computed here.
                _merge(frame, node.results, kept)
            if len(node.edges) > 1:
                turns += 1
                if turns % LOOP_PAUSE == 0:
                    yield Polling(node.op, "the condition of a loop")
            ways = self._ways(frame, node)
            self._hand_on(frame, ways, alone and len(ways) == 1)
            for edge, mask in ways:
                if edge.target in lanes_at:
                    mask = _joined(mask, lanes_at[edge.target])
                lanes_at[edge.target] = mask
        frame.mask = around

    def _ways(self, frame: Frame, node: _Node) -> list[tuple[_Edge, Mask | None]]:
        """The edges that active lanes take, with these lanes."""
        if not node.edges:
            return []
        first, mask = node.edges[0], frame.mask
        if node.condition is None:
            return [(first, mask)]
        taken = frame.values[node.condition]
        if taken.__class__ is not np.ndarray:
            return [(node.edges[0 if taken else 1], mask)]
        there, elsewhere = within(frame, taken), within(frame, ~taken)
        if there is None or elsewhere is None:
            return [(node.edges[1 if there is None else 0], mask)]
        return [(first, there), (node.edges[1], elsewhere)]

    def _hand_on(
        self, frame: Frame, ways: Sequence[tuple[_Edge, Mask | None]], alone: bool
    ) -> None:
        """Give the arguments of blocks their values, in the lanes that go there."""
        values, active = frame.values, frame.mask
        news = [[values[source] for source in edge.sources] for edge, _ in ways]
        for (edge, mask), given in zip(ways, news, strict=True):
            arguments = self.nodes[edge.target].body.arguments
            olds = [values[argument] for argument in arguments]
            for argument, new in zip(arguments, given, strict=True):
                values[argument] = new
            if not alone:
                frame.mask = mask
                pairs = zip(arguments, edge.target.args, strict=True)
                _merge(frame, tuple(pairs), olds)
        frame.mask = active


def _joined(mask: Mask | None, others: Mask | None) -> Mask | None:
    """The lanes of two masks."""
    if mask is None or others is None or (mask | others).all():
        return None
    return mask | others


def _merge(
    frame: Frame, registers: Sequence[tuple[int, SSAValue]], olds: Sequence[Any]
) -> None:
    """Keep old values of registers in the lanes that are not active."""
    mask = frame.mask
    if mask is None:
        return
    for (register, value), old in zip(registers, olds, strict=True):
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        if old is not None and op is not None:
            new = frame.values[register]
            frame.values[register] = merge_of(value.type, op)(frame, mask, new, old)


def _node(block: Block, order: int, maker: Maker) -> _Node:
    body, last = maker.body(block), block.last_op
    condition: int | None = None
    edges: tuple[_Edge, ...] = ()
    match last:
        case cf.BranchOp() | llvm.BrOp():
            edges = (_Edge(last.successor, maker.registers(last.arguments)),)
        case cf.ConditionalBranchOp() | llvm.CondBrOp():
            condition = maker.register(last.cond)
            edges = (
                _Edge(last.then_block, maker.registers(last.then_arguments)),
                _Edge(last.else_block, maker.registers(last.else_arguments)),
            )
        case _:
            pass
    results = tuple(
        (maker.register(result), result) for op in block.ops for result in op.results
    )
    return _Node(body, last, condition, edges, order, results)


HANDLERS: Final[Handlers] = {
    cf.BranchOp: nothing,
    cf.ConditionalBranchOp: nothing,
    llvm.BrOp: nothing,
    llvm.CondBrOp: nothing,
    llvm.ReturnOp: nothing,
}
