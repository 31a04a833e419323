"""Options of passes and targets as people write them, and what is wrong with others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from xdsl.utils.arg_spec import (
    ArgSpec,
    ArgSpecConvertible,
    ParameterListType,
    ParameterType,
)
from xdsl.utils.hints import isa, type_repr

from croqtile_mlir.diagnostics import fail

_WORDS: Mapping[str, bool] = {"true": True, "false": False, "on": True, "off": False}


def _option_types(cls: type[ArgSpecConvertible]) -> dict[str, Any]:
    """The options of a pass or target, each with its type."""
    types = get_type_hints(cls)
    return {f.name: types[f.name] for f in dataclasses.fields(cls) if f.init}


def _alternatives(type_: Any) -> tuple[Any, ...]:
    return get_args(type_) if get_origin(type_) in (Union, UnionType) else (type_,)


def _as_written(value: ParameterType, alternatives: tuple[Any, ...]) -> ParameterType:
    """Read a value as its option does: `flag=1`, `ratio=2` and `arch=90` are fine."""
    if any(isa(value, each) for each in alternatives):
        return value
    if bool in alternatives:
        if isinstance(value, str):
            return _WORDS.get(value.lower(), value)
        if value in (0, 1):
            return bool(value)
    if float in alternatives and isinstance(value, int):
        return float(value)
    if str in alternatives:
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value


def coerce_options(cls: type[ArgSpecConvertible], spec: ArgSpec) -> ArgSpec:
    """
    The specification with its values as the options of `cls` take them; a flag alone
    is true.
    """
    types = _option_types(cls)
    parameters = dict[str, ParameterListType]()
    for key, values in spec.parameters.items():
        type_ = types.get(key.replace("-", "_"))
        if type_ is None:
            parameters[key] = values
            continue
        alternatives = _alternatives(type_)
        if not values and bool in alternatives:
            parameters[key] = (True,)
            continue
        elements = tuple(
            element
            for each in alternatives
            for element in (get_args(each) if get_origin(each) is tuple else (each,))
            if element is not Ellipsis
        )
        parameters[key] = tuple(_as_written(value, elements) for value in values)
    return ArgSpec(spec.name, parameters)


def _describe(type_: Any) -> str:
    names = {bool: "true or false", int: "an integer", float: "a number", str: "a word"}
    parts = list[str]()
    for each in _alternatives(type_):
        if each is NoneType:
            continue
        if get_origin(each) is Literal:
            parts += [str(value) for value in get_args(each)]
        elif get_origin(each) is tuple:
            parts.append("a list such as 1,2")
        else:
            parts.append(names.get(each) or type_repr(each))
    return " or ".join(dict.fromkeys(parts))


def _shown(values: ParameterListType) -> str:
    return ",".join(str(value) for value in values) or "nothing"


def from_spec(
    kind: str, cls: type[ArgSpecConvertible], spec: ArgSpec
) -> ArgSpecConvertible:
    """
    Make a pass or target (`kind` says which) from its specification.

    Raises:
        CompileError: for an option that `cls` does not have or a value that the option
            does not take, with what there is instead.
    """
    spec = coerce_options(cls, spec)
    try:
        return cls.from_spec(spec)
    except ValueError as error:
        reason = str(error)
    types = _option_types(cls)
    names = [name.replace("_", "-") for name in types]
    hint = f"its options are {', '.join(names)}" if names else "it has no options"
    for key, values in spec.parameters.items():
        type_ = types.get(key.replace("-", "_"))
        if type_ is None:
            reason = f"it has no option '{key}'"
            if close := get_close_matches(key, names, n=1):
                hint = f"did you mean {close[0]}? {hint}"
            break
        if not (isa(values, type_) or (len(values) == 1 and isa(values[0], type_))):
            reason = f"{key} must be {_describe(type_)}, got {_shown(values)}"
            break
    fail(None, f"bad options for {kind} '{spec.name}': {reason}", hint=hint)
