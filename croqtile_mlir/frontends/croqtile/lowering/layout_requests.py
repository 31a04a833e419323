"""`.swiz<128>` of copies and loads: the layout of the buffer that they name."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Layout, TileType, ViewOp
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.parts import LayoutRequest
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.lowering.retyping import refresh_types, retype

_LAYOUTS = {32: Layout.Swizzle32, 64: Layout.Swizzle64, 128: Layout.Swizzle128}


def request_layout(ctx: Lowering, tile: SSAValue, bytes: int, span: Span) -> None:
    """Note that the buffer of a tile is to be swizzled."""
    ctx.parts.layouts.append(LayoutRequest(tile, bytes, span))


@dataclass
class _Wanted:
    alloc: croq.AllocOp
    first: LayoutRequest


def apply_layouts(ctx: Lowering, kernel: Operation) -> None:
    """Give buffers the layouts that were asked for; two that differ are refused."""
    wanted: dict[Operation, _Wanted] = {}
    for request in ctx.parts.layouts:
        alloc = _buffer_of(request)
        if alloc is None:
            ctx.reporter.remark(
                Kind.Ignored,
                request.span,
                f"a swizzle of {request.bytes} bytes is left out: futures exchange the "
                "buffer, and its layout is inferred",
            )
            continue
        known = wanted.setdefault(alloc, _Wanted(alloc, request))
        if known.first.bytes != request.bytes:
            ctx.reporter.error(
                Kind.LayoutConflict,
                request.span,
                f"a buffer must have one swizzle, got {request.bytes} bytes after "
                f"{known.first.bytes}",
                notes=[(known.first.span, "the other one is here")],
            )
    for each in wanted.values():
        kind = each.alloc.tile.type
        layout = _LAYOUTS[each.first.bytes]
        retype(
            each.alloc.tile,
            TileType(kind.dims, kind.element_type, kind.memory_space, layout),
        )
    if wanted:
        refresh_types(kernel)


def _buffer_of(request: LayoutRequest) -> croq.AllocOp | None:
    """The declared buffer of a tile; None for that of a future that is exchanged."""
    owner = request.tile.owner
    while isinstance(owner, ViewOp):
        owner = owner.operands[0].owner
    return owner if isinstance(owner, croq.AllocOp) else None
