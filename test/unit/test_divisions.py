"""Unsigned division by constants without a division."""

from __future__ import annotations

import random

import pytest
from pipeline.lowering import instructions, parse, run
from support.scalar_machines import ScalarRegisterMachine

from croqtile_mlir.dialects.ptx.structure import EntryOp
from croqtile_mlir.lowering.ptx_conversion.divisions import Reciprocal
from croqtile_mlir.targets.ptx import ptx_text

MOST = (1 << 32) - 1


def _divisors(chance: random.Random) -> list[int]:
    some = [*range(3, 400), *(chance.getrandbits(32) for _ in range(400))]
    some += [641, 6700417, MOST, MOST - 1, (1 << 31) + 1, (1 << 31) - 1]
    return [d for d in some if d & (d - 1)]


def test_reciprocals():
    """The product with the reciprocal gives the quotient of all 32 bits."""
    chance = random.Random(3)
    for divisor in _divisors(chance):
        reciprocal = Reciprocal.of(divisor)
        assert reciprocal.multiplier < 1 << 33
        # With 33 bits one bit of the shift is taken before the last sum.
        assert reciprocal.multiplier >> 32 == 0 or reciprocal.shift > 0
        last = MOST // divisor * divisor
        ends = {0, 1, divisor - 1, divisor, last - 1, last, MOST}
        for value in ends | {chance.getrandbits(32) for _ in range(30)}:
            found = value * reciprocal.multiplier >> (32 + reciprocal.shift)
            assert found == value // divisor, (value, divisor)


@pytest.mark.parametrize("divisor", [0, 1, 4, 5, 7, 1 << 31, MOST])
def test_only_unknown_divisors_divide(divisor: int):
    module = parse(f"""
gpu.module @m {{
  llvm.func @f(%x: i32, %p: !llvm.ptr) attributes {{nvvm.kernel}} {{
    %d = arith.constant {divisor if divisor < 1 << 31 else divisor - (1 << 32)} : i32
    %q = arith.divui %x, %d : i32
    %r = arith.remui %x, %d : i32
    llvm.store %q, %p : i32, !llvm.ptr
    llvm.store %r, %p : i32, !llvm.ptr
    llvm.return
  }}
}}""")
    run(module, "convert-to-ptx,assign-registers")
    found = instructions(ptx_text(module))
    divisions = found["div.u32"] + found["rem.u32"]
    assert divisions == (2 if divisor == 0 else 0)
    # Seven needs a multiplier of 33 bits; powers of two need none.
    assert found["mul.hi.u32"] == (2 if divisor in (5, 7, MOST) else 0)
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    for value in (0, 1, 4, 5, 13, 1 << 31, MOST - 1, MOST) if divisor else ():
        machine = ScalarRegisterMachine()
        assert machine.run(entry, [value, 0], 10)
        assert machine.trace == [value // divisor, value % divisor]
