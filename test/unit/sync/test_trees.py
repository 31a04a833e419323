"""Reductions by halves: a counter shifts the distance of the threads that meet."""

from __future__ import annotations

import numpy as np

import croqtile_mlir as croq

TREE = """
croq.kernel @tree (%x: !croq.tile<64xi32, global>, %y: !croq.tile<1xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %a = croq.alloc : !croq.tile<64xi32, shared>
    %half = arith.constant HALF : index
    %zero = arith.constant 0 : index
    croq.copy %x => %a engine(threads)
    croq.foreach %k in TURNS {
      %width = arith.shrui %half, %k : index
      croq.parallel (%t) in (64) : thread {
        %near = arith.cmpi BELOW, %t, %width : index
        scf.if %near {
          %o = arith.addi %t, %width : index
          %p = croq.load %a[%t]
          %q = croq.load %a[%o]
          %s = arith.addi %p, %q : i32
          croq.store %s, %a[%t]
        }
      }
    }
    croq.parallel (%t) in (64) : thread {
      %first = arith.cmpi eq, %t, %zero : index
      scf.if %first {
        %s = croq.load %a[%zero]
        croq.store %s, %y[%zero]
      }
    }
  }
}
"""


def tree(half: int = 32, turns: str = "6", below: str = "ult") -> str:
    text = TREE.replace("HALF", str(half)).replace("TURNS", turns)
    return text.replace("BELOW", below)


def test_it_is_proved():
    kernel = croq.compile(tree())
    assert not kernel.diagnostics
    x = np.random.default_rng(1).integers(-99, 99, 64).astype(np.int32)
    y = np.zeros(1, np.int32)
    kernel.simulate(x, y, policy="random:2")
    assert y[0] == x.sum()


def told(text: str) -> list[str]:
    """What is said of threads that meet."""
    kernel = croq.compile(text)
    return [str(each) for each in kernel.diagnostics if "of one body" in str(each)]


def test_a_thread_too_many_is_seen():
    """Thread `width` writes what thread 0 reads."""
    assert told(tree(half=16, turns="5")) == []
    assert told(tree(half=16, turns="5", below="ule"))


def test_too_many_turns_are_not_decided():
    assert told(tree(turns="65"))
