"""
Threads that meet inside one body of `parallel`, where nothing orders them.

    croq.store %v, %a[%t]
    %w = croq.load %a[127 - %t]     // what another thread may not have stored yet

The ops of a scope are sequential, those of a body are each thread's own: no barrier is
put in. Where barriers are explicit that goes for all of a scope, too. The elements that
each thread touches are gone through (`body_tables.py`); of what is not known of them
the verdict is that it cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.flags import is_strong
from croqtile_mlir.analysis.grain import has_explicit_barriers
from croqtile_mlir.analysis.scopes import THREADS_OF, kernel_of
from croqtile_mlir.analysis.sync.places.body_accesses import (
    Element,
    Group,
    Run,
    Visit,
    is_write,
    meeting_of,
    outermost_levels,
    runs_of,
)
from croqtile_mlir.analysis.sync.places.body_table import Table
from croqtile_mlir.analysis.sync.places.body_tables import Tables, TooMany, comparable
from croqtile_mlir.analysis.sync.places.index_maps import Column, Symbol
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Undecided
from croqtile_mlir.analysis.uniformity import divergent_source
from croqtile_mlir.dialects.croq import (
    ParallelOp,
    RoleOp,
    StoreOp,
    root_of,
)

_HINT = "split the body in two, so that the threads meet in between"
_KEPT = 2
_SHORT = 2048
"""Instances up to which loops around a body are unrolled, where a barrier would do."""


def body_race(block: ParallelOp) -> Refuted | Undecided | None:
    """
    The first access in a body that conflicts with one of another thread before.

    Where none surely does: the first of which that is not known.
    """
    undecided: Undecided | None = None
    for root, run, among in _runs(block):
        match _conflict(root, run, among):
            case Refuted() as found:
                return found
            case found:
                undecided = undecided or found
    return undecided


def may_meet(
    block: ParallelOp, ops: Sequence[Element]
) -> frozenset[tuple[Element, Element]]:
    """Which accesses of a scope threads may meet by, wherever barriers are.

    Pairs, each in both orders; an access may meet itself.
    """
    among = _Among(Group.SCOPE)
    try:
        tables = Tables(block, limit=_SHORT).each([Visit(op) for op in ops])
    except TooMany:
        tables = None
    # Mostly none do, which one look at all of them tells.
    if tables is not None and _meeting(comparable(tables), among) is None:
        return frozenset()
    found: set[tuple[Element, Element]] = set()
    for number, op in enumerate(ops):
        for before in range(number + 1):
            pair = [number] if before == number else [before, number]
            if not any(is_write(ops[each]) for each in pair):
                continue
            if tables is not None:
                known = comparable([tables[each] for each in pair])
            else:
                known = _tables_of(block, [ops[each] for each in pair])
            if known is None or _meeting(known, among) is not None:
                found |= {(op, ops[before]), (ops[before], op)}
    return frozenset(found)


def _tables_of(block: ParallelOp, ops: Sequence[Element]) -> list[Table] | None:
    """Comparable tables; None if there are more instances than are gone through."""
    try:
        return Tables(block, limit=_SHORT).of([Visit(op) for op in ops])
    except TooMany:
        return None


@dataclass(frozen=True)
class _Among:
    """Between which threads conflicts are looked for: those of a group."""

    group: Group
    apart: int = 1
    """They are of different groups of so many."""


def _runs(block: ParallelOp) -> Iterator[tuple[Operation, Run, _Among]]:
    for body in outermost_levels(block):
        inner = list(body.walk())
        if not any(isinstance(op, Element) and is_write(op) for op in inner):
            continue
        found = {meeting_of(op) for op in inner}
        apart = 1
        for group in Group:
            if group in found or group is Group.SCOPE:
                among = _Among(group, apart)
                yield from ((body, run, among) for run in runs_of([body], group))
                apart = group
    if not has_explicit_barriers(kernel_of(block)):
        return
    # The warps of a scope are agents of the model, but their lanes are not.
    roles = [op for op in block.body.block.ops if isinstance(op, RoleOp)]
    own = [op for op in block.body.block.ops if op not in roles]
    for root, ops in ((block, own), *((r, list(r.body.block.ops)) for r in roles)):
        for run in runs_of(ops, Group.WARP):
            yield root, run, _Among(Group.WARP)


def _conflict(root: Operation, run: Run, among: _Among) -> Refuted | Undecided | None:
    by_root: dict[SSAValue, Run] = {}
    for visit in run:
        by_root.setdefault(root_of(visit.op.tile), []).append(visit)
    undecided: Undecided | None = None
    for visits in by_root.values():
        if not any(is_write(v.op) for v in visits):
            continue
        if all(is_strong(v.op) for v in visits):
            continue
        try:
            tables = Tables(root).of(visits)
        except TooMany:
            undecided = undecided or _too_many(visits[0].op)
            continue
        for met in _meetings(tables, among):
            if met.sure:
                return _refuted(met)
            undecided = undecided or _undecided(met)
    return undecided


@dataclass(frozen=True)
class _Met:
    """Two threads that come to one element."""

    first: Table
    second: Table
    threads: tuple[int, int]
    sure: bool
    """Whether they surely do, or only nothing that is known speaks against it."""


def _meetings(tables: Sequence[Table], among: _Among) -> Iterator[_Met]:
    """For each two accesses that may conflict: two threads that do."""
    if len({table.signature for table in tables}) == 1:
        if (met := _meeting(tables, among)) is not None:
            yield met
        return
    for number, second in enumerate(tables):
        for first in tables[: number + 1]:
            if not (first.write or second.write) or (first.strong and second.strong):
                continue
            if first is second and not first.write:
                continue
            if (met := _meeting([first, second], among)) is not None:
                yield met


def _meeting(tables: Sequence[Table], among: _Among) -> _Met | None:
    """Two threads that come to one element by some of these accesses."""
    exact, moduli = _compared(tables)
    unsure: _Met | None = None
    seen: dict[tuple[int, ...], list[tuple[int, Table]]] = {}
    for table in tables:
        for key, thread in zip(_keys(table, moduli, among), table.threads, strict=True):
            known = seen.setdefault(key, [])
            kept = 0
            for other, before in known:
                if before.write is table.write and before.strong is table.strong:
                    kept += 1
                if before.strong and table.strong:
                    continue
                if not (before.write or table.write):
                    continue
                if other // among.apart == thread // among.apart:
                    continue
                sure = exact and before.certain and table.certain
                sure = sure and not (
                    before is table and _store_one_value(table, other, thread)
                )
                met = _Met(before, table, (other, thread), sure)
                if sure:
                    return met
                unsure = unsure or met
            # Of the threads at an element, two of each kind differ from any third.
            if kept < _KEPT:
                known.append((thread, table))
    return unsure


def _store_one_value(table: Table, one: int, other: int) -> bool:
    """Whether two threads may store the same: the order of them does not matter."""
    op = table.visit.op
    if not isinstance(op, StoreOp):
        return False
    body = next(p for p in _around(op) if isinstance(p, ParallelOp))
    unit = THREADS_OF.get(body.level.data, 1)
    lanes = one // unit == other // unit
    return lanes or divergent_source(op.value) is None


def _around(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()


def _compared(tables: Sequence[Table]) -> tuple[bool, list[int | None]]:
    """
    For each dim what positions are compared modulo; 0: exactly, None: not at all.

    And whether equal positions are equal elements.
    """
    exact = True
    moduli: list[int | None] = []
    for forms in zip(*(table.dims for table in tables), strict=True):
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            exact = False
            moduli.append(None)
            continue
        free = frozenset[Symbol]().union(*(table.free for table in tables))
        every = {symbol for form in known for symbol in form.terms}
        apart = [
            symbol
            for symbol in every
            if symbol in free or len({f.terms.get(symbol, 0) for f in known}) > 1
        ]
        modulus = gcd(*(f.terms.get(symbol, 0) for symbol in apart for f in known))
        exact &= not apart
        moduli.append(None if modulus == 1 else modulus)
    return exact, moduli


def _keys(
    table: Table, moduli: Sequence[int | None], among: _Among
) -> Iterator[tuple[int, ...]]:
    size = len(table.threads)
    columns: list[Column] = [*table.residues]
    for form, modulus in zip(table.dims, moduli, strict=True):
        if form is None or modulus is None:
            continue
        column = form.column if len(form.column) == size else form.column * size
        columns.append([v % modulus for v in column] if modulus else column)
    if among.group is not Group.SCOPE:
        columns.append([thread // among.group for thread in table.threads])
    return zip(*columns, strict=True) if columns else iter([()] * size)


def _undecided(met: _Met) -> Undecided:
    one, other = met.threads
    what = root_of(met.second.visit.op.tile).name_hint or "a tile"
    return Undecided(
        met.second.visit.op,
        f"threads of one body may meet at an element of %{what}, as thread {other} "
        f"and thread {one} might: where each of them is, is not known well enough",
        _HINT,
    )


def _too_many(op: Element) -> Undecided:
    return Undecided(
        op, "threads of one body may meet, and there are too many to go through", _HINT
    )


def _refuted(met: _Met) -> Refuted:
    first, second = met.first.visit.op, met.second.visit.op
    one, other = met.threads
    match is_write(first), is_write(second):
        case True, False:
            rule = Rule.READ_BEFORE_WRITE
        case False, True:
            rule = Rule.OVERWRITE
        case _:
            rule = Rule.WRITE_CONFLICT
    does = "stores" if is_write(first) else "loads"
    verb = "stores to" if is_write(second) else "loads"
    return Refuted(
        rule,
        second,
        f"{rule}: threads of one body must not meet at an element, got thread {other} "
        f"that {verb} the one of thread {one}",
        notes=((first, f"thread {one} {does} it here"),),
        hint=_HINT,
    )
