"""What the builder refuses, with the line of the code that asked for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from inspect import currentframe
from pathlib import Path
from types import MappingProxyType
from typing import SupportsFloat, TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    FileLineColLoc,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    StringAttr,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import Dim, Position, Space, TileType
from croqtile_mlir.dialects.croq.index import Index

ELEMENT_TYPES: Mapping[str, IntegerType | AnyFloat] = MappingProxyType(
    {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
    | {"i8": i8, "i32": i32, "i64": i64}
)
"""Element types by MLIR's spelling."""

KindT = TypeVar("KindT", bound=StrEnum)

_OWN_FILES = frozenset(
    {
        *(str(path) for path in Path(__file__).parent.glob("*.py")),
        str(Path(__file__).parents[1] / "builder.py"),
        str(Path(__file__).parents[1] / "compiler.py"),
        contextmanager.__code__.co_filename,
    }
)


def element_type(dtype: str) -> IntegerType | AnyFloat:
    """The element type that MLIR spells `dtype`."""
    for name, found in ELEMENT_TYPES.items():
        if name == dtype:
            return found
    known = ", ".join(ELEMENT_TYPES)
    fail(caller(), f"element type must be one of {known}, got {dtype!r}")


def named(kinds: type[KindT], value: KindT | str, what: str) -> KindT:
    """One of some kinds, given itself or by its name."""
    try:
        return kinds(value)
    except ValueError:
        known = ", ".join(str(each.value) for each in kinds)
        fail(caller(), f"{what} must be one of {known}, got {value!r}")


def number_of(
    element: Attribute, value: float, what: str
) -> FloatAttr[Float64Type] | IntegerAttr[IntegerType]:
    """What fills elements of a type: an f64 or an i64."""
    if not isinstance(element, IntegerType):
        check_number(value, what)
        return FloatAttr(float(value), f64)
    if not _is_integer(value) or not isinstance(value, int):
        fail(
            caller(),
            f"{what} must be an integer for elements of {element}, got {value}",
        )
    with refusing():
        return IntegerAttr(value, i64)


def check_number(value: object, what: str) -> None:
    """Refuse what is no real number."""
    if not isinstance(value, SupportsFloat):
        fail(caller(), f"{what} must be a number, got {_shown(value)}")


def tile_type(dtype: str, shape: Sequence[Dim], space: Space) -> TileType:
    """The type of a tile whose layout is open."""
    element = element_type(dtype)
    check_extents(shape)
    with refusing():
        return TileType(shape, element, space)


def check_list(values: Iterable[object], what: str) -> None:
    """Refuse what is no list of things."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        fail(caller(), f"{what} must be a list, got {_shown(values)}")


def check_values(*values: object, optional: object = None) -> None:
    """Refuse operands that no op gives, nor the kernel takes; None as `optional`."""
    for value in values if optional is None else (*values, optional):
        if not isinstance(value, SSAValue):
            fail(caller(), f"an operand must be a value of the kernel, got {value!r}")


def check_operands(values: Iterable[object], what: str) -> None:
    """Refuse what is no list of values."""
    check_list(values, what)
    check_values(*values)


def check_kind(value: object, kind: type[object], what: str) -> None:
    """Refuse what is not of a class; `what` is what must be."""
    if not isinstance(value, kind):
        fail(caller(), f"{what} must be given, got {_shown(value)}")


def check_integers(**values: object) -> None:
    """Refuse what is no integer; None is what was not given."""
    for name, value in values.items():
        if value is not None and not _is_integer(value):
            fail(caller(), f"{name} must be an integer, got {_shown(value)}")


def check_texts(**values: object) -> None:
    """Refuse what is no text."""
    for name, value in values.items():
        if not isinstance(value, str):
            fail(caller(), f"{name} must be a text, got {_shown(value)}")


def check_argument_name(name: object) -> None:
    """Refuse what cannot be the name of a value."""
    if not isinstance(name, str) or not SSAValue.is_valid_name(name):
        fail(caller(), f"the name of an argument must be like rows_2, got {name!r}")


def check_integer_lists(**lists: Iterable[object] | None) -> None:
    """Refuse what is no list of integers; None is what was not given."""
    for name, values in lists.items():
        if values is not None:
            check_list(values, name)
            for value in values:
                check_integers(**{name: value})


def position(at: Index, offset: int | str, by_slot: bool) -> Position:
    """The place in a ring; what is no index or no offset is refused."""
    check_indices((at,))
    if not isinstance(offset, str) and not _is_integer(offset):
        fail(
            caller(),
            f"offset must be an integer or a name, got {_shown(offset)}",
        )
    return Position(at, offset, by_slot)


def check_extents(*shapes: Sequence[Dim] | None) -> None:
    """Refuse what is no extent; what suits an op, its verifier says."""
    for shape in shapes:
        if shape is not None:
            check_list(shape, "extents")
            _check_each_extent(shape)


def _check_each_extent(shape: Sequence[Dim]) -> None:
    for extent in shape:
        if not isinstance(extent, str) and (not _is_integer(extent) or extent < 1):
            fail(
                caller(),
                f"an extent must be a positive integer or a name, got {extent!r}",
            )


def check_indices(*lists: Sequence[Index]) -> None:
    """Refuse what is no index operand."""
    for indices in lists:
        check_list(indices, "indices")
        _check_each_index(indices)


def _check_each_index(indices: Sequence[Index]) -> None:
    for index in indices:
        if not isinstance(index, str | SSAValue) and not _is_integer(index):
            fail(
                caller(),
                f"an index must be an integer, a name or a value, got {index!r}",
            )


def check_mapping(values: object, what: str) -> None:
    """Refuse what does not give names their numbers."""
    if not isinstance(values, Mapping):
        fail(caller(), f"{what} must map names to integers, got {values!r}")


def check_multiples(dims: Mapping[str, object]) -> None:
    """Refuse a dim without the number that it is a multiple of."""
    check_mapping(dims, "dims")
    for name, multiple in dims.items():
        check_texts(dim=name)
        if not _is_integer(multiple):
            fail(
                caller(),
                f"dim {name} must be given what it is a multiple of, got {multiple!r}",
            )


def check_defaults(params: Mapping[str, object]) -> None:
    """Refuse a parameter whose default is no integer."""
    check_mapping(params, "params")
    for name, value in params.items():
        check_texts(parameter=name)
        if not _is_integer(value):
            fail(caller(), f"the default of {name} must be an integer, got {value!r}")


def _shown(value: object) -> str:
    return "a value" if isinstance(value, SSAValue) else repr(value)


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
