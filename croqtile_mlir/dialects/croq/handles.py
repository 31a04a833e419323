"""What may not hand on tiles and futures: ops that no pass could follow."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq.types import FutureType, TileType


def verify_handles(kernel: Operation) -> None:
    """
    Check that no `arith.select` chooses a tile or future, and no `scf.while` carries
    one.

    Raises:
        CompileError: at the op.
    """
    for op in kernel.walk():
        if op.name not in ("arith.select", "scf.while"):
            continue
        for result in op.results:
            if not isinstance(result.type, TileType | FutureType):
                continue
            if op.name == "arith.select":
                fail(
                    op,
                    f"must choose between numbers, got {result.type}",
                    hint="croq.select chooses one of two futures, croq.data is its "
                    "tile",
                )
            fail(
                op,
                f"must carry numbers, got {result.type}",
                hint="carry the order of a croq.slot in its place; croq.foreach "
                "carries futures",
            )
