"""Folding keeps the value of every expression."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i1, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.passes.fold_arith import FoldArithPass

MASK = {1: 1, 32: (1 << 32) - 1, 64: (1 << 64) - 1}
BINARY: dict[type[Operation], Callable[[int, int, int], int]] = {
    arith.AddiOp: lambda a, b, w: a + b,
    arith.SubiOp: lambda a, b, w: a - b,
    arith.MuliOp: lambda a, b, w: a * b,
    arith.AndIOp: lambda a, b, w: a & b,
    arith.OrIOp: lambda a, b, w: a | b,
    arith.XOrIOp: lambda a, b, w: a ^ b,
    arith.ShLIOp: lambda a, b, w: a << b if b < w else 0,
    arith.ShRUIOp: lambda a, b, w: a >> b if b < w else 0,
    arith.DivUIOp: lambda a, b, w: a // b if b else 0,
    arith.RemUIOp: lambda a, b, w: a % b if b else 0,
}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def width(value: SSAValue) -> int:
    assert isa(value.type, IntegerType)
    return value.type.bitwidth


def evaluate(op: Operation, values: dict[SSAValue, int]) -> int:
    """The value of one op, as an unsigned integer of its width."""
    args = [values[v] for v in op.operands]
    bits = width(op.results[0])
    rule = BINARY.get(type(op))
    if rule is not None:
        return rule(args[0], args[1], bits) & MASK[bits]
    match op:
        case arith.ConstantOp():
            assert isinstance(op.value, IntegerAttr)
            return op.value.value.data & MASK[bits]
        case arith.CmpiOp():
            predicate = PREDICATES[op.predicate.value.data]
            half = 1 << (width(op.lhs) - 1)
            a, b = [(x ^ half) - half for x in args] if predicate[0] == "s" else args
            return int(
                {
                    "eq": a == b,
                    "ne": a != b,
                    "lt": a < b,
                    "le": a <= b,
                    "gt": a > b,
                    "ge": a >= b,
                }[predicate if predicate in ("eq", "ne") else predicate[1:]]
            )
        case arith.SelectOp():
            return args[1] if args[0] else args[2]
        case arith.ExtUIOp() | arith.TruncIOp():
            return args[0] & MASK[bits]
        case _:
            half = 1 << (width(op.operands[0]) - 1)
            return ((args[0] ^ half) - half) & MASK[bits]


def random_program(rng: random.Random, size: int) -> ModuleOp:
    block = Block(arg_types=[i32, i32, i64, i1])
    pools: dict[int, list[SSAValue]] = {
        32: [*block.args[:2]],
        64: [block.args[2]],
        1: [block.args[3]],
    }
    interesting = (0, 1, 2, 3, 5, 8, 64, 96, -1, -8, 1 << 30)
    for _ in range(size):
        bits = rng.choice((32, 32, 64, 1))
        kind = {32: i32, 64: i64, 1: i1}[bits]
        choice = rng.random()
        a, b = rng.choice(pools[bits]), rng.choice(pools[bits])
        if choice < 0.3:
            value = rng.choice(interesting) if bits > 1 else rng.choice((0, -1))
            op: Operation = arith.ConstantOp(IntegerAttr(value, kind))
        elif choice < 0.8:
            op = rng.choice(list(BINARY)).create(operands=[a, b], result_types=[kind])
        elif choice < 0.86:
            op = arith.CmpiOp(a, b, rng.choice(PREDICATES))
        elif choice < 0.92:
            op = arith.SelectOp(rng.choice(pools[1]), a, b)
        elif bits == 64:
            op = rng.choice((arith.ExtUIOp, arith.ExtSIOp))(rng.choice(pools[32]), i64)
        elif bits == 32:
            op = arith.TruncIOp(rng.choice(pools[64]), i32)
        else:
            continue
        block.add_op(op)
        pools[width(op.results[0])].append(op.results[0])
    results = [rng.choice(pools[32]), rng.choice(pools[64]), rng.choice(pools[1])]
    # Stores keep the results alive and give them an order.
    address = block.insert_arg(llvm_ext.pointer(1), 4)
    for value in results:
        block.add_op(llvm_ext.StoreOp(value, address))
    block.add_op(llvm_ext.ReturnOp())
    function = FuncOp(
        "f",
        llvm_ext.LLVMFunctionType([arg.type for arg in block.args]),
        body=Region(block),
    )
    return ModuleOp([function])


def run(module: ModuleOp, inputs: list[int]) -> list[int]:
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    block = function.body.block
    values: dict[SSAValue, int] = dict(zip(block.args, inputs, strict=True))
    stored: list[int] = []
    for op in block.ops:
        if isinstance(op, llvm_ext.StoreOp):
            stored.append(values[op.value])
        elif op.results:
            values[op.results[0]] = evaluate(op, values)
    return stored


def divides_by_zero(module: ModuleOp, inputs: list[int]) -> bool:
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    block = function.body.block
    values: dict[SSAValue, int] = dict(zip(block.args, inputs, strict=True))
    for op in block.ops:
        if isinstance(op, arith.DivUIOp | arith.RemUIOp) and not values[op.rhs]:
            return True
        if isinstance(op, arith.ShLIOp | arith.ShRUIOp):
            if values[op.rhs] >= width(op.rhs):
                return True
        if op.results:
            values[op.results[0]] = evaluate(op, values)
    return False


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_folding_keeps_values(seed: int, size: int):
    rng = random.Random(seed)
    module = random_program(rng, size)
    module.verify()
    cases = [
        [
            rng.getrandbits(32),
            rng.getrandbits(32),
            rng.getrandbits(64),
            rng.getrandbits(1),
            0,
        ]
        for _ in range(4)
    ]
    # Undefined values may fold to anything.
    cases = [case for case in cases if not divides_by_zero(module, case)]
    expected = [run(module, case) for case in cases]
    FoldArithPass().apply(new_context(), module)
    module.verify()
    assert [run(module, case) for case in cases] == expected
