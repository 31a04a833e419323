"""
Random scalar kernels do at the ptx level what they do at the hardware level, with and
without `--fold-arith` in between.
"""

from __future__ import annotations

import random

import pytest
from support.scalar_machines import HardwareMachine, ScalarRegisterMachine
from support.scalar_programs import Program
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.ptx.structure import EntryOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes

_CONVERSION = "convert-to-ptx,assign-registers"


def _check(text: str, first: str, arguments: tuple[int, int], seed: int) -> None:
    ctx = new_context()
    module: ModuleOp = parse_text(ctx, text, "random.mlir")
    func = next(op for op in module.walk() if isinstance(op, llvm.FuncOp))
    expected = HardwareMachine()
    expected.run(func, [*arguments, 0])
    run_passes(ctx, module, parse_passes(f"{first}{_CONVERSION}"))
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    found = ScalarRegisterMachine()
    assert found.run(entry, [*arguments, 0], 100_000), f"seed {seed}"
    assert found.trace == expected.trace, f"seed {seed}"


@pytest.mark.parametrize("first", ["", "fold-arith,cse,"], ids=["plain", "folded"])
@pytest.mark.parametrize("size", [4, 12, 24])
def test_random_kernels(first: str, size: int) -> None:
    for seed in range(60):
        chance = random.Random(seed)
        text = Program(chance).text(size)
        # Small numbers make comparisons and loop bounds interesting.
        numbers = (chance.choice((0, 1, 2, 3, chance.getrandbits(32), 2**32 - 1)),)
        _check(text, first, (*numbers, chance.getrandbits(64)), seed)
