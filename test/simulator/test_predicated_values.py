"""Predicated branches with values of every type, at hardware level and as PTX text."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest
from pipeline.lowering import parse, run

from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.launch.plan import ATTRIBUTE, LaunchPlan
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.ptx.kernel import executable
from croqtile_mlir.simulator.simulate import Options, run_loaded
from croqtile_mlir.targets.ptx import ptx_text
from simulator.hardware_kernels import Tile, kernel_text, texts

THREADS = 64
WORDS = 4
"""Of each thread: it has 16 bytes of `a`, `b` and `out`."""

SCALARS = ("i8", "f16", "i32", "f32", "i64")
VECTORS = ("vector<2xi32>", "vector<4xi32>", "vector<4xf32>", "vector<8xf16>")
TYPES = (*SCALARS, *VECTORS)


START = """
%key_offset = arith.muli %tid, %i4 : i32
%key_at = llvm.getelementptr %key[%key_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%number = llvm.load %key_at : !llvm.ptr<1> -> i32
%bit = arith.andi %number, %i1 : i32
%odd = arith.cmpi eq, %bit, %i1 : i32
%i16 = arith.muli %i4, %i4 : i32
%offset = arith.muli %tid, %i16 : i32
%a_at = llvm.getelementptr %a[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%b_at = llvm.getelementptr %b[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%near = llvm.getelementptr %out[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%far = llvm.getelementptr %near[1024] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
"""

CHOSEN = """
%from_b = llvm.load %b_at : !llvm.ptr<1> -> TYPE
%value, %small = scf.if %odd -> (TYPE, i1) {
  %from_a = llvm.load %a_at : !llvm.ptr<1> -> TYPE
  %less = arith.cmpi slt, %number, %i9 : i32
  scf.yield %from_a, %less : TYPE, i1
} else {
  %more = arith.cmpi sgt, %number, %i5 : i32
  scf.yield %from_b, %more : TYPE, i1
}
scf.if %small {
  llvm.store %value, %near : TYPE, !llvm.ptr<1>
} else {
  llvm.store %value, %far : TYPE, !llvm.ptr<1>
}
"""
"""Results of both kinds of registers."""

STORED = """
scf.if %odd {
  %from_a = llvm.load %a_at : !llvm.ptr<1> -> TYPE
  %less = arith.cmpi slt, %number, %i9 : i32
  scf.if %less {
    llvm.store %from_a, %near : TYPE, !llvm.ptr<1>
  } else {
    llvm.store %from_a, %far : TYPE, !llvm.ptr<1>
  }
} else {
  %from_b = llvm.load %b_at : !llvm.ptr<1> -> TYPE
  %more = arith.cmpi sgt, %number, %i5 : i32
  scf.if %more {
    llvm.store %from_b, %near : TYPE, !llvm.ptr<1>
  } else {
    llvm.store %from_b, %far : TYPE, !llvm.ptr<1>
  }
}
"""

# `arith` does not compute with bytes.
CASES = [
    (way, type_)
    for type_ in TYPES
    for way in (("stored",) if type_ == "i8" else ("stored", "chosen"))
]


def body(way: str, type_: str) -> str:
    """
    Threads with an odd number in `key` take from `a`, the others from `b`.

    It goes to the first half of `out` where the number is below 9, or above 5.
    """
    return START + (CHOSEN if way == "chosen" else STORED).replace("TYPE", type_)


def size_of(type_: str) -> int:
    """Bytes of a type."""
    if type_.startswith("vector<"):
        count, element = type_[7:-1].split("x")
        return int(count) * size_of(element)
    return int(type_[1:]) // 8


@lru_cache
def lowered(way: str, type_: str) -> tuple[Loaded, Loaded, str]:
    """At hardware level and as PTX text, without branches."""
    words = (THREADS * WORDS,)
    tiles = [
        Tile("key", "i32", (THREADS,)),
        Tile("a", "i32", words),
        Tile("b", "i32", words),
        Tile("out", "i32", (2 * words[0],)),
    ]
    module = parse(kernel_text(tiles, body(way, type_), threads=THREADS))
    run(module, "predicate-branches,check-level{level=nvvm}")
    hardware = load_module(module.clone())
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    plan = LaunchPlan.from_attr(function.attributes[ATTRIBUTE])
    run(module, "convert-to-ptx,assign-registers,check-level{level=ptx}")
    text = ptx_text(module)
    return hardware, Loaded(executable(text, plan), plan, "ptx"), text


@pytest.mark.parametrize(("way", "type_"), CASES)
@pytest.mark.parametrize("level", ["nvvm", "ptx"])
def test_values(way: str, type_: str, level: str):
    hardware, instructions, _ = lowered(way, type_)
    random = np.random.default_rng(size_of(type_))
    key = random.integers(0, 16, THREADS).astype(np.int32)
    a, b, out = (
        random.integers(-(2**31), 2**31, count * THREADS * WORDS).astype(np.int32)
        for count in (1, 1, 2)
    )
    wanted = out.view(np.uint8).reshape(2, THREADS, 16).copy()
    for thread, number in enumerate(key.tolist()):
        source = a if number & 1 else b
        small = number < 9 if number & 1 else number > 5
        taken = source.view(np.uint8).reshape(THREADS, 16)[thread, : size_of(type_)]
        wanted[0 if small else 1, thread, : size_of(type_)] = taken
    kernel = hardware if level == "nvvm" else instructions
    report = run_loaded(kernel, (key, a, b, out), Options())
    assert not report.faults, texts(report.faults)
    np.testing.assert_array_equal(out.view(np.uint8).reshape(2, THREADS, 16), wanted)


@pytest.mark.parametrize(("way", "type_"), CASES)
def test_text(way: str, type_: str):
    text = lowered(way, type_)[2]
    assert "bra " not in text
    loads, stores = (2, 4) if way == "stored" else (1, 2)
    assert len(re.findall(r"@!?%p\d+ ld\.global", text)) == loads
    assert len(re.findall(r"@!?%p\d+ st\.global", text)) == stores
    if find_ptxas() is not None:
        assert assemble(text, "sm_90a").warnings == ()
