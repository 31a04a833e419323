"""What a kernel relies on that only the launch can know, as checks on the kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.utils.hints import isa

from croqtile_mlir.analysis.dim_expressions import RULE, NotOfDimsError, dim_expression
from croqtile_mlir.diagnostics import fail, location_of
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    ChunkAtOp,
    KernelOp,
    SlotOp,
    SpanAsOp,
    SqueezeOp,
    ViewOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.launch.plan import DivisibleCheck, MultipleCheck

CHECKS = "croq.checks"
"""The attribute of a kernel that holds checks for its launch plan."""


def keep_chunk_checks(kernel: KernelOp) -> None:
    """
    Keep a check for every dim that a launch knows and that is divided or split.

    A number of chunks that the launch doesn't know is a located error.
    """
    needed: dict[object, MultipleCheck | DivisibleCheck] = {}
    for op in kernel.walk():
        match op:
            case ChunkAtOp():
                for dim, by in enumerate(op.chunk_values):
                    if by != 1:
                        _need_chunks(needed, kernel, op, dim, by)
            case SpanAsOp():
                for name, by in op.needed_multiples:
                    _need_multiple(needed, kernel, op, name, by)
            case _:
                pass
    if not needed:
        return
    stated = kernel.attributes.get(CHECKS, ArrayAttr[Attribute](()))
    if not isa(stated, ArrayAttr[Attribute]):
        fail(kernel, f"attribute {CHECKS} must be an array, got {stated}")
    new = [check.write() for check in needed.values()]
    kernel.attributes[CHECKS] = ArrayAttr([*stated, *new])


_Needed = dict[object, MultipleCheck | DivisibleCheck]


def _need_multiple(
    needed: _Needed, kernel: KernelOp, op: ViewOp, name: str, by: int
) -> None:
    if kernel.dim_multiples.get(name, by) % by:
        needed.setdefault((name, by), MultipleCheck(name, by, _place(op)))


def _need_chunks(
    needed: _Needed, kernel: KernelOp, op: ChunkAtOp, dim: int, by: Index
) -> None:
    whole, before = _whole(op.viewed, dim)
    if isinstance(by, int) and isinstance(before, int):
        if isinstance(whole, str):
            _need_multiple(needed, kernel, op, whole, by * before)
        return
    if whole is None or before != 1:
        fail(
            op,
            "must divide a dim whose extent is known or a name in a number of chunks "
            f"that is known at launch, got dim {dim} of {op.source_type}",
        )
    try:
        value, parts = dim_expression(kernel, whole), dim_expression(kernel, by)
    except NotOfDimsError as error:
        fail(op, f"numbers of chunks {RULE}, got another", notes=_notes(error))
    what = f"dim {whole}" if isinstance(whole, str) else f"an extent of {whole}"
    maps = [AffineMap(len(kernel.dim_names), 0, (each,)) for each in (value, parts)]
    needed.setdefault(
        (what, str(parts)), DivisibleCheck(what, maps[0], maps[1], _place(op))
    )


def _notes(error: NotOfDimsError) -> list[tuple[SSAValue, str]]:
    if isinstance(error.value, str):
        return []
    return [(error.value, "it depends on this")]


def _whole(tile: SSAValue, dim: int) -> tuple[int | str | None, Index]:
    """The extent of a dim before it was divided, and in how many chunks it was."""
    extent = tile_type(tile).dims[dim]
    if extent != DYNAMIC:
        return extent, 1
    match tile.owner:
        case SlotOp() as slot:
            return _whole(slot.viewed, dim + 1)
        case SqueezeOp() as part:
            return _whole(part.viewed, part.kept_dims[dim])
        case ChunkAtOp() as chunk:
            whole, before = _whole(chunk.viewed, dim)
            by = chunk.chunk_values[dim]
            if isinstance(before, int) and isinstance(by, int):
                return whole, before * by
            return whole, by if before == 1 else before
        case _:
            return None, 1


def _place(op: ViewOp) -> str:
    place = location_of(op)
    return str(place) if place.is_known else ""
