"""Matrix products whose tiles go through buffers that take turns, one thread a sum."""

from __future__ import annotations

from dataclasses import dataclass

_OPERATIONS = {
    "i32": ("arith.muli", "arith.addi", "0"),
    "f32": ("arith.mulf", "arith.addf", "0.0"),
    "f16": ("arith.mulf", "arith.addf", "0.0"),
}


@dataclass(frozen=True)
class SwapProduct:
    """
    `out = lhs * rhs` of tiles of 16x16; each of 16x16 threads makes an element.

    With `stages` buffers for each operand the next `stages - 1` tiles are loaded while
    one is multiplied; with one buffer nothing is ahead: the form for `--pipeline-loop`.
    """

    element: str = "i32"
    stages: int = 2
    asynchronous: bool = True
    """By `copy_async`, awaited before the tile is used; else complete on return."""

    engine: str = "auto"
    multiple: int | None = None
    """What extents are multiples of; any size without."""

    @property
    def text(self) -> str:
        """The kernel."""
        e, sums = self.element, self.sums
        zero = _OPERATIONS[e][2]
        dims = ", ".join(
            d if self.multiple is None else f"{d} multiple_of {self.multiple}"
            for d in "MNK"
        )
        steps = self._single() if self.stages == 1 else self._turns()
        return f"""
croq.kernel @product dims({dims}) (
    %lhs: !croq.tile<[M]x[K]x{e}, global>, %rhs: !croq.tile<[K]x[N]x{e}, global>)
    attributes {{reference = "out[m, n] += lhs[m, k] * rhs[k, n]"}} {{
  %out = croq.alloc : !croq.tile<[M]x[N]x{e}, global>
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  %k_tiles = croq.cdiv K, 16
  croq.parallel (%px, %py) in (%m_tiles, %n_tiles) : block {{
    %sums = croq.alloc : !croq.tile<16x16x{sums}, shared>
    croq.parallel (%qx, %qy) in (16, 16) : thread {{
      %zero = arith.constant {zero} : {sums}
      croq.store %zero, %sums[%qx, %qy]
    }}
    {steps}
    %o = croq.subspan %out [16, 16] tile (%px, %py)
    {self._store()}
  }}
  croq.return %out : !croq.tile<[M]x[N]x{e}, global>
}}
"""

    @property
    def sums(self) -> str:
        """The element type of sums."""
        return "f32" if self.element == "f16" else self.element

    @property
    def _future(self) -> str:
        return f"!croq.future<!croq.tile<16x16x{self.element}, shared>>"

    def _store(self) -> str:
        if self.element != "f16":
            return "croq.copy %sums => %o"
        return """
    %out_s = croq.alloc : !croq.tile<16x16xf16, shared>
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %wide = croq.load %sums[%qx, %qy]
      %narrow = arith.truncf %wide : f32 to f16
      croq.store %narrow, %out_s[%qx, %qy]
    }
    croq.copy %out_s => %o"""

    def _multiply(self, a: str, b: str) -> str:
        times, plus, _ = _OPERATIONS[self.element]
        wide = ("%x", "%y")
        extend = ""
        if self.element == "f16":
            wide = ("%xw", "%yw")
            extend = "\n".join(
                f"%{v}w = arith.extf %{v} : f16 to f32" for v in ("x", "y")
            )
        return f"""
    croq.parallel (%qx, %qy) in (16, 16) : thread {{
      %before = croq.load %sums[%qx, %qy]
      %sum = croq.foreach %k in 16 iter(%s = %before) {{
        %x = croq.load {a}[%qx, %k]
        %y = croq.load {b}[%k, %qy]
        {extend}
        %xy = {times} {", ".join(wide)} : {self.sums}
        %t = {plus} %s, %xy : {self.sums}
        croq.yield %t : {self.sums}
      }}
      croq.store %sum, %sums[%qx, %qy]
    }}"""

    def _single(self) -> str:
        tile = f"!croq.tile<16x16x{self.element}, shared>"
        return f"""
    %a = croq.alloc : {tile}
    %b = croq.alloc : {tile}
    croq.foreach %step in %k_tiles {{
      %lt = croq.subspan %lhs [16, 16] tile (%px, %step)
      %rt = croq.subspan %rhs [16, 16] tile (%step, %py)
      croq.copy %lt => %a engine({self.engine})
      croq.copy %rt => %b engine({self.engine})
      {self._multiply("%a", "%b")}
    }}"""

    def _load(self, step: str, left: str, right: str, made: tuple[str, str]) -> str:
        """Load the tiles of a step into the buffers of two futures."""
        lines = [
            f"%lt{step[1:]} = croq.subspan %lhs [16, 16] tile (%px, {step})",
            f"%rt{step[1:]} = croq.subspan %rhs [16, 16] tile ({step}, %py)",
        ]
        for side, handle, name in zip("lr", (left, right), made, strict=True):
            source, data = f"%{side}t{step[1:]}", f"{handle}_{side}{step[1:]}"
            lines.append(f"{data} = croq.data {handle}")
            copy = f"{source} => {data} engine({self.engine})"
            if self.asynchronous:
                lines.append(f"{name} = croq.copy_async {copy}")
            else:
                lines.append(f"croq.copy {copy}")
        return "\n".join(lines)

    def _turns(self) -> str:
        names, ahead, future = range(self.stages), self.stages - 1, self._future
        given = "f" if self.asynchronous else "e"
        prologue = [f"%{s}e{i} = croq.any : {future}" for i in names for s in "lr"]
        for i in range(ahead):
            prologue.append(f"%step{i} = arith.constant {i} : index")
            prologue.append(
                self._load(f"%step{i}", f"%le{i}", f"%re{i}", (f"%lf{i}", f"%rf{i}"))
            )
        first = [f"{given}{i}" for i in range(ahead)] + [f"e{ahead}"]
        carried = ", ".join(f"%{s}c{i} = %{s}{first[i]}" for s in "lr" for i in names)
        results = ", ".join(f"%{s}z{i}" for s in "lr" for i in names)
        free = f"c{ahead}"
        last = "next" if self.asynchronous else free
        permute = "swap" if self.stages == 2 else "rotate"
        turns: list[str] = []
        for s in "lr":
            old = ", ".join([*(f"%{s}c{i}" for i in range(ahead)), f"%{s}{last}"])
            new = ", ".join(f"%{s}n{i}" for i in names)
            turns.append(f"{new} = croq.{permute} {old}")
        yields = ", ".join(f"%{s}n{i}" for s in "lr" for i in names)
        types = ", ".join([future] * (2 * self.stages))
        nl = "\n    "
        load = self._load("%step", f"%l{free}", f"%r{free}", ("%lnext", "%rnext"))
        return f"""
    {nl.join(prologue)}
    {results} = croq.foreach %step in {ahead} to %k_tiles iter({carried}) {{
      {load}
      {self._use("c0", "")}
      {nl.join(turns)}
      croq.yield {yields} : {types}
    }}
    {nl.join(self._use(f"z{i}", str(i)) for i in range(ahead))}"""

    def _use(self, name: str, number: str) -> str:
        """Await and multiply the tiles of two futures."""
        waits = [f"croq.await %{s}{name}" for s in "lr"] if self.asynchronous else []
        data = [f"%{s}u{number} = croq.data %{s}{name}" for s in "lr"]
        lines = (*waits, *data, self._multiply(f"%lu{number}", f"%ru{number}"))
        return "\n".join(lines)
