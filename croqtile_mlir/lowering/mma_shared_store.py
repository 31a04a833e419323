"""What a store of an accumulator asks of the shared buffer that it goes to."""

from __future__ import annotations

from croqtile_mlir import layouts
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import Layout, MmaStoreOp, root_of, tile_type


def check_buffer(op: MmaStoreOp, unit: int) -> None:
    """Refuse an open buffer, or one whose rows are no multiple of `unit` bytes."""
    root = root_of(op.tile)
    buffer = tile_type(root)
    notes = [(root, "the buffer is allocated here")]
    if buffer.layout is None:
        fail(
            op,
            f"must store to a buffer with a layout, got {buffer}",
            hint="run --infer-layouts first",
            notes=notes,
        )
    pitch = layouts.panel_bytes(buffer)
    if buffer.layout is Layout.RowMajor and pitch % unit:
        fail(
            op,
            f"must store to rows of a multiple of {unit} bytes, got {pitch}",
            notes=notes,
        )
