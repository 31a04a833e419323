"""At which level of parallelism an op is."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.types import Level, LevelAttr, Space, TileType


def is_inside_level(op: Operation, level: Level) -> bool:
    """Whether an op is inside `croq.parallel` of a level, or in no kernel at all."""
    parent = op.parent_op()
    while parent is not None and parent.name != "croq.kernel":
        found = parent.properties.get("level")
        if isinstance(found, LevelAttr) and found.data is level:
            return True
        parent = parent.parent_op()
    return parent is None


def verify_private_use(op: Operation) -> None:
    """Check that single threads execute an op on a tile of registers."""
    for value in op.operands:
        tile = value.type
        if (
            isinstance(tile, TileType)
            and tile.memory_space is Space.Register
            and not is_inside_level(op, Level.Thread)
        ):
            raise VerifyException(
                "a register tile must be used inside croq.parallel of level thread, "
                f"got {tile} outside of it"
            )
