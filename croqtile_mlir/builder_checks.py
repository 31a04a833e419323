"""What the builder refuses, with the line of the code that asked for it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from inspect import currentframe
from pathlib import Path
from types import MappingProxyType

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    bf16,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import Dim, Engine, Space, TileType
from croqtile_mlir.dialects.croq.index import Index

ELEMENT_TYPES: Mapping[str, TypeAttribute] = MappingProxyType(
    {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64, "i32": i32, "i64": i64}
)
"""Element types by MLIR's spelling."""

_OWN_FILES = (
    __file__,
    str(Path(__file__).with_name("builder.py")),
    contextmanager.__code__.co_filename,
)


def element_type(dtype: str) -> TypeAttribute:
    """The element type that MLIR spells `dtype`."""
    for name, found in ELEMENT_TYPES.items():
        if name == dtype:
            return found
    known = ", ".join(ELEMENT_TYPES)
    fail(caller(), f"element type must be one of {known}, got {dtype!r}")


def engine_named(engine: Engine | str) -> Engine:
    """An engine, or the one that has this name."""
    try:
        return Engine(engine)
    except ValueError:
        known = ", ".join(str(each.value) for each in Engine)
        fail(caller(), f"engine must be one of {known}, got {engine!r}")


def tile_type(dtype: str, shape: Sequence[Dim], space: Space) -> TileType:
    """The type of a tile whose layout is open."""
    element = element_type(dtype)
    check_extents(shape)
    with refusing():
        return TileType(shape, element, space)


def check_extents(shape: Sequence[Dim]) -> None:
    """Refuse what is no extent; what suits an op, its verifier says."""
    for extent in shape:
        if not isinstance(extent, str) and (not _is_integer(extent) or extent < 1):
            fail(
                caller(),
                f"an extent must be a positive integer or a name, got {extent!r}",
            )


def check_indices(indices: Sequence[Index]) -> None:
    """Refuse what is no index operand."""
    for index in indices:
        if not isinstance(index, str | SSAValue) and not _is_integer(index):
            fail(
                caller(),
                f"an index must be an integer, a name or a value, got {index!r}",
            )


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@contextmanager
def refusing() -> Generator[None]:
    """Types and ops that verify when they are made are refused with the line."""
    try:
        yield
    except VerifyException as error:
        fail(caller(), str(error))


def caller() -> LocationAttr:
    """Where the code is that called the builder."""
    frame = currentframe()
    while frame is not None and frame.f_code.co_filename in _OWN_FILES:
        frame = frame.f_back
    if frame is None:
        return UNKNOWN_LOC
    name = StringAttr(frame.f_code.co_filename)
    return FileLineColLoc(name, IntAttr(frame.f_lineno), IntAttr(1))
