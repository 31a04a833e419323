"""Which ops do nothing but compute their results."""

from __future__ import annotations

import pytest
from pipeline.lowering import parse

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.dialects import croq

KERNEL = """
croq.kernel @effects (%in: !croq.tile<64xi32, global>) {{
  croq.parallel (%b) in (1) : block {{
    %narrow = arith.constant 7 : i16
    %word = arith.constant 9 : i32
    %index = arith.constant 11 : index
    {}
  }}
}}
"""

WITHOUT = [
    "%x = arith.extsi %narrow : i16 to i32",
    "%x = arith.extui %narrow : i16 to i32",
    "%x = arith.trunci %word : i32 to i8",
    "%x = arith.index_cast %word : i32 to index",
    "%x = arith.index_cast %index : index to i32",
    "%x = arith.remui %index, %index : index",
    "%x = arith.remsi %word, %word : i32",
    "%x = arith.divui %index, %index : index",
    "%x = arith.select %bit, %word, %word : i32",
    "%x = croq.cdiv %index, 3",
]

WITH = [
    "croq.barrier",
    "%x = croq.load %in[%index]",
    "croq.store %word, %in[3]",
]


def effect_free(text: str) -> bool:
    """Of the last op of the block."""
    module = parse(KERNEL.format(f"%bit = arith.constant true\n    {text}"))
    (block,) = (op for op in module.walk() if isinstance(op, croq.ParallelOp))
    last = block.body.block.last_op
    assert last is not None
    assert last.name in text
    return has_no_effect(last)


@pytest.mark.parametrize("text", WITHOUT)
def test_ops_that_only_compute(text: str):
    assert effect_free(text)


@pytest.mark.parametrize("text", WITH)
def test_ops_that_do_more(text: str):
    assert not effect_free(text)
