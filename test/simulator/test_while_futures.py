"""Futures that a `scf.while` carries: how often it goes on depends on data."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

WALK = """
croq.kernel @walk dims(N) (
    %x: !croq.tile<[N]x64xi32, global>, %next: !croq.tile<[N]xi32, global>,
    %y: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %zero = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %buffer = croq.alloc : !croq.tile<1x64xi32, shared>
    %sums = croq.alloc : !croq.tile<64xi32, shared>
    croq.fill %sums, 0
    %start = croq.subspan %x [1, 64] tile (%zero, 0)
    %first = croq.copy_async %start => %buffer engine(ENGINE)
    %other = croq.any : FUTURE
    %to = croq.load %next[%zero]
    %last:3 = scf.while (%f = %first, %i = %to, %g = %other) : (FUTURE, i32, FUTURE)
        -> (i32, FUTURE, FUTURE) {
      %more = arith.cmpi sge, %i, %none : i32
      scf.condition(%more) %i, %f, %g : i32, FUTURE, FUTURE
    } do {
    ^bb0(%i: i32, %f: FUTURE, %g: FUTURE):
      %at = arith.index_cast %i : i32 to index
      %row = croq.subspan %x [1, 64] tile (%at, 0)
      %ahead = croq.data %g
      %h = croq.copy_async %row => %ahead engine(ENGINE)
      croq.await %f
      %now = croq.data %f
      croq.parallel (%t) in (64) : thread {
        %v = croq.load %now[0, %t]
        %s = croq.load %sums[%t]
        %sum = arith.addi %s, %v : i32
        croq.store %sum, %sums[%t]
      }
      %j = croq.load %next[%at]
      %p, %q = croq.swap %f, %h
      scf.yield %p, %j, %q : FUTURE, i32, FUTURE
    }
    croq.await %last#1
    %end = croq.data %last#1
    croq.parallel (%t) in (64) : thread {
      %v = croq.load %end[0, %t]
      %s = croq.load %sums[%t]
      %sum = arith.addi %s, %v : i32
      croq.store %sum, %y[%t]
    }
  }
}
""".replace("FUTURE", "!croq.future<!croq.tile<1x64xi32, shared>>")
"""The sum of the rows of a list: each row says which is the next, and -1 the end."""

LEVELS = ("croq", "lower-futures", "insert-barriers", "lower-events", "nvvm", "ptx")


def walk(engine: str) -> str:
    return WALK.replace("ENGINE", engine)


@lru_cache(maxsize=32)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def listed(rows: int, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, which comes after each in a list of some of them, and their sum."""
    random = np.random.default_rng(rows)
    x = random.integers(-(2**31), 2**31, (rows, 64)).astype("i4")
    order = [0, *random.permutation(np.arange(1, rows))[: length - 1].tolist()]
    after = np.full(rows, -1, "i4")
    for here, there in pairwise(order):
        after[here] = there
    return x, after, x[order].sum(axis=0, dtype="i4")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("engine", ["tma", "threads", "cp_async"])
def test_walk(engine: str, level: str) -> None:
    for rows, length, policy in ((1, 1, "rr"), (4, 2, "late"), (9, 6, "random:1")):
        x, after, expected = listed(rows, length)
        y = np.zeros(64, "i4")
        kernel = loaded(walk(engine), level)
        report = run(kernel, x, after, y, options=Options(policy))
        assert not report.faults
        assert (y == expected).all()


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_a_buffer_that_is_read_before_its_copy_is_there(level: str) -> None:
    text = walk("tma").replace("%now = croq.data %f", "%now = croq.data %h")
    x, after, _ = listed(9, 6)
    report = run(loaded(text, level), x, after, np.zeros(64, "i4"))
    assert FaultKind.RACE in {fault.kind for fault in report.faults}


def test_misuse_is_refused() -> None:
    """What a loop carries has a copy in flight in the end as in the beginning."""
    text = walk("tma").replace("croq.await %f\n", "")
    assert text != walk("tma")
    with pytest.raises(croq.CompileError, match=r"must|await"):
        croq.compile(text)


def test_what_is_decided() -> None:
    for level in ("select-engines", "nvvm"):
        lowering = Lowering(source_of(walk("tma")), verify_sync=False)
        lowering.run(until=level)
        (verdict,) = verdicts(lowering.module)
        assert type(verdict).__name__ == "Undecided"


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    ("engine", "target"), [("tma", "sm_90a"), ("cp_async", "sm_80")]
)
def test_assembled(engine: str, target: str) -> None:
    kernel = croq.compile(walk(engine), target=target)
    assert assemble(kernel.ptx, target).warnings == ()
