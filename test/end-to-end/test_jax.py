"""Arrays of jax in device memory as arguments, and results of jax."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.jax_kernels import copied

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime.arrays import DeviceArray

RNG = np.random.default_rng(17)


@pytest.fixture(scope="module")
def jax(torch: Any) -> Any:
    """The module jax, where it sees the device."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    module: Any = pytest.importorskip("jax", exc_type=ImportError)
    try:
        devices = module.devices("cuda")
    except RuntimeError as error:
        pytest.skip(f"jax sees no device: {str(error).splitlines()[0]}")
    assert devices
    return module


def _doubled(x: Any) -> Any:
    return x + x


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i32"])
def test_inputs_and_results(jax: Any, dtype: str):
    """Also of inputs that jax is still computing."""
    kinds: dict[str, Any] = {"f16": "f2", "bf16": ml_dtypes.bfloat16}
    kind = np.dtype(kinds.get(dtype, {"f32": "f4"}.get(dtype, "i4")))
    kernel = copied(dtype, returned=True)
    grown: Callable[[Any], Any] = jax.jit(_doubled)
    for shape in ((24, 40), (100, 200), (1, 8), (3000, 4096)):
        x = (100 * RNG.standard_normal(shape)).astype(kind)
        given = grown(jax.device_put(x))
        made = kernel(given)
        assert isinstance(made, jax.Array)
        assert made.devices() == given.devices()
        np.testing.assert_array_equal(np.asarray(made), x + x)
        np.testing.assert_array_equal(np.asarray(given), x + x)


def test_results_stay_where_they_are(jax: Any, monkeypatch: pytest.MonkeyPatch):
    """None goes by way of host memory; each lives as long as jax needs it."""

    def refuse(self: DeviceArray, target: Any) -> None:
        raise AssertionError("this must not come to the host")

    monkeypatch.setattr(DeviceArray, "download", refuse)
    kernel = copied("f32", returned=True)
    x = RNG.standard_normal((512, 256)).astype("f4")
    given = jax.device_put(x)
    made = [kernel(given) for _ in range(5)]
    assert len({each.unsafe_buffer_pointer() for each in made}) == 5
    found = sum(made[1:], start=made[0])
    del made
    gc.collect()
    others = [kernel(2 * given) for _ in range(5)]
    np.testing.assert_allclose(np.asarray(found), 5 * x, rtol=1e-6)
    for each in others:
        np.testing.assert_array_equal(np.asarray(each), 2 * x)
    product = croq.matmul(given.astype("float16"), given.T.astype("float16"))
    assert isinstance(product, jax.Array)
    expected = x.astype("f2").astype("f8") @ x.T.astype("f2").astype("f8")
    np.testing.assert_allclose(np.asarray(product), expected, rtol=1e-2, atol=0.1)


def test_no_kernel_writes_to_them(jax: Any):
    x = jax.device_put(RNG.standard_normal((24, 40)).astype("f2"))
    y = jax.device_put(np.zeros((24, 40), "f2"))
    with pytest.raises(ArgumentError, match="arrays of jax never change"):
        copied("f16", returned=False)(x, y)


def test_beside_tensors_of_torch(jax: Any, torch: Any):
    kernel = copied("f16", returned=False)
    for number in range(3):
        x = RNG.standard_normal((24 + number, 40)).astype("f2")
        y = torch.full((24 + number, 40), 7.0, device="cuda").half()
        kernel(jax.device_put(x), y)
        np.testing.assert_array_equal(y.cpu().numpy(), x)
        kernel(jax.device_put(2 * x), y)
        np.testing.assert_array_equal(y.cpu().numpy(), 2 * x)


def test_a_product_of_the_library(jax: Any):
    lhs = RNG.standard_normal((300, 200)).astype("f2")
    rhs = RNG.standard_normal((200, 136)).astype("f2")
    found = croq.matmul(jax.device_put(lhs), jax.device_put(rhs))
    assert isinstance(found, jax.Array)
    expected = lhs.astype("f8") @ rhs.astype("f8")
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-3, atol=2e-2)
