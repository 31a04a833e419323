"""A kernel of every kind of argument, launched against a driver in host memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from xdsl.ir.affine import AffineMap

from croqtile_mlir.compiler import Source
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    ConditionCheck,
    DimParam,
    LaunchPlan,
    MultipleCheck,
    PointerParam,
    RangeCheck,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
)
from croqtile_mlir.runtime.launch import Launcher
from support.fake_driver import FakeApi, Launch
from support.fake_torch import FakeTorch, aligned

PLAN = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        ScalarArg("alpha", "f32"),
        TileArg("out", "f16", ("M", "N")),
        ScalarArg("n", "i16"),
    ),
    dims=("M", "N", "K"),
    params=(
        TensorMapParam("lhs", (128, 64), 128),
        PointerParam("out"),
        StrideParam("out", 0),
        DimParam("K"),
        ScalarParam("alpha"),
        TensorMapParam("out", (64, 8), 0),
        ScalarParam("n"),
    ),
    grid=AffineMap.from_callable(lambda m, n, k: (m.ceil_div(8), n.ceil_div(8), 1)),
    block=256,
    checks=(
        AlignmentCheck("out", 32, "kernel.mlir:3:5"),
        MultipleCheck("K", 8),
        RangeCheck("rows", AffineMap.from_callable(lambda m, n, k: (m * 2,)), 4, 4000),
        ConditionCheck(
            "M < 500 or K == 64",
            "few rows",
            AffineMap.from_callable(lambda m, n, k: (m - 500, k - 64)),
            ("lt", "eq"),
            "kernel.mlir:4:7",
        ),
    ),
)

TILES = replace(
    PLAN,
    args=tuple(arg for arg in PLAN.args if not isinstance(arg, ScalarArg)),
    params=tuple(each for each in PLAN.params if not isinstance(each, ScalarParam)),
)
"""The same without scalars."""

GOOD = aligned((40, 64)), 1.5, aligned((40, 24)), 7
"""Arguments of `PLAN`."""


def install_torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    """Let the part of torch that the runtime looks at be loaded."""
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake.module())
    return fake


def refusal_of_new_calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on nothing is checked anew."""

    def refuse(*args: Any) -> None:
        raise AssertionError("this call must be known")

    return lambda: monkeypatch.setattr(Launcher, "prepare", refuse)


def refusal_of_longer_ways(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on nothing is launched but what is launched again."""

    def refuse(*args: Any) -> None:
        raise AssertionError("this call must be launched again")

    return lambda: monkeypatch.setattr(Launcher, "__call__", refuse)


def made(plan: LaunchPlan = PLAN, **fields: Any) -> tuple[Launcher, FakeApi]:
    api = FakeApi(parameter_count=len(plan.params), **fields)
    return Launcher(plan, "ptx", "kernel", api.driver()), api


def parameters(api: FakeApi, launch: Launch) -> list[Any]:
    """All parameters of a launch of `PLAN` by value."""
    maps = {each.getPtr(): each.fields for each in api.descriptors}
    kinds = (None, "uint64", "int64", "int32", "float", None, "int16")
    return [
        maps[launch.parameters[number]]
        if kind is None
        else launch.read(number, getattr(ctypes, f"c_{kind}"))
        for number, kind in enumerate(kinds)
    ]


def watched(**fields: Any) -> tuple[Launcher, FakeApi, list[Any]]:
    """A launcher of `PLAN` and what its launches get, written down as they happen."""
    launcher, api = made(**fields)
    seen: list[Any] = []
    api.kernel = lambda launch: seen.append(
        (launch.grid, launch.stream, parameters(api, launch))
    )
    return launcher, api, seen


def kernel_of(plan: LaunchPlan = TILES, **fields: Any) -> tuple[Kernel, FakeApi]:
    """A kernel that is called by its user, and the driver that it has."""
    api = FakeApi(parameter_count=len(plan.params), **fields)
    kernel = Kernel("kernel", Source("", "kernel.mlir"), "ptx", plan)
    launcher = Launcher(plan, "ptx", "kernel", api.driver())
    vars(kernel).update(launcher=launcher, _again=launcher.again)
    # A device of which the thread has made the context its current one.
    api.contexts.append(100)
    return kernel, api


def out_of(launch: Launch) -> int:
    """The address of `out`."""
    return launch.read(1, ctypes.c_uint64)
