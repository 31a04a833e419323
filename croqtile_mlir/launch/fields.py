"""The records of a launch plan as dictionaries of builtin attributes, both ways.

A record is a frozen dataclass; its fields are integers, booleans, strings, affine maps
and tuples of integers or strings. A field that has its default value is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from croqtile_mlir.launch.dim_maps import StoredMap
from croqtile_mlir.launch.records import LaunchPlanError, Record

R = TypeVar("R", bound=Record)


def read_record(cls: type[R], attribute: Attribute, where: str) -> R:
    """The record in a dictionary; `where` names the dictionary in errors."""
    entries = dict(dictionary(attribute, where))
    if cls.KIND:
        entries.pop("kind", None)
    values: dict[str, Any] = {}
    for field in fields(cls):
        if field.name not in entries:
            if field.default is MISSING:
                raise LaunchPlanError(f"{where} must have the key '{field.name}'")
            continue
        found = entries.pop(field.name)
        reader = _READERS[str(field.type)]
        values[field.name] = reader(found, f"{where}.{field.name}")
    if entries:
        raise LaunchPlanError(f"{where} must not have the key '{min(entries)}'")
    return cls(**values)


def write_record(record: Record) -> DictionaryAttr:
    """A record as a dictionary."""
    entries: dict[str, Attribute] = {}
    if record.KIND:
        entries["kind"] = StringAttr(record.KIND)
    for field in fields(record):
        value: object = getattr(record, field.name)
        if field.default is MISSING or value != field.default:
            entries[field.name] = encode(value)
    return DictionaryAttr(entries)


def read_records(
    attribute: Attribute, where: str, kinds: Sequence[type[R]]
) -> tuple[R, ...]:
    """The records of an array, each of the class that its `kind` names."""
    by_kind = {kind.KIND: kind for kind in kinds}
    records: list[R] = []
    for index, entry in enumerate(array(attribute, where)):
        place = f"{where}[{index}]"
        kind = string(dictionary(entry, place).get("kind", StringAttr("")), place)
        if kind not in by_kind:
            raise LaunchPlanError(
                f"{place}.kind must be one of {', '.join(by_kind)}, got '{kind}'"
            )
        records.append(read_record(by_kind[kind], entry, place))
    return tuple(records)


def encode(value: object) -> Attribute:
    """A field's value as an attribute."""
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, 64)
        case str():
            return StringAttr(value)
        case AffineMap():
            return AffineMapAttr(value)
        case StoredMap():
            return parse_affine_map(str(value))
        case Record():
            return write_record(value)
        case tuple():
            items = cast("tuple[object, ...]", value)
            return ArrayAttr(tuple(encode(item) for item in items))
        case _:
            raise LaunchPlanError(f"a launch plan cannot hold {value!r}")


def parse_affine_map(text: str) -> AffineMapAttr:
    """A map from its text."""
    from xdsl.context import Context
    from xdsl.parser import Parser

    return AffineMapAttr(Parser(Context(), text).parse_affine_map())


def dictionary(attribute: Attribute, where: str) -> Mapping[str, Attribute]:
    """The entries of a dictionary; here and below `where` names the field in errors."""
    if not isinstance(attribute, DictionaryAttr):
        raise LaunchPlanError(f"{where} must be a dictionary, got {attribute}")
    return attribute.data


def array(attribute: Attribute, where: str) -> Sequence[Attribute]:
    """The items of an array, dense or not."""
    if isinstance(attribute, DenseArrayBase):
        return tuple(encode(value) for value in attribute.get_values())
    if not isinstance(attribute, ArrayAttr):
        raise LaunchPlanError(f"{where} must be an array, got {attribute}")
    return cast("ArrayAttr[Attribute]", attribute).data


def string(attribute: Attribute, where: str) -> str:
    """A text."""
    if not isinstance(attribute, StringAttr):
        raise LaunchPlanError(f"{where} must be a string, got {attribute}")
    return attribute.data


def boolean(attribute: Attribute, where: str) -> bool:
    """A truth value: an integer of one bit."""
    value = _value(attribute, truth_value=True)
    if value is None:
        raise LaunchPlanError(f"{where} must be true or false, got {attribute}")
    return value != 0


def integer(attribute: Attribute, where: str) -> int:
    """An integer of any type but that of truth values."""
    value = _value(attribute, truth_value=False)
    if value is None:
        raise LaunchPlanError(f"{where} must be an integer, got {attribute}")
    return value


def affine_map(attribute: Attribute, where: str) -> AffineMap:
    """A map from the extents of dims."""
    if not isinstance(attribute, AffineMapAttr):
        raise LaunchPlanError(f"{where} must be an affine map, got {attribute}")
    return attribute.data


def integers(attribute: Attribute, where: str) -> tuple[int, ...]:
    """An array of integers."""
    return tuple(
        integer(item, f"{where}[{index}]")
        for index, item in enumerate(array(attribute, where))
    )


def strings(attribute: Attribute, where: str) -> tuple[str, ...]:
    """An array of texts."""
    return tuple(
        string(item, f"{where}[{index}]")
        for index, item in enumerate(array(attribute, where))
    )


def extents(attribute: Attribute, where: str) -> tuple[int | str, ...]:
    """Names of dims and integers, mixed."""
    return tuple(
        item.data
        if isinstance(item, StringAttr)
        else integer(item, f"{where}[{index}]")
        for index, item in enumerate(array(attribute, where))
    )


def _value(attribute: Attribute, *, truth_value: bool) -> int | None:
    if not isinstance(attribute, IntegerAttr):
        return None
    found = cast("IntegerAttr[IndexType | IntegerType]", attribute)
    is_truth_value = found.type == IntegerType(1)
    return found.value.data if is_truth_value == truth_value else None


_READERS: Mapping[str, Callable[[Attribute, str], object]] = MappingProxyType(
    {
        "str": string,
        "int": integer,
        "bool": boolean,
        "DimMap": affine_map,
        "tuple[int, ...]": integers,
        "tuple[str, ...]": strings,
        "tuple[Dim, ...]": extents,
    }
)
