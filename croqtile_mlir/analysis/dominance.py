"""
Definitions dominate uses: a check that xDSL's verifier does not make.

As in MLIR, a block that the entry cannot reach is dominated by every block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from croqtile_mlir.diagnostics import fail


def _successors(block: Block) -> Sequence[Block]:
    return () if block.last_op is None else block.last_op.successors


def _postorder(entry: Block) -> Iterator[Block]:
    """The blocks that the entry reaches, each after what it leads to first."""
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, rest = stack[-1]
        following = next((b for b in rest if b not in seen), None)
        if following is None:
            stack.pop()
            yield block
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))


class DominatorTree:
    """
    The immediate dominators of a region's blocks.

    The iteration is the one of Cooper, Harvey and Kennedy, "A simple, fast dominance
    algorithm".
    """

    def __init__(self, region: Region):
        entry = region.first_block
        order = [] if entry is None else list(_postorder(entry))[::-1]
        self._number = {block: number for number, block in enumerate(order)}
        predecessors: list[list[int]] = [[] for _ in order]
        for number, block in enumerate(order):
            for successor in _successors(block):
                predecessors[self._number[successor]].append(number)
        self._parent = [0] + [-1] * (len(order) - 1)
        changed = True
        while changed:
            changed = False
            for number in range(1, len(order)):
                known = [p for p in predecessors[number] if self._parent[p] >= 0]
                parent = known[0]
                for other in known[1:]:
                    parent = self._common(parent, other)
                if parent != self._parent[number]:
                    self._parent[number] = parent
                    changed = True

    def _common(self, a: int, b: int) -> int:
        while a != b:
            if a > b:
                a = self._parent[a]
            else:
                b = self._parent[b]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether every path from the entry to `b` goes through `a`."""
        number = self._number.get(b)
        if number is None:
            return True
        wanted = self._number.get(a)
        if wanted is None:
            return False
        while number > wanted:
            number = self._parent[number]
        return number == wanted


class _Checker:
    def __init__(self) -> None:
        self._done: set[Operation] = set()
        """The ops that are before the current one, or inside those."""
        self._trees: dict[Region, DominatorTree] = {}

    def check_region(self, region: Region) -> None:
        for block in region.blocks:
            for op in block.ops:
                for operand in op.operands:
                    self._check_use(op, operand)
                for inner in op.regions:
                    self.check_region(inner)
                self._done.add(op)

    def _check_use(self, op: Operation, value: SSAValue) -> None:
        if isinstance(value, BlockArgument):
            block, in_order = value.block, True
        else:
            definition = value.owner
            block = definition if isinstance(definition, Block) else definition.parent
            in_order = definition in self._done
        user = _ancestor_in(op, block)
        if block is None or user is None:
            fail(
                op,
                f"operand {_name(value)} must be defined in a region around the op",
                notes=[(value, "it is defined here")],
            )
        if in_order if user is block else self._dominates(block, user):
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
        if region not in self._trees:
            self._trees[region] = DominatorTree(region)
        return self._trees[region].dominates(block, other)


def _ancestor_in(op: Operation, block: Block | None) -> Block | None:
    """The block of the region of `block` that holds the op, if there is one."""
    if block is None:
        return None
    current = op.parent
    while current is not None:
        if current is block or current.parent is block.parent:
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
