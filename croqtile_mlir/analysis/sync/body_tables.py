"""
Where the accesses of a body are, for each thread: tables of elements of a buffer.

Positions in views are followed to the buffer. A dim of which nothing is known may be
anything; where a tile has another shape than the buffer there is one position, counted
along its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import kernel_of, scope_of
from croqtile_mlir.analysis.sync.body_accesses import (
    Element,
    Loop,
    Visit,
    around,
    defined_inside,
    is_write,
    most_turns_of,
    turns_of,
)
from croqtile_mlir.analysis.sync.body_places import element, scaled, sum_of
from croqtile_mlir.analysis.sync.index_maps import (
    Column,
    Form,
    Maps,
    NeedsResidues,
    Symbol,
    constant,
)
from croqtile_mlir.analysis.uniformity import divergent_source
from croqtile_mlir.dialects.croq import (
    Level,
    LoadOp,
    ParallelOp,
    root_of,
    tile_type,
)
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

LARGEST = 1 << 15
"""Instances of an access that are gone through."""

_FEWEST = 64
_WARP = 32


class TooMany(Exception):
    """There are more instances than are gone through."""


@dataclass(frozen=True)
class Table:
    """The elements that an access touches."""

    visit: Visit
    threads: Column
    residues: tuple[Column, ...]
    """Of the symbols that are gone through; equal in two threads at one time."""

    dims: tuple[Form | None, ...]
    """For each dim of the buffer, over all instances; None: anything."""

    free: frozenset[Symbol]
    """Symbols that differ between threads: counters of loops that each runs alone."""

    certain: bool
    """Whether all of the instances surely come to be in each launch."""

    joined: bool = False
    """Whether it is of a tile of another shape than the buffer: dims may run over."""

    @property
    def root(self) -> SSAValue:
        """The buffer."""
        return root_of(self.visit.op.tile)

    @property
    def write(self) -> bool:
        """Whether it changes memory."""
        return is_write(self.visit.op)

    @property
    def strong(self) -> bool:
        """Whether it synchronises: two such do not conflict."""
        return self.visit.op.order is not None

    @property
    def signature(self) -> object:
        """Equal for tables of which all instances can be compared at once."""
        return tuple(
            None if form is None else frozenset(form.terms.items())
            for form in self.dims
        )

    @property
    def flat(self) -> Table:
        """The same with one position, counted along the rows of the buffer."""
        extents = tile_type(self.root).dims
        known = [e for e in extents if isinstance(e, int) and e > 0]
        if len(known) < len(extents):
            return replace(self, dims=(None,))
        steps = [prod(known[n + 1 :]) for n in range(len(known))]
        forms = [scaled(f, s) for f, s in zip(self.dims, steps, strict=True)]
        return replace(self, dims=(sum_of(forms),))


@dataclass
class Tables:
    """The tables of a body, and the symbols that they go through."""

    root: Operation
    """The body, or the scope where only barriers order it."""

    residues: dict[Symbol, int] = field(default_factory=dict[Symbol, int])
    limit: int = LARGEST // 2
    """Instances up to which loops are unrolled."""

    def of(self, visits: Sequence[Visit]) -> list[Table]:
        """
        The tables of some accesses.

        Raises:
            TooMany: there are more instances than are gone through.
        """
        while True:
            try:
                tables = [self._table(visit) for visit in visits]
            except NeedsResidues as needs:
                known = self.residues.get(needs.symbol, 1)
                self.residues[needs.symbol] = known * needs.modulus
                continue
            except TooMany:
                if self.limit < _FEWEST:
                    raise
                self.limit //= 16
                self.residues.clear()
                continue
            if any(table.joined for table in tables):
                return [table.flat for table in tables]
            return tables

    def _table(self, visit: Visit) -> Table:
        return _Reader(self.root, visit, self.residues, self.limit).table()


class _Reader:
    """Makes the table of one access."""

    def __init__(
        self, root: Operation, visit: Visit, residues: dict[Symbol, int], limit: int
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

        nest = around(self.op, root)
        inner = isinstance(root, ParallelOp) and root.level.data.divides_block
        self.nest = [root, *nest] if inner else nest
        residues = {s: by for s, by in residues.items() if self._is_around(s)}
        axes = self._axes(residues)
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
        threads = self._threads(known, size)
        self.maps = Maps(threads, known, self._opaque, self._name)
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
        inside = False
        for op in self.nest:
            if isinstance(op, ParallelOp):
                inside = True
                for arg, extent in zip(
                    op.body.block.args, op.extent_values, strict=True
                ):
                    axes.append((arg, range(extent if isinstance(extent, int) else 1)))
        if not inside:
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
        total = [0] * size
        for op in self.nest:
            if not isinstance(op, ParallelOp):
                continue
            unit = {Level.Warpgroup: WARPGROUP_THREADS, Level.Warp: _WARP}.get(
                op.level.data, 1
            )
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
            lower = op.lb if isinstance(op, scf.ForOp) else op.lower
            step = op.step
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
        first = self.maps.index(op.lb if isinstance(op, scf.ForOp) else op.lower)
        step = self.maps.index(op.step)
        if first is None or step is None:
            self.maps.known[counter] = None
            return
        turns = Form(self.column[counter]).scaled(step.column[0])
        self.maps.known[counter] = first.plus(turns)

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
            loops = [op for op in around(owner, self.root) if isinstance(op, Loop)]
            if any(op not in self.visit.in_step for op in loops) or isinstance(
                owner, Loop | scf.WhileOp
            ):
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
        keep = [True] * len(self.maps.threads)
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
                keep[n] &= thread % _WARP == 0
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
