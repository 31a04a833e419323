"""Element types of the language, and what they are in MLIR."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i1,
    i32,
    i64,
)

from croqtile_mlir.dialects.croq import Dim, Space, TileType
from croqtile_mlir.dialects.croq.types import DYNAMIC
from croqtile_mlir.frontends.croqtile.lowering.integers import Const, Integer, Named

NumberType = IntegerType | AnyFloat

FLOATS: Mapping[str, AnyFloat] = MappingProxyType(
    {
        "f16": Float16Type(),
        "bf16": BFloat16Type(),
        "f32": Float32Type(),
        "tf32": Float32Type(),
        "f64": Float64Type(),
    }
)
"""The types of floating point."""

INTEGERS: Mapping[str, IntegerType] = MappingProxyType(
    {
        "bool": i1,
        "s8": IntegerType(8),
        "u8": IntegerType(8),
        "s16": IntegerType(16),
        "u16": IntegerType(16),
        "s32": i32,
        "u32": i32,
        "s64": i64,
        "u64": i64,
    }
)
"""The integer types, and bool."""

ELEMENTS: Mapping[str, NumberType] = MappingProxyType({**INTEGERS, **FLOATS})
"""The element types that have a counterpart, by their words without aliases."""

_RANKS: Mapping[str, int] = MappingProxyType(
    {
        "bool": 0,
        "s8": 1,
        "u8": 1,
        "s16": 2,
        "u16": 2,
        "s32": 3,
        "u32": 4,
        "s64": 5,
        "u64": 6,
        "f16": 7,
        "bf16": 7,
        "tf32": 8,
        "f32": 8,
        "f64": 9,
    }
)


def is_float(name: str) -> bool:
    """Whether a type is of floating point."""
    return name[0] == "f" or name in ("bf16", "tf32")


def is_unsigned(name: str) -> bool:
    """Whether a type is an integer without sign, or bool."""
    return name[0] == "u" or name == "bool"


def bits(name: str) -> int:
    """Bits of a number."""
    return 1 if name == "bool" else int(name.lstrip("abfstu"))


def promoted(a: str, b: str) -> str:
    """The type in which two numbers are combined: integers of 32 bits at least."""
    if {a, b} == {"f16", "bf16"}:
        return "f32"
    wider = a if _RANKS[a] >= _RANKS[b] else b
    if not is_float(wider) and _RANKS[wider] < _RANKS["s32"]:
        return "s32"
    return "f32" if wider == "tf32" else wider


def is_lossy(source: str, target: str) -> bool:
    """Whether a conversion may lose values or precision that matter."""
    if source == target or target == "bool":
        return False
    if is_float(source):
        return not is_float(target) or _RANKS[target] < _RANKS[source]
    if is_float(target):
        return False
    return bits(target) < bits(source)


def dim_of(value: Integer) -> Dim:
    """An extent as types of tiles have it."""
    match value:
        case Const():
            return value.value
        case Named():
            return value.name
        case _:
            return DYNAMIC


def tile_type_of(shape: tuple[Integer, ...], element: str, space: Space) -> TileType:
    """The type of a tile."""
    return TileType([dim_of(extent) for extent in shape], ELEMENTS[element], space)
