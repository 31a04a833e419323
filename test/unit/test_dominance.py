"""The dominance check, on graphs of blocks and on nested regions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf, test
from xdsl.dialects.builtin import ModuleOp, i1, i32
from xdsl.ir import Block, Operation, Region
from xdsl.irdl.dominance import DominanceInfo

from croqtile_mlir.analysis.dominance import DominatorTree, check_dominance
from croqtile_mlir.diagnostics import CompileError


def define() -> Operation:
    return test.TestOp(result_types=[i32])


def use(op: Operation) -> Operation:
    return test.TestOp([op.results[0]])


def region_of(edges: list[set[int]]) -> tuple[Region, list[Block]]:
    """A region with one block for each entry, which branches to the blocks named."""
    blocks = [Block() for _ in edges]
    for block, targets in zip(blocks, edges, strict=True):
        block.add_op(test.TestTermOp(successors=[blocks[t] for t in sorted(targets)]))
    return Region(blocks), blocks


def test_a_value_does_not_leave_its_region():
    inner = define()
    condition = test.TestOp(result_types=[i1])
    branch = scf.IfOp(condition.results[0], [], [inner, scf.YieldOp()])
    module = ModuleOp([condition, branch, use(inner)])
    module.verify()
    with pytest.raises(CompileError, match="must be defined in a region around the op"):
        check_dominance(module)


def test_a_value_is_not_visible_inside_the_op_that_defines_it():
    inside = Block()
    op = test.TestOp(result_types=[i32], regions=[Region(inside)])
    inside.add_op(use(op))
    with pytest.raises(CompileError, match="must be defined before its use"):
        check_dominance(ModuleOp([op]))


def test_values_are_visible_in_regions_below():
    outer = define()
    inside = use(outer)
    deep = test.TestOp(regions=[Region(Block([inside]))])
    check_dominance(ModuleOp([outer, test.TestOp(regions=[Region(Block([deep]))])]))


def test_an_unreachable_block_may_use_anything():
    region, blocks = region_of([set(), {2}, set()])
    value = define()
    blocks[1].insert_op_before(value, blocks[1].ops.first or value)
    late = use(value)
    blocks[2].insert_op_before(late, blocks[2].ops.first or late)
    check_dominance(ModuleOp([test.TestOp(regions=[region])]))


def test_a_reachable_block_may_not_use_what_is_unreachable():
    region, blocks = region_of([{2}, {2}, set()])
    value = define()
    blocks[1].insert_op_before(value, blocks[1].ops.first or value)
    late = use(value)
    blocks[2].insert_op_before(late, blocks[2].ops.first or late)
    with pytest.raises(CompileError, match="must be defined before its use"):
        check_dominance(ModuleOp([test.TestOp(regions=[region])]))


@st.composite
def graphs(draw: st.DrawFn) -> list[set[int]]:
    count = draw(st.integers(2, 9))
    # The entry block of a region has no predecessors.
    targets = st.sets(st.integers(1, count - 1), max_size=3)
    return [draw(targets) for _ in range(count)]


def reachable(edges: list[set[int]]) -> set[int]:
    found, stack = {0}, [0]
    while stack:
        for target in edges[stack.pop()]:
            if target not in found:
                found.add(target)
                stack.append(target)
    return found


@given(graphs())
def test_tree_agrees_with_the_definition(edges: list[set[int]]):
    """Where all blocks are reachable, xDSL's sets are the plain definition."""
    keep = sorted(reachable(edges))
    renamed = [{keep.index(t) for t in edges[old]} for old in keep]
    region, blocks = region_of(renamed)
    tree, sets = DominatorTree(region), DominanceInfo(region)
    for a in blocks:
        for b in blocks:
            assert tree.dominates(a, b) == sets.dominates(a, b)
