"""
Where the accesses of a body are, for each thread: tables of elements of a buffer.

Positions in views are followed to the buffer. A dim of which nothing is known may be
anything; where a tile has another shape than the buffer there is one position, counted
along its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import (
    THREADS_OF,
    WARP_THREADS,
    kernel_of,
    scope_of,
)
from croqtile_mlir.analysis.sync.places.body_accesses import (
    Element,
    Loop,
    Visit,
    around,
    bounds_of,
    defined_inside,
    listed,
    most_turns_of,
    turns_of,
)
from croqtile_mlir.analysis.sync.places.body_places import element
from croqtile_mlir.analysis.sync.places.body_table import Table
from croqtile_mlir.analysis.sync.places.index_maps import (
    Column,
    Form,
    Maps,
    NeedsResidues,
    NeedsValues,
    Symbol,
    constant,
)
from croqtile_mlir.analysis.uniformity import divergent_source
from croqtile_mlir.dialects.croq import (
    LoadOp,
    ParallelOp,
)

LARGEST = 1 << 15
"""Instances of an access that are gone through."""

_FEWEST = 64


class TooMany(Exception):
    """There are more instances than are gone through."""


@dataclass
class Tables:
    """The tables of a body, and the symbols that they go through."""

    root: Operation
    """The body, or the scope where only barriers order it."""

    residues: dict[Symbol, int] = field(default_factory=dict[Symbol, int])
    values: dict[Symbol, range] = field(default_factory=dict[Symbol, range])
    """Of counters of loops around the body, which all threads have at one time."""

    limit: int = LARGEST // 2
    """Instances up to which loops are unrolled."""

    def of(self, visits: Sequence[Visit]) -> list[Table]:
        """
        The tables of some accesses, whose positions can be compared.

        Raises:
            TooMany: there are more instances than are gone through.
        """
        return comparable(self.each(visits))

    def each(self, visits: Sequence[Visit]) -> list[Table]:
        """
        The tables of some accesses, each by itself.

        Raises:
            TooMany: there are more instances than are gone through.
        """
        while True:
            try:
                return [self._table(visit) for visit in visits]
            except NeedsResidues as needs:
                known = self.residues.get(needs.symbol, 1)
                self.residues[needs.symbol] = known * needs.modulus
                continue
            except NeedsValues as needs:
                turns = listed(needs.symbol, self.root)
                assert turns is not None
                self.values[needs.symbol] = turns
                self.residues.pop(needs.symbol, None)
                continue
            except TooMany:
                if self.limit < _FEWEST:
                    raise
                self.limit //= 16
                self.residues.clear()
                continue

    def _table(self, visit: Visit) -> Table:
        residues = {s: by for s, by in self.residues.items() if s not in self.values}
        return _Reader(self.root, visit, residues, self.values, self.limit).table()


def comparable(tables: Sequence[Table]) -> list[Table]:
    """Tables with positions in the same dims: of elements in a row, if they must be."""
    if any(table.joined for table in tables):
        return [table.flat for table in tables]
    return [*tables]


class _Reader:
    """Makes the table of one access."""

    def __init__(
        self,
        root: Operation,
        visit: Visit,
        residues: dict[Symbol, int],
        values: dict[Symbol, range],
        limit: int,
    ):
        self.root = root
        self.limit = limit
        self.op: Element = visit.op
        self.visit = visit
        self.kernel = kernel_of(visit.op)
        self.certain = True
        self.free: set[Symbol] = set()
        self.below: dict[SSAValue, int] = {}
        """Counters from where each thread begins: their upper bounds."""
        self.runs = True
        """False in a loop without turns."""

        nest = around(self.op, root)
        inner = isinstance(root, ParallelOp) and root.level.data.divides_block
        self.nest = [root, *nest] if inner else nest
        residues = {s: by for s, by in residues.items() if self._is_around(s)}
        axes: list[tuple[object, range]] = [*self._axes(residues), *values.items()]
        if prod(len(values) for _, values in axes) > LARGEST:
            raise TooMany
        columns = [list(column) for column in zip(*product(*(v for _, v in axes)))]
        self.residues: list[Column] = []
        known: dict[SSAValue, Form | None] = {}
        self._names: dict[str, Form] = {}
        self.column: dict[object, Column] = {}
        for (what, _), column in zip(axes, columns, strict=True):
            self.column[what] = column
        size = len(columns[0]) if columns else 1
        for symbol, modulus in residues.items():
            column = self.column[symbol]
            if symbol not in self.free:
                self.residues.append(column)
            form = Form(column, {symbol: modulus})
            if isinstance(symbol, str):
                self._names[symbol] = form
            else:
                known[symbol] = form
        for symbol in values:
            # Equal in two threads at one time, as a residue is.
            self.residues.append(self.column[symbol])
            if isinstance(symbol, SSAValue):
                known[symbol] = Form(self.column[symbol])
        threads = self._threads(known, size)
        self.maps = Maps(threads, known, self._opaque, self._name, self._is_listed)
        self._counters()

    def _is_around(self, symbol: Symbol) -> bool:
        """Whether a symbol is no counter of a loop elsewhere in the body."""
        if isinstance(symbol, str) or isinstance(symbol.owner, Operation):
            return True
        op = symbol.owner.parent_op()
        return (
            not isinstance(op, Loop)
            or op in self.nest
            or (not self.root.is_ancestor(op))
        )

    def _axes(self, residues: dict[Symbol, int]) -> list[tuple[object, range]]:
        axes: list[tuple[object, range]] = []
        inside: ParallelOp | None = None
        for op in self.nest:
            if isinstance(op, ParallelOp):
                inside = op
                for arg, extent in zip(
                    op.body.block.args, op.extent_values, strict=True
                ):
                    axes.append((arg, range(extent if isinstance(extent, int) else 1)))
        if (
            inside is not None
            and (unit := THREADS_OF.get(inside.level.data)) is not None
        ):
            # Beside an inner body each lane does it.
            axes.append(("lane", range(unit)))
        elif inside is None:
            # One thread stores for its scope; all of them load.
            all_threads = isinstance(self.op, LoadOp)
            axes.append(
                ("thread", range(scope_of(self.op).num_threads * all_threads or 1))
            )
        size = prod(len(values) for _, values in axes)
        for op in self.nest:
            if isinstance(op, Loop) and op not in self.visit.in_step:
                counter = op.body.block.args[0]
                turns = turns_of(op)
                if turns is None and (turns := most_turns_of(op)) is not None:
                    self.below[counter] = turns.stop
                    turns = range(len(turns))
                if turns is not None and not turns:
                    # One instance, for its shape; it is left out in the end.
                    self.runs, turns = False, range(1)
                if turns is not None and size * len(turns) <= self.limit:
                    axes.append((counter, turns))
                    size *= len(turns)
                else:
                    self.free.add(counter)
                    self.below.pop(counter, None)
        axes += [(symbol, range(modulus)) for symbol, modulus in residues.items()]
        return axes

    def _threads(self, known: dict[SSAValue, Form | None], size: int) -> Column:
        """The number of the thread of each instance, and its indices."""
        if "thread" in self.column:
            return self.column["thread"]
        total = self.column.get("lane", [0] * size)
        for op in self.nest:
            if not isinstance(op, ParallelOp):
                continue
            unit = THREADS_OF.get(op.level.data, 1)
            number = [0] * size
            for arg, extent in zip(op.body.block.args, op.extent_values, strict=True):
                column = self.column[arg]
                known[arg] = Form(column)
                by = extent if isinstance(extent, int) else 1
                number = [n * by + v for n, v in zip(number, column, strict=True)]
            total = [t + unit * n for t, n in zip(total, number, strict=True)]
        return total

    def _counters(self) -> None:
        """The counters of loops, the outermost first."""
        maps = self.maps
        for op in self.nest:
            if not isinstance(op, Loop):
                self.certain &= isinstance(op, ParallelOp | scf.IfOp)
                continue
            counter = op.body.block.args[0]
            turns = turns_of(op)
            least = 1 + (op in self.visit.turned)
            self.certain &= turns is not None and len(turns) >= least
            if counter in self.below:
                self._from_own(op, counter)
                continue
            if counter in self.column and counter not in maps.known:
                maps.known[counter] = Form(self.column[counter])
                continue
            lower, _, step = bounds_of(op)
            first, by = maps.index(lower), maps.index(step)
            number = None if by is None or by.terms else by.column[0]
            if op in self.visit.in_step:
                own = maps.known.get(counter, Form([0], {counter: 1}))
                if op in self.visit.turned:
                    own = (
                        None
                        if number is None or own is None
                        else own.plus(constant(number))
                    )
                maps.known[counter] = own
            elif first is None or number is None:
                maps.known[counter] = None
            else:
                turn = maps.known.get(counter) or Form([0], {counter: 1})
                maps.known[counter] = first.plus(turn.scaled(number))

    def _from_own(self, op: Loop, counter: SSAValue) -> None:
        """A counter that begins at another number in each thread."""
        lower, _, by = bounds_of(op)
        first, step = self.maps.index(lower), self.maps.index(by)
        if first is None or step is None or first.may_be_negative:
            # More turns than those from 0 on may come to be.
            self.certain = False
            self.maps.known[counter] = None
            return
        turns = Form(self.column[counter]).scaled(step.column[0])
        self.maps.known[counter] = first.plus(turns)

    def _is_listed(self, symbol: Symbol) -> bool:
        return listed(symbol, self.root) is not None

    def _name(self, name: str) -> Form:
        bound = self.kernel.param_values
        if name in bound:
            return constant(bound[name])
        return self._names.get(name, Form([0], {name: 1}))

    def _opaque(self, value: SSAValue) -> Form | None:
        """A symbol where all threads share a value at one time; else None."""
        if divergent_source(value) is not None:
            return None
        if defined_inside(value, self.root):
            owner = value.owner
            if not isinstance(owner, Operation):
                # Of the scope itself, as an index of the block, all have the same.
                own = owner.parent_op() is self.root
                return Form([0], {value: 1}) if own else None
            loops = [
                op
                for op in (*around(owner, self.root), owner)
                if isinstance(op, Loop | scf.WhileOp)
            ]
            # Each thread is in a turn of its own, but where all meet in each.
            if owner in loops or any(op not in self.visit.in_step for op in loops):
                return None
            if any(op in self.visit.turned for op in loops):
                return None
        return Form([0], {value: 1})

    def table(self) -> Table:
        """What the access touches."""
        dims, joined = element(self.maps, self.op, self.kernel.param_values)
        keep = self._guarded()
        size = len(self.maps.threads)
        chosen = [n for n in range(size) if keep[n]]

        def picked(column: Column) -> Column:
            if len(column) == 1 and size > 1:
                return column * len(chosen)
            return [column[n] for n in chosen]

        found = tuple(
            None if form is None else Form(picked(form.column), form.terms)
            for form in dims
        )
        return Table(
            self.visit,
            picked(self.maps.threads),
            tuple(picked(column) for column in self.residues),
            found,
            frozenset(self.free),
            self.certain and not self.residues,
            joined,
        )

    def _guarded(self) -> list[bool]:
        """The instances that conditions do not surely leave out."""
        keep = [self.runs] * len(self.maps.threads)
        for counter, upper in self.below.items():
            form = self.maps.known[counter]
            if form is not None and not form.terms:
                for n, value in enumerate(form.column):
                    keep[n] &= value < upper
        inner: Operation = self.op
        for op in reversed(self.nest):
            if isinstance(op, scf.IfOp):
                self._guard(op.cond, _is_in(inner, op) == 0, keep)
            inner = op
        return keep

    def _guard(self, condition: SSAValue, wanted: bool, keep: list[bool]) -> None:
        owner = condition.owner
        if isinstance(owner, Operation) and owner.name == "arith.andi" and wanted:
            for operand in owner.operands:
                self._guard(operand, wanted, keep)
            return
        if isinstance(owner, Operation) and owner.name == "croq.elect_lane" and wanted:
            for n, thread in enumerate(self.maps.threads):
                keep[n] &= thread % WARP_THREADS == 0
            return
        form = self.maps.value(condition)
        if form is None or form.terms:
            self.certain = False
            return
        column = form.column * (len(keep) // len(form.column))
        for n, value in enumerate(column):
            keep[n] &= bool(value) == wanted


def _is_in(inner: Operation, op: scf.IfOp) -> int:
    """The number of the region of a condition that an op is in."""
    block = inner.parent
    region = None if block is None else block.parent
    return 0 if region is op.true_region else 1
