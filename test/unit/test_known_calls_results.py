"""Known calls that return tiles, and what they keep alive."""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.fake_torch import FakeTorch, Tensor, aligned
from support.launched_plan import (
    GOOD,
    PLAN,
    install_torch,
    made,
    refusal_of_new_calls,
)
from xdsl.ir.affine import AffineMap

from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    Check,
    LaunchPlan,
    PitchCheck,
    PointerParam,
    StrideParam,
    TileArg,
)

pytest.importorskip("cuda.bindings.driver")


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    return install_torch(monkeypatch)


@pytest.fixture
def only_known(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return refusal_of_new_calls(monkeypatch)


def returned(*outputs: TileArg, checks: tuple[Check, ...] = ()) -> LaunchPlan:
    """A kernel that takes the addresses of the tiles that it returns."""
    return replace(
        PLAN,
        args=(*PLAN.args[:2], *outputs, PLAN.args[3]),
        dims=("M", "K"),
        params=(
            *(PointerParam(each.name) for each in outputs),
            StrideParam(outputs[0].name, 0),
        ),
        grid=AffineMap.from_callable(lambda m, k: (m.ceil_div(8), 1, 1)),
        checks=checks,
    )


def rows_of(columns: int) -> LaunchPlan:
    """Returned rows start at multiples of 64 bytes."""
    checks = AlignmentCheck("out", 32), PitchCheck("out", 0, 64)
    out = TileArg("out", "f16", ("M", columns), output=True)
    return returned(out, checks=checks)


def test_the_address_of_an_empty_tensor_is_free(only_known: Callable[[], None]):
    out = TileArg("out", "f16", ("M", 16), output=True)
    launcher, api = made(returned(out, checks=(AlignmentCheck("lhs", 32),)))
    for _ in range(3):
        line: Any = aligned((1, 8)).array[0, 1:]
        lhs = Tensor(np.lib.stride_tricks.as_strided(line, (40, 0), (2, 2)))
        assert lhs.data_ptr() % 32
        launcher((lhs, 1.0, 7))
        only_known()
    assert len(api.launches) == 3


@pytest.mark.parametrize(("columns", "pitch"), [(24, 32), (32, 32)])
def test_returned_tiles_are_new_ones(
    torch: FakeTorch, columns: int, pitch: int, only_known: Callable[[], None]
):
    launcher, api = made(rows_of(columns))
    for number in range(3):
        result = launcher((GOOD[0], 1.0, 7))
        assert (result.shape, result.stride()) == ((40, columns), (pitch, 1))
        assert api.launches[-1].read(0, ctypes.c_uint64) == result.data_ptr()
        assert api.launches[-1].read(1, ctypes.c_int64) == pitch
        assert len(torch.made) == number + 1
        only_known()
    assert len({id(each) for each in torch.made}) == 3


def test_returned_tiles_belong_to_the_given_stream(
    torch: FakeTorch, only_known: Callable[[], None]
):
    entered: list[Any] = []

    def enter(stream: Any) -> nullcontext[None]:
        entered.append((stream, len(torch.made)))
        return nullcontext()

    module: Any = sys.modules["torch"]
    module.cuda = SimpleNamespace(
        stream=enter,
        ExternalStream="external {} {device}".format,
        default_stream="default {}".format,
    )
    launcher, api = made(rows_of(24))
    launcher((GOOD[0], 1.0, 7))
    only_known()
    for current, given in ((0, 5), (5, 5), (5, 0), (5, None)):
        torch.stream = current
        launcher((GOOD[0], 1.0, 7), given)
        assert api.launches[-1].stream == (current if given is None else given)
    # Entered before the tile is made, and only where it is not current anyway.
    assert entered == [("external 5 0", 1), ("default 0", 3)]


def test_several_returned_tiles_come_as_a_tuple(only_known: Callable[[], None]):
    one = TileArg("one", "f16", ("M", 16), output=True)
    two = TileArg("two", "f32", ("M", 16), output=True)
    launcher, api = made(returned(one, two))
    launcher((GOOD[0], 1.0, 7))
    only_known()
    first, second = launcher((GOOD[0], 1.0, 7))
    assert (str(first.dtype), str(second.dtype)) == ("torch.float16", "torch.float32")
    got = [api.launches[-1].read(number, ctypes.c_uint64) for number in (0, 1)]
    assert got == [first.data_ptr(), second.data_ptr()]


def test_tensors_are_not_kept_alive():
    launcher, _ = made()
    lhs = aligned((40, 64))
    seen = weakref.ref(lhs)
    for _ in range(2):
        launcher((lhs, *GOOD[1:]))
    del lhs
    assert seen() is None
