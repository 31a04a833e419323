"""The largest values of indices, and of what nothing is known."""

from __future__ import annotations

import pytest
from pipeline.lowering import parse

from croqtile_mlir.analysis.view_bounds import greatest
from croqtile_mlir.dialects import croq

KERNEL = """
croq.kernel @bounds dims(M) (%in: !croq.tile<[M]xf32, global>) {{
  croq.parallel (%b, %c) in (7, M) : block threads 64 {{
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %minus = arith.constant -1 : index
    %open = croq.dim M
    %bit = arith.cmpi ult, %c, %open : index
    croq.foreach %k in 1 to %b step 2 {{
      croq.foreach %r in 1 to 10 step 4 {{
        croq.foreach %n in -3 to 5 {{
          {}
          %found = arith.addi %x, %two : index
        }}
      }}
    }}
  }}
}}
"""

KNOWN = {
    "arith.addi %b, %b : index": 12,
    "arith.muli %b, %three : index": 18,
    # %b is 6 at most: 1, 3 and 5.
    "arith.muli %k, %two : index": 10,
    # 1, 5 and 9.
    "arith.addi %r, %b : index": 15,
    "arith.remui %c, %three : index": 2,
    "arith.remui %b, %open : index": 6,
    "arith.remui %two, %three : index": 2,
    "arith.divui %r, %two : index": 4,
    "arith.divui %r, %c : index": 9,
    "arith.shrui %r, %two : index": 2,
    "arith.shrui %r, %c : index": 9,
    "arith.shli %r, %two : index": 36,
    "arith.minui %c, %r : index": 9,
    "arith.select %bit, %b, %r : index": 9,
    "arith.andi %c, %three : index": 3,
    "croq.cdiv %r, 2": 5,
    "croq.cdiv 384, 128": 3,
    "croq.thread_id": 63,
}

UNKNOWN = [
    "croq.dim M",
    "croq.cdiv M, 128",
    "arith.addi %c, %two : index",
    "arith.addi %b, %minus : index",
    "arith.subi %two, %b : index",
    "arith.muli %n, %n : index",
    "arith.divui %n, %two : index",
    "arith.select %bit, %b, %c : index",
    "arith.shli %r, %c : index",
    "arith.remui %c, %open : index",
]


def bound(text: str) -> int | None:
    module = parse(KERNEL.format(f"%x = {text}"))
    (result,) = (
        op.operands[0]
        for op in module.walk()
        if op.results and op.results[0].name_hint == "found"
    )
    return greatest(result)


@pytest.mark.parametrize(("text", "most"), KNOWN.items())
def test_known(text: str, most: int):
    assert bound(text) == most


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown(text: str):
    assert bound(text) is None


def test_nothing_is_known_of_values_that_are_named():
    module = parse(KERNEL.format("%x = arith.addi %b, %two : index"))
    (block,) = (op for op in module.walk() if isinstance(op, croq.ParallelOp))
    index = block.body.block.args[0]
    assert greatest(index) == 6
    assert greatest(index, {index}) is None
