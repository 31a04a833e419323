"""
Mutants of a kernel: the same module with one synchronising op deleted, doubled, moved,
or off by one.

The engine works on parsed IR of any level and knows nothing of the kernel. At tile
level parameters must be bound (`--bind-params`). The order is that of the ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.analysis.dominance import check_dominance
from croqtile_mlir.diagnostics import CompileError, location_of
from evidence.edits import Edit, structural_edits
from evidence.hardware_edits import hardware_edits
from evidence.tile_edits import tile_edits


@dataclass(frozen=True)
class Mutation:
    """One edit at one op."""

    operator: str
    """`delete`, `move 1 up`, `order + 1`."""

    op: str
    """The name of the op: `croq.wait`; of a wait loop, that of the test in it."""

    line: int
    """Where the op is written, 0 where that is not known."""

    number: int
    """Which of the mutations of the same operator, op and line, from 0."""

    position: int
    """The op's place in the walk over the module."""

    edit: Edit = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """`delete croq.wait line 30`, with `(2)` where there are several."""
        which = f" ({self.number + 1})" if self.number else ""
        return f"{self.operator} {self.op} line {self.line}{which}"

    def apply(self, module: ModuleOp) -> ModuleOp | None:
        """
        A mutated copy; None where the edit does not give valid IR.

        `module` is the one that the mutation was found in.
        """
        copy = module.clone()
        ops = copy.walk()
        op = next(op for number, op in enumerate(ops) if number == self.position)
        self.edit(op)
        try:
            copy.verify()
            check_dominance(copy)
        except (VerifyException, CompileError):
            return None
        return copy


def _shown_name(op: Operation) -> str:
    return "nvvm.mbarrier.try_wait" if op.name == "scf.while" else op.name


def mutations(module: ModuleOp) -> Iterator[Mutation]:
    """Every edit of every op, those that do not give valid IR included."""
    seen: Counter[tuple[str, str, int]] = Counter()
    for position, op in enumerate(module.walk()):
        line = location_of(op).line
        for edits in (structural_edits, tile_edits, hardware_edits):
            for operator, edit in edits(op):
                key = (operator, _shown_name(op), line)
                yield Mutation(*key, seen[key], position, edit)
                seen[key] += 1


def mutants(module: ModuleOp) -> Iterator[tuple[Mutation, ModuleOp]]:
    """The mutations that give valid IR, and what they give."""
    moved: set[str] = set()
    for mutation in mutations(module):
        copy = mutation.apply(module)
        if copy is None:
            continue
        if mutation.operator.startswith("move"):
            # One op down and the next one up come to the same.
            text = str(copy)
            if text in moved:
                continue
            moved.add(text)
        yield mutation, copy
