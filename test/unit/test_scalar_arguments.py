"""Scalars of a call: packed together as they are one by one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import ScalarArg
from croqtile_mlir.runtime.dtypes import dtype_named, pack_scalar
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments

KINDS = ("i8", "i16", "i32", "i64", "f32", "f64", "f16", "bf16")


def arguments(*kinds: str) -> ScalarArguments:
    inputs = [ScalarArg(f"x{number}", kind) for number, kind in enumerate(kinds)]
    plan: Any = SimpleNamespace(inputs=inputs)
    made = ScalarArguments.of(plan)
    assert made is not None
    return made


def alone(kind: str, value: object) -> bytes | str:
    """What one value is packed as, or why it is refused."""
    try:
        return pack_scalar("x0", dtype_named(kind), value)
    except ArgumentError as error:
        return str(error)


VALUES = st.one_of(
    st.integers(-(1 << 65), 1 << 65),
    st.floats(),
    st.booleans(),
    st.sampled_from([np.int32(-5), np.float32(0.1), np.float64(1e300), None, "1"]),
)


@given(st.sampled_from(KINDS), VALUES)
def test_as_one_by_one(kind: str, value: object):
    made, wanted = arguments(kind), alone(kind, value)
    try:
        found: bytes | str = made.pack([value])
    except ArgumentError as error:
        found = str(error)
    if isinstance(value, float) and math.isnan(value) and isinstance(found, bytes):
        # Which NaN it is says nothing.
        assert isinstance(wanted, bytes)
        return
    assert found == wanted


def test_many():
    kinds = ("i32", "f32", "i64", "f64", "i8")
    values = (-7, 0.5, 1 << 40, -0.0, 255)
    made = arguments(*kinds)
    packed = made.pack(values)
    assert made.split(packed) == [
        alone(kind, value) for kind, value in zip(kinds, values, strict=True)
    ]
    assert made.pack((-7, 0.5, 1 << 40, 0.0, 255)) != packed
    with pytest.raises(ArgumentError, match="'x2' must be between"):
        made.pack((1, 1.0, 1 << 64, 0.0, 0))


def test_none():
    plan: Any = SimpleNamespace(inputs=[])
    assert ScalarArguments.of(plan) is None
