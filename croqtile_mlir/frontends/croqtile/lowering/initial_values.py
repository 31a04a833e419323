"""
Results whose elements start with a value.

A result that is read before it is written has none in the language; its elements start
at zero here, and the user is told (`implicit-zero-init`). Each block gives the value to
what it accesses, before anything else: blocks must access different elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.ir import Block, Operation

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import (
    Access,
    Lowering,
)
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Integer,
    Variable,
    interval,
    is_at_most,
    known,
    normal,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.types import dim_of
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.lowering.walking import children, walk
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span


def of(ctx: Lowering) -> dict[str, float]:
    """Global buffers whose first access may read them, with their first value."""
    found: dict[str, float] = {}
    for node in ctx.function.body.statements:
        if not isinstance(node, ast.BufferDecl):
            continue
        if node.storage not in (None, ast.Storage.Global):
            continue
        for item in node.items:
            if item.fill is not None:
                continue
            read = _first_read(ctx.function.body, item.name.text)
            if read is None:
                continue
            notes = [(read.span, "it is read here before anything is stored")]
            if ctx.options.strict_init:
                ctx.reporter.error(
                    Kind.UninitialisedAccumulate,
                    item.name.span,
                    f"{item.name} must have values before it is read",
                    hint=f"declare it with a value: {item.name}{{0}}",
                    notes=notes,
                )
                continue
            ctx.reporter.remark(
                Kind.ImplicitZeroInit,
                item.name.span,
                f"elements of {item.name} start at zero",
                notes=notes,
            )
            found[item.name.text] = 0
    return found


def _first_read(node: ast.Node, name: str) -> ast.Node | None:
    """The first access in the order of the text, if it may be a read."""
    for each, reads in _accesses(node, name):
        return each if reads else None
    return None


def _accesses(node: ast.Node, name: str) -> list[tuple[ast.Node, bool]]:
    found: list[tuple[ast.Node, bool]] = []
    match node:
        case ast.Assign(target=ast.Element(base=base) as target):
            for child in (*target.indices, node.value):
                found += _accesses(child, name)
            if base.name.text == name:
                found.append((target, node.operator is not None))
            return found
        case ast.Atomic(args=args):
            for child in args:
                for each in walk(child):
                    if isinstance(each, ast.Element) and each.base.name.text == name:
                        found.append((node, True))
            return found
        case ast.Element(base=base) if base.name.text == name:
            return [(node, True)]
        case ast.Copy():
            if _root(node.source) == name:
                found.append((node.source, True))
            if _root(node.destination) == name:
                found.append((node.destination, False))
            return found
        case ast.MmaStore():
            if _root(node.destination) == name:
                found.append((node.destination, False))
            return found
        case ast.MmaLoad():
            return [(node, True)] if _root(node.source) == name else []
        case _:
            for child in children(node):
                found += _accesses(child, name)
            return found


def _root(node: ast.Node) -> str | None:
    match node:
        case ast.Ref(name=name):
            return name.text
        case ast.View(base=base):
            return base.name.text
        case _:
            return None


def record(
    ctx: Lowering,
    tile: Tile,
    origin: Sequence[Integer],
    extents: Sequence[Integer],
    span: Span,
) -> None:
    """Note what is accessed of a buffer whose elements start with a value."""
    assert tile.root is not None
    whole = ctx.initialised[tile.root]
    if tile.ssa is not whole.ssa:
        # A part of what was noted when the view was made.
        return
    ctx.accesses.append(Access(tile.root, tuple(origin), tuple(extents), span))


def check_part(ctx: Lowering, tile: Tile, span: Span) -> None:
    """Refuse a view of a whole buffer of which it is not known what it accesses."""
    if tile.root is None or tile.root not in ctx.initialised:
        return
    if tile.ssa is ctx.initialised[tile.root].ssa:
        refuse(ctx, span)


def refuse(ctx: Lowering, span: Span) -> NoReturn:
    """Refuse an access of which it is not known what other blocks access."""
    ctx.fail(
        Kind.UninitialisedAccumulate,
        span,
        "elements that start with a value must be accessed by one block alone, which "
        "is not known here",
        hint="store a first value in the block that reads it",
    )


def fill(
    ctx: Lowering,
    body: Block,
    blocks: Sequence[Variable],
    after: Operation | None = None,
) -> None:
    """Give the first values, at the start of the body of a block, or after an op."""
    made: list[Operation] = []
    for root, tile in ctx.initialised.items():
        found = [each for each in ctx.accesses if each.buffer is root]
        if not found:
            continue
        assert root.initial is not None
        at, extents = _region(ctx, tile, found, blocks, root.whole)
        view = croq.SubspanOp(tile.ssa, [dim_of(e) for e in extents], at)
        view.result.name_hint = f"{root.name}_part"
        made += [view, croq.FillOp(view.result, root.initial)]
    first = body.first_op if after is None else after.next_op
    for op in made:
        op.location = ctx.location
        if first is None:
            body.add_op(op)
        else:
            body.insert_op_before(op, first)


def _region(
    ctx: Lowering,
    tile: Tile,
    found: Sequence[Access],
    blocks: Sequence[Variable],
    whole: bool,
) -> tuple[list[Index], list[Integer]]:
    """The tile of a buffer that a block accesses, and no other block."""
    at: list[Index] = []
    extents: list[Integer] = []
    parted: set[Variable] = set()
    for dim, size in enumerate(tile.shape):
        sides = {_block_part(each.origin[dim], blocks) for each in found}
        span = found[0].span
        if len(sides) != 1:
            refuse(ctx, span)
        ((block, unit),) = sides
        ends = [
            _end(each.origin[dim], each.extents[dim], block, unit) for each in found
        ]
        if block is None:
            at.append(0)
            extents.append(
                size if known(size) is not None else _largest(ctx, ends, span)
            )
            continue
        end = _largest(ctx, ends, span)
        number = known(end)
        if number is None or number > unit or block in parted:
            refuse(ctx, span)
        if whole and not is_at_most(size, operation("*", block.upper, Const(unit))):
            refuse(ctx, span)
        parted.add(block)
        at.append(ctx.index(block))
        extents.append(Const(unit))
    for block in blocks:
        if block not in parted and known(block.upper) != 1:
            refuse(ctx, found[0].span)
    return at, extents


def _block_part(
    value: Integer, blocks: Sequence[Variable]
) -> tuple[Variable | None, int]:
    """The index of the block in an index, and its factor; a factor of 0 is refused."""
    block, unit = None, 0
    for monomial, factor in normal(value):
        inside = [atom for atom in monomial if atom in blocks]
        if not inside:
            continue
        if block is not None or len(monomial) != 1:
            return block, 0
        (atom,) = inside
        assert isinstance(atom, Variable)
        block, unit = atom, factor
    return block, unit


def _end(
    origin: Integer, extent: Integer, block: Variable | None, unit: int
) -> Integer | None:
    """Where an access ends, from where the tile of the block starts."""
    start = ZERO if block is None else operation("*", block, Const(unit))
    total = _sum_of(origin, start)
    low, high = total
    size = known(extent)
    if low is None or low < 0 or high is None or size is None:
        return None
    return Const(high + size)


def _sum_of(origin: Integer, start: Integer) -> tuple[int | None, int | None]:
    """The interval of `origin - start`, where the block cancels."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in normal(operation("-", origin, start)):
        product: Integer = Const(factor)
        for atom in monomial:
            if isinstance(atom, tuple):
                return None, None
            product = operation("*", product, atom)
        a, b = interval(product)
        low = None if low is None or a is None else low + a
        high = None if high is None or b is None else high + b
    return low, high


def _largest(ctx: Lowering, ends: Sequence[Integer | None], span: Span) -> Integer:
    numbers = [None if end is None else known(end) for end in ends]
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        refuse(ctx, span)
    return Const(max(found, default=1))
