"""Matrix product kernels that differ from the example in one thing each."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Matmul:
    """`out = lhs * rhs^T` with one producer and `consumers` consumer warpgroups."""

    rows: int = 128
    cols: int = 128
    depth: int = 64
    stages: int = 4
    consumers: int = 1
    accumulator: str = "f32"
    rhs_first: bool = False
    """The producer loads B before A."""

    storer: bool = False
    """A role of its own stores the result; a third event tells it when."""

    budgets: bool = True

    def text(self) -> str:
        """The kernel as IR."""
        m, n, k = self.rows, self.cols, self.depth
        acc = f"!croq.acc<{m}x{n}x{self.accumulator}>"
        loads = [
            "%fa = croq.copy_async %a => %as engine(tma)",
            "%fb = croq.copy_async %b => %bs engine(tma)",
        ]
        futures = ["%fa", "%fb"]
        if self.rhs_first:
            loads.reverse()
            futures.reverse()
        few, many = (" registers 40", " registers 232") if self.budgets else ("", "")
        last = 1 + self.consumers
        store = f"""
      %o = croq.subspan %out [{m}, {n}] tile (%bm, %bn)
      croq.copy %o_s => %o engine(tma)"""
        done = event = role = ""
        if self.storer:
            event = "\n    %stored = croq.event : !croq.event<1>"
            done = "\n      croq.trigger %stored[0]"
            role = f"""
    croq.role "storer" warpgroups [{last}, {last + 1}){few} {{
      croq.wait %stored[0]{store}
    }}"""
        loads_text = "\n        ".join(loads)
        return f"""
croq.kernel @matmul dims(M, N, K) params(S = {self.stages}) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {{
  %m_tiles = croq.cdiv M, {m}
  %n_tiles = croq.cdiv N, {n}
  %k_tiles = croq.cdiv K, {k}
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {{
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event : !croq.event<[S]>{event}
    %a_s = croq.alloc : !croq.tile<[S]x{m}x{k}xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x{n}x{k}xf16, shared>
    %o_s = croq.alloc : !croq.tile<{m}x{n}xf16, shared>
    croq.role "producer" warpgroups [0, 1){few} {{
      croq.foreach %k in %k_tiles {{
        croq.wait %empty at %k
        %a = croq.subspan %lhs [{m}, {k}] tile (%bm, %k)
        %b = croq.subspan %rhs [{n}, {k}] tile (%bn, %k)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        {loads_text}
        croq.trigger %full at %k after {", ".join(futures)}
      }}
    }}
    croq.role "consumer" warpgroups [1, {last}){many} {{
      croq.foreach %s in S {{
        croq.trigger %empty at %s
      }}
      %zero = croq.mma.fill 0.0 : {acc}
      %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {{
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %empty at %k + S
        croq.yield %c3 : {acc}
      }}
      croq.mma.store %acc => %o_s{done if self.storer else store}
    }}{role}
  }}
}}
"""


def renamed(text: str) -> str:
    """The same kernel with other names for all values, dims, parameters and roles."""
    names: dict[str, str] = {}

    def other(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"%v{len(names)}_{len(names) * 7 % 10}")

    text = re.sub(r"%[a-z_]\w*", other, text)
    for old, new in (("M", "Rows"), ("N", "Cols"), ("K", "Depth"), ("S", "Stages")):
        text = re.sub(rf"\b{old}\b", new, text)
    text = text.replace('"producer"', '"a"').replace('"consumer"', '"b"')
    return text
