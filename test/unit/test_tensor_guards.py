"""Guards of tensors: what is like them passes, whatever else differs does not."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from croqtile_mlir.runtime.tensor_guards import (
    Guard,
    attribute_guard,
    compiled_guard,
    is_trusted,
)

torch = pytest.importorskip("torch")


def zeros(*shape: int, **more: Any) -> Any:
    return torch.zeros(*shape, device="cpu", **more)


@pytest.fixture(params=["torch's own", "attributes"])
def make(request: pytest.FixtureRequest) -> Callable[..., Guard]:
    """What makes guards."""
    if request.param == "attributes":
        return partial(made, attribute_guard)
    if not is_trusted(torch):
        pytest.skip("this torch has no guards of its own that are of use")
    return partial(made, compiled_guard)


def made(make: Callable[..., Guard], *tensors: Any) -> Guard:
    return make(torch, tensors)


def test_what_is_like_them_passes(make: Any):
    guard = make(zeros(4, 6), zeros(4, 6)[:, :2], zeros(1))
    for start in range(3):
        moved = zeros(4, 9)[:, start : start + 2]
        assert not guard(zeros(4, 6), moved, zeros(1))
        assert guard(zeros(4, 6), zeros(4, 6)[:, start : start + 2], zeros(1))
    with torch.no_grad():
        assert guard(zeros(4, 6), zeros(4, 6)[:, :2], zeros(1))


DIFFERENT = {
    "another element type": lambda: zeros(4, 6, dtype=torch.float64),
    "as many bits": lambda: zeros(4, 6, dtype=torch.int32),
    "another extent": lambda: zeros(4, 7),
    "another rank": lambda: zeros(4, 6, 1),
    "transposed": lambda: zeros(6, 4).T,
    "pitched": lambda: zeros(4, 8)[:, :6],
    "expanded": lambda: zeros(1, 6).expand(4, 6),
    "another device": lambda: zeros(4, 6).to("meta"),
    "negated": lambda: zeros(4, 6, dtype=torch.complex64).conj().imag,
    "a parameter": lambda: torch.nn.Parameter(zeros(4, 6)),
    "sparse": lambda: zeros(4, 6).to_sparse(),
    "an array": lambda: zeros(4, 6).numpy(),
    "none": lambda: None,
    "a derived class": lambda: zeros(4, 6).as_subclass(Derived),
}


class Derived(torch.Tensor):
    """Might say of its memory what it likes."""


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_does_not(make: Any, name: str):
    guard = make(zeros(4, 6), zeros(3))
    other = DIFFERENT[name]()
    assert not guard(other, zeros(3))
    assert not guard(zeros(4, 6), other)
    assert guard(zeros(4, 6), zeros(3))


def test_changed_in_place(make: Any):
    tensor = zeros(4, 6)
    guard = make(tensor)
    assert guard(tensor)
    tensor.t_()
    assert not guard(tensor)
    tensor.t_()
    assert guard(tensor)
    tensor.resize_(2, 6)
    assert not guard(tensor)


def test_no_tensor_is_kept(make: Any):
    tensor = zeros(4, 6)
    guard = make(tensor)
    gone = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert gone() is None
    assert guard(zeros(4, 6))


def test_a_torch_without_such_guards():
    assert not is_trusted(ModuleType("torch"))


def test_the_same_tensor_twice(make: Any):
    """Only at the same places, and what it is like is asked once."""
    first, other = zeros(4, 6), zeros(4, 6)
    guard = make(first, first, zeros(3))
    assert guard(first, first, zeros(3))
    assert guard(other, other, zeros(3))
    assert not guard(first.T, first.T, zeros(3))
    assert not guard(first, first, zeros(4))
    assert not guard(first, first.T, zeros(3))
    first.t_()
    assert not guard(first, first, zeros(3))
