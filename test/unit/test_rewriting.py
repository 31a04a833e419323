"""Builders that keep locations and fold what they can."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, scf, test
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    constant_value,
    replace,
    replace_values,
)

PLACE = FileLineColLoc(StringAttr("k.mlir"), IntAttr(3), IntAttr(5))
index = IndexType()


def at_end(block: Block) -> LocatedBuilder:
    return LocatedBuilder.at_end(block, PLACE)


@pytest.fixture
def builder() -> LocatedBuilder:
    return at_end(Block())


def unknown(builder: LocatedBuilder, type: IntegerType | IndexType) -> SSAValue:
    return builder.insert(test.TestOp(result_types=[type])).results[0]


Fold = Callable[[LocatedBuilder, SSAValue, SSAValue], SSAValue]


FOLDS: list[tuple[IntegerType | IndexType, int, int, Fold, int]] = [
    (i32, 7, 5, lambda b, x, y: b.add(x, y), 12),
    (i32, 0x7FFFFFFF, 1, lambda b, x, y: b.add(x, y), -0x80000000),
    (i32, 7, 9, lambda b, x, y: b.sub(x, y), -2),
    (i32, 0x10000, 0x10000, lambda b, x, y: b.mul(x, y), 0),
    (i32, -2, 3, lambda b, x, y: b.udiv(x, y), 0x55555554),
    (i32, -2, 4, lambda b, x, y: b.udiv(x, y), 0x3FFFFFFF),
    (i32, -1, 10, lambda b, x, y: b.urem(x, y), 5),
    (i32, 13, 8, lambda b, x, y: b.urem(x, y), 5),
    (i32, -1, 28, lambda b, x, y: b.shr(x, y), 15),
    (i32, 3, 31, lambda b, x, y: b.shl(x, y), -0x80000000),
    (i32, 12, 10, lambda b, x, y: b.and_(x, y), 8),
    (i32, 12, 10, lambda b, x, y: b.or_(x, y), 14),
    (i32, 12, 10, lambda b, x, y: b.xor(x, y), 6),
    (index, 5, 7, lambda b, x, y: b.sub(x, y), -2),
    (i32, -1, 1, lambda b, x, y: b.cmp("slt", x, y), -1),
    (i32, -1, 1, lambda b, x, y: b.cmp("ult", x, y), 0),
    (i32, 3, 3, lambda b, x, y: b.cmp("uge", x, y), -1),
    (i32, 3, 4, lambda b, x, y: b.cmp("ne", x, y), -1),
    (i1, 1, 0, lambda b, x, y: b.not_(x), 0),
    (i1, 1, 0, lambda b, x, y: b.cast(x, i32), 1),
    (i32, -1, 0, lambda b, x, y: b.cast(x, i64), 0xFFFFFFFF),
    (i32, 0x1FF, 0, lambda b, x, y: b.cast(x, i8), -1),
    (i32, 0x1FF, 0, lambda b, x, y: b.cast(x, index), 0x1FF),
]


@pytest.mark.parametrize(("type", "a", "b", "fold", "result"), FOLDS)
def test_constants_fold(
    builder: LocatedBuilder,
    type: IntegerType | IndexType,
    a: int,
    b: int,
    fold: Fold,
    result: int,
):
    x, y = builder.constant(a, type), builder.constant(b, type)
    assert constant_value(fold(builder, x, y)) == result


IDENTITIES: list[Callable[[LocatedBuilder, SSAValue], SSAValue]] = [
    lambda b, x: b.add(x, 0),
    lambda b, x: b.add(0, x),
    lambda b, x: b.sub(x, 0),
    lambda b, x: b.mul(x, 1),
    lambda b, x: b.mul(1, x),
    lambda b, x: b.udiv(x, 1),
    lambda b, x: b.shl(x, 0),
    lambda b, x: b.shr(x, 0),
    lambda b, x: b.or_(x, 0),
    lambda b, x: b.xor(0, x),
    lambda b, x: b.and_(x, -1),
    lambda b, x: b.cast(x, i32),
    lambda b, x: b.select(b.i1(True), x, b.i32(3)),
    lambda b, x: b.select(b.i1(False), b.i32(3), x),
]


@pytest.mark.parametrize("same", IDENTITIES)
def test_identities_add_no_op(
    builder: LocatedBuilder, same: Callable[[LocatedBuilder, SSAValue], SSAValue]
):
    x = unknown(builder, i32)
    assert same(builder, x) is x


def test_powers_of_two_need_no_division(builder: LocatedBuilder):
    x = unknown(builder, index)
    assert isinstance(builder.udiv(x, 64).owner, arith.ShRUIOp)
    masked = builder.urem(x, 64).owner
    assert isinstance(masked, arith.AndIOp)
    assert constant_value(masked.rhs) == 63


def test_division_by_zero_is_left_to_run_time(builder: LocatedBuilder):
    zero = builder.urem(builder.i32(3), builder.i32(0))
    assert isinstance(zero.owner, arith.RemUIOp)


@pytest.mark.parametrize(
    ("source", "target", "op"),
    [
        (i32, i64, arith.ExtUIOp),
        (i64, i32, arith.TruncIOp),
        (index, i32, arith.IndexCastOp),
        (i32, index, arith.IndexCastOp),
    ],
)
def test_casts(
    builder: LocatedBuilder,
    source: IntegerType | IndexType,
    target: IntegerType | IndexType,
    op: type,
):
    result = builder.cast(unknown(builder, source), target)
    assert isinstance(result.owner, op)
    assert result.type == target


def test_every_op_has_the_location(builder: LocatedBuilder):
    x = unknown(builder, index)
    with builder.for_(0, x, 2) as (body, i):
        with body.if_(body.cmp("ult", i, 5)) as inner:
            inner.insert(test.TestOp([inner.mul(i, 3)]))
    module = ModuleOp(Region(builder.point.block))
    module.verify()
    inside = [op for op in module.walk() if op is not module]
    assert [op.location for op in inside] == [PLACE] * len(inside)
    loop = next(op for op in inside if isinstance(op, scf.ForOp))
    assert (constant_value(loop.lb), constant_value(loop.step)) == (0, 2)
    assert loop.ub is x


def test_an_own_location_is_kept(builder: LocatedBuilder):
    own = FileLineColLoc(StringAttr("other.mlir"), IntAttr(1), IntAttr(1))
    op = test.TestOp()
    op.location = own
    assert builder.insert(op).location is own


def test_replace_keeps_location_and_name():
    block = Block()
    old = at_end(block).insert(test.TestOp(result_types=[i32]))
    old.results[0].name_hint = "slot"
    user = at_end(block).insert(test.TestOp([old.results[0]]))
    new = test.TestOp(result_types=[i32])
    replace(old, [new], new.results)
    assert list(block.ops) == [new, user]
    assert user.operands[0] is new.results[0]
    assert (new.location, new.results[0].name_hint) == (PLACE, "slot")


def test_replace_values_keeps_the_name_that_is_there():
    block = Block()
    value = unknown(at_end(block), i32)
    value.name_hint = "kept"
    old = at_end(block).insert(test.TestOp(result_types=[i32]))
    old.results[0].name_hint = "gone"
    user = at_end(block).insert(test.TestOp([old.results[0]]))
    replace_values(old, [value])
    assert user.operands[0] is value
    assert value.name_hint == "kept"
