"""Which ops and types a level of the IR consists of (docs/levels.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation

from croqtile_mlir.diagnostics import fail


@dataclass(frozen=True)
class Level:
    """What is legal at a level: dialects, of some only certain ops, and types."""

    name: str
    dialects: frozenset[str]
    only: Mapping[str, frozenset[str]]
    """Dialect to its legal ops, for dialects of which not all ops are legal."""

    index_types: bool
    """Whether `index` is legal."""

    tile_types: bool
    """Whether the types of `croq` are legal."""

    def admits(self, op: Operation) -> bool:
        """Whether an op is legal."""
        dialect = op.name.partition(".")[0]
        only = self.only.get(dialect)
        if only is not None:
            return op.name in only
        return dialect in self.dialects

    def admits_type(self, type: Attribute) -> bool:
        """Whether the type of an operand, result or block argument is legal."""
        if isinstance(type, IndexType):
            return self.index_types
        if isinstance(type, MemRefType):
            return False
        return self.tile_types or not type.name.startswith("croq.")


_MODULE = MappingProxyType({"builtin": frozenset({"builtin.module"})})

LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level(
                "croq",
                frozenset({"croq", "arith", "scf", "math"}),
                _MODULE,
                index_types=True,
                tile_types=True,
            ),
            Level(
                "nvvm",
                frozenset({"arith", "cf", "llvm", "nvvm"}),
                MappingProxyType(
                    {
                        **_MODULE,
                        "gpu": frozenset({"gpu.module"}),
                        "scf": frozenset(
                            {
                                "scf.condition",
                                "scf.for",
                                "scf.if",
                                "scf.while",
                                "scf.yield",
                            }
                        ),
                    }
                ),
                index_types=False,
                tile_types=False,
            ),
            Level(
                "ptx",
                frozenset({"ptx"}),
                _MODULE,
                index_types=False,
                tile_types=False,
            ),
        )
    }
)
"""The levels by name."""


def check_level(module: ModuleOp, level: Level) -> None:
    """
    Check that a module consists of what a level admits.

    Raises:
        CompileError: at the first op that does not belong there.
    """
    for op in module.walk():
        if not level.admits(op):
            fail(op, f"is not legal at level {level.name}")
        values = [*op.operands, *op.results]
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            if not level.admits_type(value.type):
                fail(op, f"must not use type {value.type} at level {level.name}")
