"""
Random kernels of which the threads meet in memory: bodies of `parallel : thread`.

The block makes elements of a shared table from an argument, then a random body loads
and stores some of them, with indices that are sums, quotients and remainders of those
of threads and loops, through views, beside atomics, and with barriers in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

ROWS, COLS = 64, 16
"""Extents of the table."""

THREADS = 64


@dataclass
class Writer:
    """Writes one kernel, line by line."""

    random: Random
    lines: list[str] = field(default_factory=list[str])
    number: int = 0
    meets: bool = True
    """Whether barriers may be put in: where all threads come along."""

    def put(self, text: str, depth: int) -> None:
        """Write a line."""
        self.lines.append("  " * depth + text)

    def name(self) -> str:
        """A new name."""
        self.number += 1
        return f"%v{self.number}"

    def set(self, text: str, depth: int) -> str:
        """Write the definition of a value; its name."""
        name = self.name()
        self.put(f"{name} = {text}", depth)
        return name

    def constant(self, number: int, depth: int) -> str:
        """Write an index; its name."""
        return self.set(f"arith.constant {number} : index", depth)

    def index(self, below: int, names: list[str], depth: int) -> str:
        """An index below an extent, most often with the number of the thread in it."""
        pick = self.random
        value = pick.choice(names) if pick.random() < 0.5 else names[0]
        for _ in range(pick.randrange(3)):
            match pick.randrange(7):
                case 0 | 1:
                    other = pick.choice(names)
                    value = self.set(f"arith.addi {value}, {other} : index", depth)
                case 2:
                    by = self.constant(pick.choice((1, 2, 3, 16, 32)), depth)
                    value = self.set(f"arith.addi {value}, {by} : index", depth)
                case 3:
                    by = self.constant(pick.choice((2, 3, 16, 32)), depth)
                    value = self.set(f"arith.muli {value}, {by} : index", depth)
                case 4:
                    by = self.constant(pick.choice((2, 4, 16, 32)), depth)
                    value = self.set(f"arith.divui {value}, {by} : index", depth)
                case 5:
                    by = self.constant(pick.choice((1, 2, 16, 31)), depth)
                    value = self.set(f"arith.xori {value}, {by} : index", depth)
                case _:
                    by = self.constant(pick.choice((2, 8, 32, 48)), depth)
                    value = self.set(f"arith.remui {value}, {by} : index", depth)
        by = self.constant(below, depth)
        return self.set(f"arith.remui {value}, {by} : index", depth)

    def tile(self, names: list[str], depth: int) -> tuple[str, tuple[int, ...]]:
        """The table, or a part of it, and its extents."""
        pick = self.random
        match pick.randrange(9):
            case 0:
                at = self.index(2, names, depth)
                view = f"croq.chunkat %table [2, _] at ({at}, 0)"
                return self.set(view, depth), (ROWS // 2, COLS)
            case 1:
                row = self.index(ROWS - 31, names, depth)
                view = f"croq.view %table [16, {COLS}] strides [2, 1] from ({row}, 0)"
                return self.set(view, depth), (16, COLS)
            case 2:
                at = self.index(4, names, depth)
                view = (
                    f"croq.subspan %table [8, {COLS}] step [8, {COLS}] tile ({at}, 0)"
                )
                return self.set(view, depth), (8, COLS)
            case 3:
                view = f"croq.span_as %table [{ROWS * COLS}]"
                return self.set(view, depth), (ROWS * COLS,)
            case 4:
                view = f"croq.span_as %table [16, 4, {COLS}]"
                return self.set(view, depth), (16, 4, COLS)
            case 5:
                at = self.index(ROWS, names, depth)
                row = self.set(f"croq.subspan %table [1, {COLS}] tile ({at}, 0)", depth)
                return self.set(f"croq.squeeze {row} [0]", depth), (COLS,)
            case _:
                return "%table", (ROWS, COLS)

    def access(self, names: list[str], depth: int) -> None:
        """Load, store or update an element."""
        tile, extents = self.tile(names, depth)
        at = ", ".join(self.index(extent, names, depth) for extent in extents)
        match self.random.randrange(8):
            case 0 | 1 | 2:
                self.set(f"croq.load {tile}[{at}]", depth)
            case 3:
                self.put(
                    f"croq.atomic add %own, {tile}[{at}] order(relaxed) scope(cta)",
                    depth,
                )
            case _:
                self.put(f"croq.store %own, {tile}[{at}]", depth)

    def body(self, names: list[str], depth: int, budget: int) -> None:
        """Write some statements."""
        pick = self.random
        for _ in range(budget):
            match pick.randrange(12):
                case 0 if depth < 5:
                    counter = self.name()
                    trips = pick.choice(("1", "2", "3", "%steps"))
                    self.put(f"croq.foreach {counter} in {trips} {{", depth)
                    self.body([*names, counter], depth + 1, 2)
                    self.put("}", depth)
                case 1 if depth < 5:
                    cond = self.condition(names, depth)
                    self.put(f"scf.if {cond} {{", depth)
                    meets, self.meets = self.meets, False
                    self.body(names, depth + 1, 2)
                    self.meets = meets
                    self.put("}", depth)
                case 2 | 3 if self.meets:
                    self.put("croq.barrier", depth)
                case 4 if self.meets:
                    self.put("croq.warp_barrier", depth)
                case _:
                    self.access(names, depth)

    def condition(self, names: list[str], depth: int) -> str:
        """A condition, most often on the thread."""
        if self.random.randrange(4) == 0:
            return self.set("croq.elect", depth)
        if self.random.randrange(4) == 0:
            by = self.constant(self.random.choice((0, 3)), depth)
            at = self.set("croq.thread_id", depth)
            return self.set(f"arith.cmpi eq, {at}, {by} : index", depth)
        value = self.index(THREADS, names, depth)
        by = self.constant(self.random.choice((1, 16, 32)), depth)
        return self.set(f"arith.cmpi ult, {value}, {by} : index", depth)


def random_body(seed: int, kind: type[Writer] = Writer) -> str:
    """The text of a kernel; equal for equal seeds."""
    writer = kind(Random(seed))
    pick = writer.random
    outer = pick.randrange(4)
    levels = {
        0: (["%t"], [f"croq.parallel (%t) in ({THREADS}) : thread {{"]),
        1: (["%i", "%j"], ["croq.parallel (%i, %j) in (4, 16) : thread {"]),
        2: (
            ["%l", "%w"],
            [
                "croq.parallel (%w) in (2) : warp {",
                "croq.parallel (%l) in (32) : thread {",
            ],
        ),
        3: (["%t"], ["croq.parallel (%t) in (48) : thread {"]),
    }
    names, heads = levels[outer]
    writer.meets = outer < 2
    if pick.randrange(3) == 0:
        names = [*names, "%outer"]
    for depth, head in enumerate(heads):
        writer.put(head, 3 + depth)
    depth = 3 + len(heads)
    own = writer.set("croq.thread_id", depth)
    cast = writer.set(f"arith.index_cast {own} : index to i32", depth)
    one = writer.set("arith.constant 7 : i32", depth)
    writer.put(f"%own = arith.addi {cast}, {one} : i32", depth)
    writer.body(names, depth, pick.randrange(1, 5))
    for each in reversed(range(len(heads))):
        writer.put("}", 3 + each)
    text = "\n".join(writer.lines)
    return f"""
croq.kernel @body dims(N) (
    %steps_of: !croq.tile<[N]xi32, global>,
    %src: !croq.tile<{ROWS}x{COLS}xi32, global>,
    %dst: !croq.tile<{ROWS}x{COLS}xi32, global>) {{
  croq.parallel (%b) in (1) : block threads {THREADS} {{
    %table = croq.alloc : !croq.tile<{ROWS}x{COLS}xi32, shared, row_major>
    %steps = croq.dim N
    %word = croq.load %src[0, 0]
    %shared = arith.index_cast %word : i32 to index
    croq.copy %src => %table engine(threads)
    croq.foreach %outer in 2 {{
{text}
    }}
    croq.copy %table => %dst engine(threads)
  }}
}}
"""
