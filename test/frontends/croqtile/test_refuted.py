"""Kernels of the collection with one mistake each: all are refused."""

from __future__ import annotations

import pytest
from support.croqtile_sources import KERNELS, source

from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.pipeline import Lowering

MISTAKES = [
    # Nobody hands out the slots: the first wait never ends.
    ("matmul_events", "trigger empty[s];", "", "missing credit"),
    ("matmul_1p2c", "trigger empty[s];", "", "deadlock"),
    ("matmul_ready", "empty[STAGES] = ready", "empty[STAGES]", "missing credit"),
    # One of two consumers does not.
    ("two_consumers", "trigger empty;\n", "\n", "deadlock"),
    # Nobody gives a slot back.
    ("handoff", "trigger empty[stage];", "", "deadlock"),
    # The consumer waits for what was not triggered.
    ("matmul_events", "trigger full[stage];", "", "lost arrival"),
    # One wait too few: the slot is filled while it is read.
    ("matmul_events", "wait empty[stage];", "", "overwrite"),
    # One too few at the other end: it is read before it is filled.
    ("matmul_events", "wait full[stage];", "", "read before write"),
    # The slot of another iteration.
    ("matmul_events", "wait full[stage]", "wait full[(stage + 1) % 3]", "lost arrival"),
    # The consumer makes one step more.
    (
        "matmul_events",
        "}\n        foreach {iv_k} in [cdiv(K, MATMUL_TILE_K)]",
        "}\n        foreach {iv_k} in [cdiv(K, MATMUL_TILE_K) + 1]",
        "lost arrival",
    ),
    # An order that starts anew with each tile.
    (
        "matmul_persistent",
        "order = round * steps + k;\n            wait full",
        "order = k;\n            wait full",
        "early exit",
    ),
    # A copy in flight is used.
    (
        "double_buffer",
        "wait current;\n      parallel",
        "parallel",
        "data of current must be used after its copy is waited for",
    ),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    MISTAKES,
    ids=[f"{each[0]}-{number}" for number, each in enumerate(MISTAKES)],
)
def test_mistakes_are_refused(name: str, old: str, new: str, said: str):
    text = source(name).read_text()
    assert old in text
    wrong = source_of(text.replace(old, new, 1), defines=KERNELS[name].defines)
    with pytest.raises(CompileError, match=said):
        Lowering(wrong).run(until="verify-sync")
