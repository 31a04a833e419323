"""The registers that the threads of a block start with."""

from __future__ import annotations

import pytest

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import Level, ParallelOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.lowering.parallel_roles import entry_registers
from croqtile_mlir.targets.architecture import architecture

WGMMA = """
      %a = arith.constant 0 : i64
      %c = llvm.mlir.zero : !llvm.struct<(FIELDS)>
      %d = nvvm.wgmma.mma_async %a, %a, %c, <m = 64, n = 128, k = 16>,
        D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
        : !llvm.struct<(FIELDS)> -> !llvm.struct<(FIELDS)>
""".replace("FIELDS", ", ".join(["f32"] * 64))


def registers(*roles: tuple[int, int | None], wgmma: bool = False) -> int | None:
    """For roles of so many warpgroups with a budget; the last may have a wgmma."""
    text = ["croq.kernel @k () {", "  croq.parallel (%b) in (1) : block {"]
    first = 0
    for warpgroups, budget in roles:
        stated = "" if budget is None else f" registers {budget}"
        last = first + warpgroups
        text.append(f'    croq.role "{first}" warpgroups [{first}, {last}){stated} {{')
        if wgmma and last == sum(count for count, _ in roles):
            text.append(WGMMA)
        text.append("    }")
        first = last
    text += ["  }", "}"]
    module = parse_text(new_context(), "\n".join(text), "roles.mlir")
    (block,) = [
        op
        for op in module.walk()
        if isinstance(op, ParallelOp) and op.level.data is Level.Block
    ]
    return entry_registers(
        new_context(), block.body.block, 128 * first, architecture("sm_90a")
    )


@pytest.mark.parametrize(
    ("roles", "wanted"),
    [
        ([(1, None), (1, None)], None),
        ([(1, 40), (1, 232)], 224),
        ([(1, 40), (2, 232)], 168),
        ([(1, 24), (2, 240)], 168),
        ([(1, 32), (3, 160)], 128),
        ([(2, 96)], 96),
        ([(1, 40), (1, 96)], 88),
        ([(1, 40), (1, 48)], 48),
        # Threads without a budget keep what they start with: as much as there is.
        ([(1, 40), (1, None)], 248),
        ([(1, 40), (1, 240), (1, None)], 168),
    ],
)
def test_registers(roles: list[tuple[int, int | None]], wanted: int | None):
    assert registers(*roles) == wanted


def test_a_wgmma_fits_in_what_threads_start_with():
    assert registers((1, 40), (1, 96), wgmma=True) == 96
    assert registers((1, 40), (1, 232), wgmma=True) == 224


@pytest.mark.parametrize(
    ("roles", "numbers"),
    [
        ([(1, 40), (3, 160)], "65536 registers .* 512 threads .* got 66560"),
        ([(3, 240)], "64512 registers .* 384 threads .* got 92160"),
        ([(1, 256), (1, 256)], "63488 registers .* 256 threads .* got 65536"),
    ],
)
def test_too_many(roles: list[tuple[int, int | None]], numbers: str):
    with pytest.raises(CompileError, match=numbers):
        registers(*roles)
