"""The launch plan as an attribute, and what it says of arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, DictionaryAttr
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.dim_maps import compiled_map, stored_map
from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    ConditionCheck,
    DimParam,
    LaunchPlan,
    LaunchPlanError,
    MultipleCheck,
    PitchCheck,
    PointerParam,
    RangeCheck,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
    TileValue,
)

PLAN = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        TileArg("out", "f16", ("M", 128), output=True),
        ScalarArg("alpha", "f32"),
    ),
    dims=("M", "K"),
    params=(
        TensorMapParam("lhs", (128, 64), 128),
        PointerParam("out"),
        StrideParam("out", 0),
        DimParam("K"),
        ScalarParam("alpha"),
    ),
    grid=AffineMap.from_callable(lambda m, k: (m.ceil_div(128), k + 1, 1)),
    block=256,
    shared_bytes=1024,
    checks=(
        AlignmentCheck("lhs", 16, "k.mlir:3:5"),
        PitchCheck("lhs", 0, 16),
        MultipleCheck("K", 8),
        RangeCheck("rows of the window", AffineMap.from_callable(lambda m, k: (m,)), 4),
        ConditionCheck(
            "M >= 8 or K != 40",
            "enough",
            AffineMap.from_callable(lambda m, k: (m - 8, k - 40)),
            ("ge", "ne"),
        ),
    ),
    reference="out[m, n] = lhs[m, n]",
)


def parse(text: str) -> DictionaryAttr:
    ctx = Context()
    ctx.load_dialect(Builtin)
    attribute = Parser(ctx, text).parse_attribute()
    assert isinstance(attribute, DictionaryAttr)
    return attribute


def test_round_trip_through_text():
    attribute = PLAN.to_attr()
    assert LaunchPlan.from_attr(attribute) == PLAN
    assert LaunchPlan.from_attr(parse(str(attribute))) == PLAN


def test_defaults_are_not_written():
    text = str(replace(PLAN, checks=(), reference=None).to_attr())
    assert text.count("written") == 1
    assert text.count("output") == 1
    assert "location" not in text
    assert "reference" not in text


def test_clusters():
    clustered = replace(PLAN, cluster=(2, 1, 1))
    assert clustered.is_clustered
    assert not PLAN.is_clustered
    assert "cluster" not in PLAN.to_attr().data
    assert LaunchPlan.from_attr(parse(str(clustered.to_attr()))) == clustered
    text = str(clustered.to_attr())
    for extents, message in (("[2]", "3 extents, got 1"), ("[0, 1, 1]", "positive")):
        wrong = text.replace("[2 : i64, 1 : i64, 1 : i64]", extents)
        with pytest.raises(LaunchPlanError, match=message):
            LaunchPlan.from_attr(parse(wrong))


def test_dense_arrays_are_read():
    text = str(PLAN.to_attr()).replace("[128 : i64, 64 : i64]", "array<i64: 128, 64>")
    assert "array<" in text
    assert LaunchPlan.from_attr(parse(text)) == PLAN


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("block = 256 : i64", 'block = "x"', r"croq\.launch\.block must be an integer"),
        ("block =", "blocks =", r"croq\.launch must have the key 'block'"),
        ("target =", "size = 3, target =", r"must not have the key 'size'"),
        (
            '"tensor_map"',
            '"tma"',
            r"params\[0\]\.kind must be one of tensor_map, .*'tma'",
        ),
        ("swizzle =", "swizle =", r"params\[0\] must have the key 'swizzle'"),
        ("dim = 0 :", "x = 1 : i64, dim = 0 :", r"must not have the key 'x'"),
        ("written = false", "written = 0", r"args\[0\]\.written must be true or false"),
        ('["M", "K"]', '["M", 1.0]', r"args\[0\]\.shape\[1\] must be an integer"),
        ("swizzle = 128", "swizzle = 48", r"must be 0, 32, 64 or 128, got 48"),
        ("[128 : i64, 64 : i64]", "[512, 64]", r"between 1 and 256 .* got \[512, 64\]"),
        (
            "[128 : i64, 64 : i64]",
            "[64]",
            "the tile's rank, .* got 1 extents for rank 2",
        ),
        ('arg = "out"', 'arg = "alpha"', "'alpha' must be a tile argument"),
        ('arg = "alpha"', 'arg = "out"', "'out' must be a scalar argument"),
        ('dim = "K"}', 'dim = "Q"}', "'Q' must be one of the dims"),
        ("dim = 0 : i64}", "dim = 2 : i64}", r"dim of 'out' must be in 0\.\.1, got 2"),
        ('name = "out"', 'name = "lhs"', "argument 'lhs' must be named once"),
        ("(d0, d1) -> ((d0 ce", "(d0) -> ((d0 ce", None),
    ],
)
def test_malformed_plans(old: str, new: str, message: str | None):
    text = str(PLAN.to_attr())
    assert old in text
    changed = text.replace(old, new, 1)
    if message is None:
        changed = changed.replace("(d1 + 1)", "d0", 1)
        message = "grid must have 2 dims, no symbols"
    with pytest.raises(LaunchPlanError, match=message):
        LaunchPlan.from_attr(parse(changed))


def test_binding():
    dims = PLAN.bind({"lhs": (1000, 64)})
    assert dims == {"M": 1000, "K": 64}
    assert PLAN.grid_extents(dims) == (8, 65, 1)
    assert PLAN.shape(PLAN.tiles["out"], dims) == (1000, 128)
    assert PLAN.bind({}, {"K": 1, "M": 0}) == {"M": 0, "K": 1}
    assert [arg.name for arg in PLAN.inputs] == ["lhs", "alpha"]
    assert [tile.name for tile in PLAN.outputs] == ["out"]


@pytest.mark.parametrize(
    ("shapes", "sizes", "message"),
    [
        ({"lhs": (3,)}, {}, r"'lhs': rank must be 2 \(MxK\), got 1 \(shape \(3,\)\)"),
        (
            {"lhs": (3, 4), "out": (3, 64)},
            {},
            "'out': extent of dim 1 must be 128, got 64",
        ),
        (
            {"lhs": (3, 4), "out": (5, 128)},
            {},
            "'out': extent of dim 0 must be M = 3 as in dim 0 of argument 'lhs', got 5",
        ),
        ({"lhs": (3, 4)}, {"K": 5}, "must be K = 5 as in the given size, got 4"),
        ({}, {"M": 3}, "dim 'K' must be an extent of an argument"),
        ({}, {"Q": 3}, "dim must be one of M, K, got 'Q'"),
        (
            {"lhs": (2**31, 4)},
            {},
            "'M' must be between 0 and 2147483647, got 2147483648",
        ),
    ],
)
def test_binding_errors(
    shapes: dict[str, tuple[int, ...]], sizes: dict[str, int], message: str
):
    with pytest.raises(ArgumentError, match=message):
        PLAN.bind(shapes, sizes)


def check(plan: LaunchPlan = PLAN, m: int = 8, k: int = 8, **lhs: Any) -> None:
    value = TileValue(
        lhs.get("shape", (m, k)), lhs.get("strides", (k, 1)), lhs.get("address", 0), 16
    )
    out = TileValue((m, 128), (128, 1), 0, 16)
    plan.check({"M": m, "K": k}, {"lhs": value, "out": out})


def test_compiled_maps_give_what_maps_give():
    random = np.random.default_rng(0)
    maps = (
        AffineMap.from_callable(lambda m, k: (m.ceil_div(128), k + 1, 1)),
        AffineMap.from_callable(
            lambda m, k: (m * 5 + k + 3, (m + k).ceil_div(7), k * -2)
        ),
        AffineMap.from_callable(lambda m, k: ((m // 5) * 3 + k % 4, m - k, m)),
    )
    for each in maps:
        compiled, stored = compiled_map(each), stored_map(each)
        for _ in range(20):
            dims = [int(extent) for extent in random.integers(0, 2**31, 2)]
            assert compiled(dims) == each.eval(dims, ()) == stored.eval(dims, ())


def test_checks():
    check()
    check(m=1024, strides=(16, 1), address=32)
    with pytest.raises(
        ArgumentError,
        match=r"'lhs': address must be .* 16 bytes, got 0x12 .*k.mlir:3:5",
    ):
        check(address=18)
    with pytest.raises(
        ArgumentError,
        match=r"'lhs': pitch of dim 0 must be .* 16 bytes, got 3466 bytes \(1733 elem",
    ):
        check(strides=(1733, 1))
    with pytest.raises(ArgumentError, match="'K' must be a multiple of 8, got 9"):
        check(k=9, strides=(16, 1))
    with pytest.raises(
        ArgumentError,
        match="rows of the window must be between 4 and 2147483647, got 3",
    ):
        check(m=3)
    check(m=4, k=8, strides=(16, 1))
    with pytest.raises(
        ArgumentError,
        match=r"M >= 8 or K != 40 must hold \(enough\), got M = 7, K = 40",
    ):
        check(m=7, k=40, strides=(40, 1))


def test_relations_are_known_ones():
    wrong = ConditionCheck(
        "M", "odd", AffineMap.from_callable(lambda m, k: (m,)), ("above",)
    )
    with pytest.raises(LaunchPlanError, match=r"relation must be one of .*'above'"):
        replace(PLAN, checks=(wrong,))
    few = ConditionCheck(
        "M", "few", AffineMap.from_callable(lambda m, k: (m,)), ("ge", "le")
    )
    with pytest.raises(LaunchPlanError, match="values must have 2 results"):
        replace(PLAN, checks=(few,))


def test_a_pitch_that_is_never_used_is_free():
    plan = replace(PLAN, checks=())
    check(plan, m=1, k=63, strides=(63, 1))
    with pytest.raises(ArgumentError, match="pitch"):
        check(plan, m=2, k=63, strides=(63, 1))


def test_a_tile_without_elements_is_free():
    check(replace(PLAN, checks=()), k=0, strides=(1, 1), address=2)


def test_tensor_maps_imply_their_checks():
    plan = replace(PLAN, checks=())
    assert plan.all_checks == (AlignmentCheck("lhs", 16), PitchCheck("lhs", 0, 16))
    assert PLAN.all_checks == PLAN.checks, "stated ones are not repeated"
