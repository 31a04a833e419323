"""Kernels with roles, events and rings that need nothing of Hopper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROWS = 64
COLS = 32


@dataclass(frozen=True)
class Ring:
    """
    Sums of rows: a producer fills a ring of `stages` tiles, a consumer adds them up.

    The consumer meets at a barrier of its own in every step.
    """

    engine: str = "cp_async"
    """What fills the ring."""

    stages: int = 3
    producers: str = "warps [0, 2)"
    consumers: str = "warps [2, 4)"
    by_slot: bool = False
    """The producer waits for the next generation of a slot, the consumer by number."""

    budgets: tuple[int, int] | None = None
    """Registers of each thread of the two roles."""

    def text(self, target: str | None = None) -> str:
        """The kernel, of a module that names a target."""
        budgets = self.budgets or (0, 0)
        first, second = (f" registers {n}" if n else "" for n in budgets)
        wait = "croq.wait %empty at %k"
        if self.by_slot:
            wait = f"""%s = arith.constant {self.stages} : index
        %slot = arith.remui %k, %s : index
        croq.wait %empty[%slot]"""
        kernel = f"""
croq.kernel @ring dims(M, K) (
    %in: !croq.tile<[M]x[K]xf32, global>, %sums: !croq.tile<[M]xf32, global>) {{
  %m_tiles = croq.cdiv M, {ROWS}
  %k_tiles = croq.cdiv K, {COLS}
  croq.parallel (%bm) in (%m_tiles) : block {{
    %full = croq.event : !croq.event<{self.stages}>
    %empty = croq.event ready : !croq.event<{self.stages}>
    %ring = croq.alloc : !croq.tile<{self.stages}x{ROWS}x{COLS}xf32, shared>
    %sums_s = croq.alloc : !croq.tile<{ROWS}xf32, shared>
    croq.role "producer" {self.producers}{first} {{
      croq.foreach %k in %k_tiles {{
        {wait}
        %from = croq.subspan %in [{ROWS}, {COLS}] tile (%bm, %k)
        %to = croq.slot %ring at %k
        %f = croq.copy_async %from => %to engine({self.engine})
        croq.trigger %full at %k after %f
      }}
    }}
    croq.role "consumer" {self.consumers}{second} {{
      croq.parallel (%row) in ({ROWS}) : thread {{
        %zero = arith.constant 0.0 : f32
        croq.store %zero, %sums_s[%row]
      }}
      croq.foreach %k in %k_tiles {{
        croq.wait %full at %k
        %tile = croq.slot %ring at %k
        croq.parallel (%row) in ({ROWS}) : thread {{
          %before = croq.load %sums_s[%row]
          %sum = croq.foreach %col in {COLS} iter(%s = %before) {{
            %x = croq.load %tile[%row, %col]
            %t = arith.addf %s, %x : f32
            croq.yield %t : f32
          }}
          croq.store %sum, %sums_s[%row]
        }}
        croq.trigger %empty at %k
      }}
      %out = croq.subspan %sums [{ROWS}] tile (%bm)
      croq.copy %sums_s => %out engine(threads)
    }}
  }}
}}
"""
        if target is None:
            return kernel
        return f'builtin.module attributes {{croq.target = "{target}"}} {{{kernel}}}'


RINGS: Sequence[Ring] = (
    Ring(),
    Ring(engine="threads", stages=2),
    Ring(stages=1, by_slot=True),
    Ring(stages=4, by_slot=True, producers="warps [0, 1)", consumers="warps [1, 3)"),
    Ring(
        producers="warpgroups [0, 1)", consumers="warpgroups [1, 2)", budgets=(40, 232)
    ),
)


def arrays(rows: int, cols: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Random numbers, and an output that holds something else."""
    rng = np.random.default_rng(rows + 7 * cols)
    return rng.standard_normal((rows, cols)).astype("f4"), np.full(rows, np.nan, "f4")
