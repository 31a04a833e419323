"""What may not hand on tiles: ops that no pass could follow."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq.types import TileType


def verify_handles(kernel: Operation) -> None:
    """
    Check that no `arith.select` chooses a tile, and no `scf.while` carries one.

    Raises:
        CompileError: at the op.
    """
    for op in kernel.walk():
        if op.name == "arith.select":
            kind = op.results[0].type
            if isinstance(kind, TileType):
                fail(
                    op,
                    f"must choose between numbers, got {kind}",
                    hint="croq.select chooses one of two futures, croq.data is its "
                    "tile",
                )
        elif op.name == "scf.while":
            for result in op.results:
                if isinstance(result.type, TileType):
                    fail(
                        op,
                        f"must carry numbers and futures, got {result.type}",
                        hint="carry a future, or the order of a croq.slot",
                    )
