"""The machine code of a kernel as a graph of blocks, and its loops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LABEL = re.compile(r"^(\.L_\w+):")
_INSTRUCTION = re.compile(
    r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>(?:@!?U?P\w+\s+)?(?P<name>[A-Z][\w.]*)[^;]*);"
)
_WAITING = frozenset({"SYNCS", "BRA", "YIELD", "NOP"})
_TARGET = re.compile(r"`\((\.L_\w+)\)")


@dataclass(frozen=True)
class Instruction:
    """One instruction: `@!P0 BRA ...` has the name `BRA` and a predicate."""

    name: str
    """With modifiers: `UTMALDG.2D`."""

    text: str

    @property
    def opcode(self) -> str:
        """Without modifiers."""
        return self.name.partition(".")[0]

    @property
    def predicated(self) -> bool:
        """Whether it is executed under a predicate."""
        return self.text.startswith("@") and not self.text.startswith("@PT")

    @property
    def target(self) -> str | None:
        """The label that a branch goes to."""
        found = _TARGET.search(self.text) if self.opcode == "BRA" else None
        return None if found is None else found[1]


@dataclass(frozen=True)
class Loop:
    """
    A natural loop; not the code to which it goes when an mbarrier is not complete yet.
    """

    instructions: tuple[Instruction, ...]
    """In the order of the text."""

    def __getitem__(self, opcode: str) -> int:
        """How many instructions have an opcode."""
        return sum(i.opcode == opcode for i in self.instructions)

    def opcodes(self) -> Counter[str]:
        """How often each opcode occurs."""
        return Counter(i.opcode for i in self.instructions)

    def between(self, opcode: str) -> list[str]:
        """The opcodes between the first and the last instruction of one opcode."""
        names = [i.opcode for i in self.instructions]
        first = names.index(opcode)
        last = len(names) - 1 - names[::-1].index(opcode)
        return names[first : last + 1]

    def listing(self) -> str:
        """The text, one instruction a line."""
        return "\n".join(i.text.strip() for i in self.instructions)


@dataclass(frozen=True)
class Program:
    """The blocks of a kernel in the order of the text, and where each goes on."""

    blocks: tuple[tuple[Instruction, ...], ...]
    next: tuple[tuple[int, ...], ...]

    @staticmethod
    def parse(sass: str) -> Program:
        """Read what nvdisasm prints of one kernel."""
        blocks: list[list[Instruction]] = [[]]
        labels: dict[str, int] = {}
        for line in sass.splitlines():
            if (label := _LABEL.match(line)) is not None:
                if blocks[-1]:
                    blocks.append([])
                labels[label[1]] = len(blocks) - 1
            elif (found := _INSTRUCTION.match(line)) is not None:
                made = Instruction(found["name"], found["text"])
                blocks[-1].append(made)
                if made.opcode in ("BRA", "EXIT"):
                    blocks.append([])
        return Program(
            tuple(tuple(block) for block in blocks),
            tuple(_next(blocks, number, labels) for number in range(len(blocks))),
        )

    def __getitem__(self, opcode: str) -> int:
        """How many instructions have an opcode."""
        return sum(i.opcode == opcode for block in self.blocks for i in block)

    def innermost(self, opcode: str) -> list[Loop]:
        """The innermost loops that contain an opcode, in order."""
        having = [
            loop
            for loop in self._natural_loops()
            if any(i.opcode == opcode for b in loop for i in self.blocks[b])
        ]
        least = [loop for loop in having if not any(other < loop for other in having)]
        return [self._in_line(loop) for loop in sorted(least, key=min)]

    def _in_line(self, body: set[int]) -> Loop:
        """A loop without the blocks that wait on, which come after all others."""
        blocks = sorted(body)
        while all(i.opcode in _WAITING for i in self.blocks[blocks[-1]]):
            blocks.pop()
        return Loop(tuple(i for b in blocks for i in self.blocks[b]))

    def _natural_loops(self) -> list[set[int]]:
        """For each header: the blocks from which a jump back to it can come."""
        before = _dominators(self.next)
        loops: dict[int, set[int]] = {}
        for source, targets in enumerate(self.next):
            for header in targets:
                if header in before.get(source, ()):
                    _grow(loops.setdefault(header, {header}), source, self.next)
        return list(loops.values())


def _next(
    blocks: Sequence[Sequence[Instruction]], number: int, labels: Mapping[str, int]
) -> tuple[int, ...]:
    following = (number + 1,) if number + 1 < len(blocks) else ()
    if not blocks[number]:
        return following
    last = blocks[number][-1]
    if last.opcode == "EXIT":
        return following if last.predicated else ()
    if last.target is None:
        return following
    target = (labels[last.target],)
    return (*target, *following) if last.predicated else target


def _dominators(graph: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """For each block that is reached from the first: those on every path to it."""
    reached: list[int] = []
    todo, seen = [0], {0}
    while todo:
        block = todo.pop()
        reached.append(block)
        todo += [b for b in graph[block] if b not in seen]
        seen.update(graph[block])
    sources: dict[int, list[int]] = {block: [] for block in reached}
    for block in reached:
        for target in graph[block]:
            sources[target].append(block)
    found = {block: set(reached) for block in reached}
    found[0] = {0}
    changed = True
    while changed:
        changed = False
        for block in reached[1:]:
            common = set(reached)
            for source in sources[block]:
                common &= found[source]
            common.add(block)
            if common != found[block]:
                found[block] = common
                changed = True
    return found


def _grow(body: set[int], source: int, graph: Sequence[Sequence[int]]) -> None:
    """Add the blocks that lead to a source without leaving through the header."""
    todo = [source]
    while todo:
        block = todo.pop()
        if block in body:
            continue
        body.add(block)
        todo += [b for b, targets in enumerate(graph) if block in targets]
