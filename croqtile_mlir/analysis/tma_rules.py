"""
Which copies TMA can make: the rules, and which one a copy breaks.

A reason is `<rule>, got <value>`. PTX ISA, "Tensors"; the driver's rules for
`cuTensorMapEncodeTiled`.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.scopes import kernel_of
from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.analysis.view_bounds import (
    ends_with_root,
    greatest,
    is_not_negative,
    tile_stays_inside,
)
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Dim,
    ElementViewOp,
    KernelOp,
    Space,
    SubspanOp,
    ViewOp,
    root_of,
    tile_type,
    why_not_box,
)
from croqtile_mlir.layouts import TMA_ALIGNMENT, tile_bytes
from croqtile_mlir.layouts.boxes import check_tma_origin, check_tma_tile, tma_boxes
from croqtile_mlir.targets.architecture import Architecture

MAX_RANK = 5
"""Most dims of a tensor map."""

MOST_BOXES = 32
"""Most boxes of a copy that TMA is chosen for: one thread issues them all."""

PITCH_BYTES = 16
"""What the distance of rows in global memory is a multiple of."""


def why_not_tma(copy: CopyOp | CopyAsyncOp, target: Architecture) -> str | None:
    """The rule that keeps TMA from making a copy; None when it can."""
    if not target.has("tma"):
        return f"target must have TMA, got {target.name}"
    spaces = [tile_type(tile).memory_space for tile in copy.operands[:2]]
    if set(spaces) != {Space.Global, Space.Shared}:
        return (
            "must copy between global and shared memory, got "
            f"{spaces[0].value} to {spaces[1].value}"
        )
    if (reason := why_not_in_order(copy)) is not None:
        return reason
    if (cause := divergence(copy)) is not None:
        return f"must be executed by the whole scope, got one that {cause.name} divides"
    outside, inside = copy.source, copy.destination
    if spaces[0] is Space.Shared:
        outside, inside = inside, outside
    if spaces[0] is Space.Shared and _may_start_before(outside):
        return (
            "tile that is stored must be known to start inside the argument, got an "
            "offset that may be below 0"
        )
    return why_not_global(outside) or why_not_shared(inside)


def _may_start_before(tile: SSAValue) -> bool:
    """Whether a tile may start before its argument along some dim.

    A store at row -1 or column -4 is an illegal instruction on an H200, a load is not:
    it fills what lies outside. What lies beyond the end is clipped for both.
    """
    view = tile.owner
    while isinstance(view, ViewOp):
        if isinstance(view, ElementViewOp) and not all(
            map(is_not_negative, view.at_values)
        ):
            return True
        view = view.viewed.owner
    return False


def why_not_in_order(copy: CopyOp | CopyAsyncOp) -> str | None:
    """The rule against rearranged elements, which no bulk copy has."""
    if not copy.rearranges:
        return None
    return f"must copy elements in their order, got {copy.rearrangement.words}"


def why_not_global(tile: SSAValue) -> str | None:
    """The rule that keeps a global tile from being a box of a tensor map."""
    root = root_of(tile)
    is_argument = isinstance(root.owner, AllocOp) or (
        not isinstance(root.owner, Operation)
        and isinstance(root.owner.parent_op(), KernelOp)
    )
    if not is_argument:
        return "global tile must be a view of an argument, got one that a loop carries"
    whole = tile_type(root)
    if not 1 <= whole.rank <= MAX_RANK:
        return f"global tile must have 1 to {MAX_RANK} dims, got {whole}"
    if (reason := why_not_box(tile)) is not None:
        return f"global {reason}"
    view = tile.owner
    while isinstance(view, ViewOp):
        if isinstance(view, SubspanOp) and view.viewed is not root:
            for dim in range(view.source_type.rank):
                if not (
                    ends_with_root(view.viewed, dim) or tile_stays_inside(view, dim)
                ):
                    return _reaches_beyond(view, dim)
        view = view.viewed.owner
    return _why_not_aligned(tile)


def _why_not_aligned(tile: SSAValue) -> str | None:
    """The rule on where rows of a tile start: elsewhere TMA is an illegal instruction.

    Seen on an H200 for loads of f32 at columns 1, 2, -1, -2 and -3 and a store at 1.
    """
    if tile_type(tile).static_dims is None:
        # Parameters that are not bound yet: it is asked again when they are.
        return None
    _, col = origin_in_buffer(tile)
    size = tile_type(tile).element_bytes
    if col.multiple * size % PITCH_BYTES == 0:
        return None
    return (
        "columns of a global tile must be known to start at a multiple of "
        f"{PITCH_BYTES // size} elements ({PITCH_BYTES} bytes), got a multiple of "
        f"{abs(col.multiple)}"
    )


def _reaches_beyond(view: SubspanOp, dim: int) -> str:
    """The rule on tiles of views, which no tensor map clips, and what breaks it."""
    last = greatest(view.at_values[dim])
    extent, size = view.extent_dims[dim], view.source_type.dims[dim]
    return (
        "tiles of a view must be known to end inside it, got one of "
        f"{extent} elements at index {'?' if last is None else last} of "
        f"{'?' if size == DYNAMIC else size} elements"
    )


def why_not_known(copy: CopyOp | CopyAsyncOp) -> str | None:
    """
    The rule on the pitch of the argument that is not known to hold before the launch.

    A load of a tile of rank 1 has none; a store must end at 16 bytes, whatever its
    rank. A copy whose engine the user chose relies on the check at launch instead.
    """
    for tile in (copy.source, copy.destination):
        whole = tile_type(root_of(tile))
        if whole.memory_space is not Space.Global:
            continue
        if whole.rank < 2 and tile is copy.source:
            continue
        multiple, text = _inner_multiple(copy, whole.dims[-1])
        if multiple * whole.element_bytes % PITCH_BYTES:
            return (
                "inner dim of the argument must be known to be a multiple of "
                f"{PITCH_BYTES // whole.element_bytes} elements ({PITCH_BYTES} bytes), "
                f"got {text}"
            )
    return None


def why_not_worth_tma(copy: CopyOp | CopyAsyncOp) -> str | None:
    """The rule on the number of boxes of a copy that TMA can make."""
    inside = copy.destination
    if tile_type(inside).memory_space is Space.Global:
        inside = copy.source
    count = len(tma_boxes(tile_type(inside), tile_type(root_of(inside))))
    if count <= MOST_BOXES:
        return None
    return f"must be at most {MOST_BOXES} boxes for TMA to be chosen, got {count}"


def _inner_multiple(copy: Operation, dim: Dim) -> tuple[int, str]:
    """What a dim of an argument is known to be a multiple of, and how to call it."""
    if isinstance(dim, str):
        multiple = kernel_of(copy).dim_multiples.get(dim, 1)
        return multiple, f"{dim} multiple_of {multiple}" if multiple > 1 else dim
    return (1, "?") if dim == DYNAMIC else (dim, str(dim))


def why_not_shared(tile: SSAValue) -> str | None:
    """The rule that keeps a shared tile from being moved as boxes."""
    buffer = root_of(tile)
    if (reason := why_not_box(tile)) is not None:
        return f"shared {reason}"
    part, whole = tile_type(tile), tile_type(buffer)
    if not isinstance(buffer.owner, AllocOp | DataOp):
        return "shared tile must be a view of a croq.alloc, got one that a loop carries"
    if part.static_dims is None or not 1 <= part.rank <= MAX_RANK:
        return (
            f"shared tile must have 1 to {MAX_RANK} dims of constant extents, got "
            f"{part}"
        )
    if part.layout is None:
        return f"shared tile must have a layout, got {part}"
    if isinstance(buffer.owner, DataOp) and whole.static_dims is not None:
        # Buffers whose futures take turns lie one after the other.
        size = tile_bytes(whole)
        if size % TMA_ALIGNMENT:
            return (
                "buffer of a future must have a multiple of "
                f"{TMA_ALIGNMENT} bytes, got {size}"
            )
    row, col = origin_in_buffer(tile)
    return check_tma_tile(part, whole) or check_tma_origin(
        whole, (row.multiple, col.multiple)
    )
