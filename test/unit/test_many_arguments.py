"""The kernel of many arguments of `benchmarks/launch_overhead.py`."""

from __future__ import annotations

import numpy as np
import pytest
from many_arguments import sum_of

import croqtile_mlir as croq


@pytest.mark.parametrize(("tensors", "scalars"), [(18, 0), (2, 16)])
def test_sums(tensors: int, scalars: int):
    rng = np.random.default_rng(7)
    xs = rng.standard_normal((tensors, 256)).astype(np.float32)
    numbers = [float(each) for each in rng.standard_normal(scalars)]
    out = np.full(256, np.nan, np.float32)
    croq.simulate(sum_of(tensors, scalars), *xs, *numbers, out)
    wanted = xs.sum(0, dtype=np.float64) + sum(numbers)
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)
