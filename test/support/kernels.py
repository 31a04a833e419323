"""Variants of the matrix product as text: what a user may change and must still run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Product:
    """
    out = lhs * rhs^T with tiles of `rows` x `cols` and steps of `depth`.

    Extents in elements; `consumers` warpgroups share the rows of a tile.
    """

    rows: int = 128
    cols: int = 128
    depth: int = 64
    consumers: int = 1
    stages: int = 3
    dtype: str = "f16"
    acc: str = "f32"
    rhs_first: bool = False
    """Load the right operand before the left one."""

    blocking: bool = False
    """Blocking copies followed by the trigger."""

    by_slot: bool = False
    """Name slots in waits, instead of orders."""

    ready: bool = False
    """The slots are free at the start, without initial credits."""

    in_flight: bool = False
    """Keep one group of products running, and release the slot before."""

    third_event: bool = False
    """The producer says on a third event that it is done; the consumer waits for it."""

    engine: str = "tma"
    names: tuple[str, str, str] = ("lhs", "rhs", "out")

    def text(self, name: str = "product") -> str:
        """The kernel."""
        lhs, rhs, out = self.names
        acc = f"!croq.acc<{self.rows}x{self.cols}x{self.acc}>"
        loads = [
            (lhs, "bm", "a", self.rows),
            (rhs, "bn", "b", self.cols),
        ]
        if self.rhs_first:
            loads.reverse()
        lines: list[str] = []
        futures: list[str] = []
        for tile, index, letter, extent in loads:
            lines.append(
                f"%{letter} = croq.subspan %{tile} [{extent}, {self.depth}] "
                f"tile (%{index}, %k)"
            )
            lines.append(f"%{letter}t = croq.slot %{letter}_s at %k")
        for _, _, letter, _ in loads:
            copy = f"%{letter} => %{letter}t engine({self.engine})"
            if self.blocking:
                lines.append(f"croq.copy {copy}")
            else:
                lines.append(f"%f{letter} = croq.copy_async {copy}")
                futures.append(f"%f{letter}")
        after = f" after {', '.join(futures)}" if futures else ""
        slot = "[%slot]" if self.by_slot else " at %k"
        find_slot = (
            "%s_c = croq.dim S\n      %slot = arith.remui %k, %s_c : index\n      "
            if self.by_slot
            else ""
        )
        release = " at %k" if self.ready else " at %k + S"
        credits = (
            ""
            if self.ready
            else "croq.foreach %s in S { croq.trigger %empty at %s }\n      "
        )
        body = "\n        ".join(lines)
        done = "%done = croq.event : !croq.event<1>" if self.third_event else ""
        say_done = "croq.trigger %done" if self.third_event else ""
        hear_done = "croq.wait %done" if self.third_event else ""
        if self.in_flight:
            step = f"""%c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 1
        %first = arith.cmpi eq, %k, %zero_index : index
        %later = arith.xori %first, %true : i1
        scf.if %later {{
          croq.trigger %empty at %before
        }}
        croq.yield %c3 : {acc}"""
            begin = (
                "%zero_index = arith.constant 0 : index\n      "
                "%true = arith.constant true\n      "
            )
            end = "%acc = croq.mma.wait %sum in_flight 0"
            before = (
                "%one = arith.constant 1 : index\n        "
                "%before_k = arith.subi %k, %one : index\n        "
                "%s_v = croq.dim S\n        "
                "%before = arith.addi %before_k, %s_v : index\n        "
            )
            total = "sum"
        else:
            step = f"""%c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %empty{release}
        croq.yield %c3 : {acc}"""
            begin, end, before, total = "", "", "", "acc"
        return f"""\
croq.kernel @{name} dims(M, N, K) params(S = {self.stages}) (
    %{lhs}: !croq.tile<[M]x[K]x{self.dtype}, global>,
    %{rhs}: !croq.tile<[N]x[K]x{self.dtype}, global>,
    %{out}: !croq.tile<[M]x[N]x{self.dtype}, global>) {{
  %m_tiles = croq.cdiv M, {self.rows}
  %n_tiles = croq.cdiv N, {self.cols}
  %k_tiles = croq.cdiv K, {self.depth}
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {{
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event {"ready " if self.ready else ""}: !croq.event<[S]>
    {done}
    %a_s = croq.alloc : !croq.tile<[S]x{self.rows}x{self.depth}x{self.dtype}, shared>
    %b_s = croq.alloc : !croq.tile<[S]x{self.cols}x{self.depth}x{self.dtype}, shared>
    %o_s = croq.alloc : !croq.tile<{self.rows}x{self.cols}x{self.dtype}, shared>
    croq.role "producer" warpgroups [0, 1) {{
      croq.foreach %k in %k_tiles {{
        {find_slot}croq.wait %empty{slot}
        {body}
        croq.trigger %full at %k{after}
      }}
      {say_done}
    }}
    croq.role "consumer" warpgroups [1, {1 + self.consumers}) {{
      {credits}{begin}%zero = croq.mma.fill 0.0 : {acc}
      %{total} = croq.foreach %k in %k_tiles iter(%c = %zero) {{
        {find_slot}croq.wait %full{slot}
        %at = croq.slot %a_s at %k
        %bt = croq.slot %b_s at %k
        {before}%c1 = croq.mma.exec row.row %c, %at, %bt
        {step}
      }}
      {end}
      {hear_done}
      croq.mma.store %acc => %o_s
      %o = croq.subspan %{out} [{self.rows}, {self.cols}] tile (%bm, %bn)
      croq.copy %o_s => %o engine({self.engine})
    }}
  }}
}}
"""


WIDTHS = (8, 16, 24, 40, 56, 72, 96, 248, 256)
"""Widths of wgmma at the ends of its range and off the powers of two."""

VARIANTS: dict[str, Product] = {
    "renamed": Product(names=("weights", "x", "y")),
    "right operand first": Product(rhs_first=True),
    "blocking copies": Product(blocking=True),
    "slots by number": Product(by_slot=True, stages=5),
    "ready slots": Product(ready=True),
    "one group in flight": Product(in_flight=True),
    "a third event": Product(third_event=True),
    "two consumers": Product(rows=128, consumers=2),
    "two consumers, tall": Product(rows=256, consumers=2, stages=2),
    "three consumers": Product(rows=192, consumers=3),
    "two consumers, threads": Product(consumers=2, engine="threads", cols=64),
    "short steps": Product(depth=32, stages=6),
    "shorter steps": Product(depth=16),
    "long steps": Product(depth=128, stages=2),
    "64x256": Product(rows=64, cols=256),
    "bf16": Product(dtype="bf16"),
    "f16 sums": Product(acc="f16"),
    **{f"width {n}": Product(rows=64, cols=n) for n in WIDTHS},
}
"""Kernels that no pass has seen, by name."""
