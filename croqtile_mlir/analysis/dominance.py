"""Definitions dominate uses: a check that xDSL's verifier does not make."""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo

from croqtile_mlir.diagnostics import fail


class _Checker:
    def __init__(self) -> None:
        self._seen: set[SSAValue] = set()
        self._dominance: dict[Region, DominanceInfo] = {}

    def check_region(self, region: Region) -> None:
        # Counting the blocks of a region walks them.
        several = region.first_block is not region.last_block
        for block in region.blocks:
            self._seen.update(block.args)
            for op in block.ops:
                for operand in op.operands:
                    if operand not in self._seen or several:
                        self._check_use(op, operand)
                for inner in op.regions:
                    self.check_region(inner)
                self._seen.update(op.results)

    def _check_use(self, op: Operation, value: SSAValue) -> None:
        definition = value.owner
        block = definition if isinstance(definition, Block) else definition.parent
        user = _ancestor_in(op, block)
        if block is None or user is None:
            fail(
                op,
                f"operand {_name(value)} must be defined in a region around the op",
                notes=[(value, "it is defined here")],
            )
        if user is block:
            if isinstance(value, BlockArgument) or value in self._seen:
                return
        elif self._dominates(block, user):
            return
        fail(
            op,
            f"operand {_name(value)} must be defined before its use",
            notes=[(value, "it is defined here")],
        )

    def _dominates(self, block: Block, other: Block) -> bool:
        region = block.parent
        if region is None:
            return False
        if region not in self._dominance:
            self._dominance[region] = DominanceInfo(region)
        return self._dominance[region].dominates(block, other)


def _ancestor_in(op: Operation, block: Block | None) -> Block | None:
    """The block of the region of `block` that holds the op, if there is one."""
    if block is None:
        return None
    current = op.parent
    while current is not None:
        if current.parent is block.parent:
            return current
        parent = current.parent_op()
        current = None if parent is None else parent.parent
    return None


def _name(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else f"of type {value.type}"


def check_dominance(module: Operation) -> None:
    """
    Check that every operand is defined before it is used, on every path.

    Raises:
        CompileError: at the first use that is not, with a note at the definition.
    """
    checker = _Checker()
    for region in module.regions:
        checker.check_region(region)
