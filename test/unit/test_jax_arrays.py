"""Arrays of jax as arguments, by jax itself on the host."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.jax_kernels import copied

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime import available

jax: Any = pytest.importorskip("jax", exc_type=ImportError)

RNG = np.random.default_rng(17)


def on_host(values: Any) -> Any:
    return jax.device_put(values, jax.devices("cpu")[0])


def test_what_a_kernel_returns_is_of_jax():
    x = RNG.standard_normal((24, 40)).astype("f2")
    given = on_host(x)
    made = copied("f16", returned=True)(given)
    assert isinstance(made, jax.Array)
    assert made.devices() == given.devices()
    np.testing.assert_array_equal(made, x)


@pytest.mark.skipif(bool(available()), reason="is about machines without a device")
def test_beside_numpy_arrays_and_in_the_simulator():
    x = RNG.standard_normal((24, 40)).astype("f2")
    y = np.zeros_like(x)
    copied("f16", returned=False)(on_host(x), y)
    np.testing.assert_array_equal(y, x)
    other = copied("f16", returned=True).simulate(on_host(x), level="croq")
    np.testing.assert_array_equal(other, x)


def test_nobody_writes_to_one():
    x = on_host(np.ones((16, 16), "f2"))
    y = on_host(np.zeros((16, 16), "f2"))
    kernel = copied("f16", returned=False)
    for call in (kernel, kernel.simulate):
        with pytest.raises(ArgumentError, match=r"'y' must be writeable.*never change"):
            call(x, y)
    assert not np.asarray(y).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products(dtype: str):
    a = on_host(RNG.standard_normal((24, 40))).astype(dtype)
    b = on_host(RNG.standard_normal((40, 16))).astype(dtype)
    made = croq.matmul(a, b, dtype="f32")
    assert isinstance(made, jax.Array)
    wanted = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
    np.testing.assert_allclose(np.asarray(made), wanted, rtol=1e-4, atol=1e-4)
    with pytest.raises(ArgumentError, match=r"'out' must be writeable.*never change"):
        croq.matmul(a, b, made)


def test_one_that_is_traced_is_refused_by_name():
    kernel = copied("f16", returned=True)
    with pytest.raises(ArgumentError, match=r"'x' must be an array with values.*trace"):
        jax.jit(kernel)(on_host(np.ones((16, 16), "f2")))


def test_what_has_no_values_is_refused_by_name():
    gone = on_host(np.ones((16, 16), "f2"))
    gone.delete()
    kernel = copied("f16", returned=True)
    for argument in (gone, jax.random.key(0)):
        with pytest.raises(ArgumentError, match="'x' must be an array with values: "):
            kernel(argument)


def test_element_types_and_shapes_are_checked():
    kernel = copied("f16", returned=True)
    with pytest.raises(ArgumentError, match=r"'x': element type must be f16.*float32"):
        kernel.simulate(on_host(np.ones((16, 16), "f4")))
    with pytest.raises(ArgumentError, match="'x'"):
        kernel.simulate(on_host(np.ones((16, 16, 2), "f2")))


def test_one_on_several_devices_is_refused():
    from croqtile_mlir.runtime import jax_arrays

    def devices() -> Sequence[str]:
        return ["cpu:0", "cpu:1"]

    with pytest.raises(ArgumentError, match=r"'x' must be on one device.*cpu:0, cpu:1"):
        jax_arrays.ready("x", SimpleNamespace(devices=devices))
