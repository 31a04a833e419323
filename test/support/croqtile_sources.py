"""The kernels of `examples/croqtile`, their arguments, and what they compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2] / "examples"
Array: TypeAlias = NDArray[Any]
Size: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Launch:
    """Arguments of one launch, and what is in them, or returned, afterwards."""

    args: tuple[Any, ...]
    results: Mapping[int, Array]
    """By the number of the argument; -1 for what is returned."""
    tolerance: float = 0.0
    """How far a result may be off, relative to 1 + its size."""


@dataclass(frozen=True)
class Kernel:
    """A source file, sizes to run it with, and what makes a launch of a size."""

    launch: Callable[[Generator, Size], Launch]
    sizes: tuple[Size, ...]
    """Of the simulator: small ones, ragged ones, rings that wrap."""
    large: tuple[Size, ...]
    """Of a device."""
    defines: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str = "croqtile"
    name: str | None = None
    """Of the file; that of the entry in `KERNELS` if it is left out."""
    undecided: str | None = None
    """What the verifier says it cannot decide; None where it proves the kernel."""


def integers(rng: Generator, *shape: int, below: int = 1000) -> Array:
    """Random integers, some of them negative."""
    return rng.integers(-below, below, shape, dtype=np.int32)


def floats(rng: Generator, *shape: int, dtype: Any = np.float32) -> Array:
    """Random numbers around 0."""
    return rng.standard_normal(shape).astype(dtype)


def stale(*shape: int, dtype: Any = np.int32) -> Array:
    """What is in an output before the kernel writes it."""
    return np.full(shape, 77, dtype)


def _saxpy(rng: Generator, size: Size) -> Launch:
    x, y = floats(rng, *size), floats(rng, *size)
    alpha = 1.5
    expected = np.float32(alpha) * x + y
    return Launch((alpha, x, y), {2: expected}, 1e-6)


def _doubled(rng: Generator, size: Size) -> Launch:
    x = floats(rng, size[0], 64)
    return Launch((x,), {-1: x + x})


def _staged_add(rng: Generator, size: Size) -> Launch:
    a, b = floats(rng, *size), floats(rng, *size)
    return Launch((a, b, stale(*size, dtype=np.float32)), {2: a + b})


def _transpose(rng: Generator, size: Size) -> Launch:
    x = integers(rng, *size)
    return Launch((x,), {-1: x.T})


def _transpose_elements(rng: Generator, size: Size) -> Launch:
    x = floats(rng, *size)
    return Launch((x, stale(*size[::-1], dtype=np.float32)), {1: x.T})


def _event_table(rng: Generator, size: Size) -> Launch:
    x = floats(rng, size[0], 64)
    return Launch((x,), {-1: x / 2})


def _masked_stream(rng: Generator, size: Size) -> Launch:
    x = floats(rng, *size, dtype=ml_dtypes.bfloat16)
    mask = rng.integers(0, 2, size, dtype=np.uint8)
    return Launch((x, mask), {-1: np.where(mask, x.astype(np.float32), 0)})


def _matmul_s8(rng: Generator, size: Size) -> Launch:
    m, n, k = size
    lhs = rng.integers(-128, 128, (m, k), dtype=np.int8)
    rhs = rng.integers(-128, 128, (n, k), dtype=np.int8)
    zero = rng.integers(0, 256, n, dtype=np.uint8)
    rows, cols = np.abs(floats(rng, m)), np.abs(floats(rng, n))
    sums = lhs.astype(np.int32) @ rhs.astype(np.int32).T - zero.astype(np.int32)
    expected = sums * rows[:, None] * cols
    return Launch((lhs, rhs, rows, cols, zero), {-1: expected}, 1e-5)


def _matmul_tiles(rng: Generator, size: Size) -> Launch:
    m, n, k = size
    lhs, rhs = (floats(rng, each, k, dtype=np.float16) for each in (m, n))
    expected = lhs.astype(np.float32) @ rhs.astype(np.float32).T
    return Launch((lhs, rhs), {-1: expected}, 1e-2)


def _matmul_masked(rng: Generator, size: Size) -> Launch:
    m, n, k, rows = size
    lhs = floats(rng, m, k, dtype=np.float16)
    rhs = floats(rng, n, k, dtype=np.float16)
    expected = lhs.astype(np.float32) @ rhs.astype(np.float32).T
    out = floats(rng, m, n)
    masked = out.copy()
    masked[:rows] = expected[:rows]
    turned = stale(n, m, dtype=np.float32)
    args = (lhs, rhs, out, turned, rows)
    return Launch(args, {2: masked, 3: expected.T}, 1e-2)


def _named_barriers(rng: Generator, size: Size) -> Launch:
    x = integers(rng, size[0], 128)
    return Launch((x,), {-1: 3 * x[:, ::-1]})


def _persistent_roles(rng: Generator, size: Size) -> Launch:
    x, scale = floats(rng, size[0], 64), floats(rng, 64)
    return Launch((x, scale), {-1: x * scale})


def _persistent_scale(rng: Generator, size: Size) -> Launch:
    x = integers(rng, size[0], 128)
    return Launch((x, stale(size[0], 128)), {1: 3 * x})


def _histogram(rng: Generator, size: Size) -> Launch:
    x = rng.integers(0, 64, size, dtype=np.int32)
    counts = integers(rng, 64)
    expected = counts + np.bincount(x, minlength=64).astype(np.int32)
    return Launch((x, counts), {1: expected})


def _row_sums(rng: Generator, size: Size) -> Launch:
    x = integers(rng, *size)
    return Launch((x, stale(size[0])), {1: x.sum(1, dtype=np.int32)})


def _softmax(rng: Generator, size: Size) -> Launch:
    x = floats(rng, *size)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = e / e.sum(1, keepdims=True)
    return Launch((x, stale(*size, dtype=np.float32)), {1: expected}, 1e-5)


def _collatz(rng: Generator, size: Size) -> Launch:
    x = rng.integers(1, 40, size, dtype=np.int32)
    expected = np.zeros(size, np.int32)
    for at, value in enumerate(map(int, x)):
        while value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            expected[at] += 1
    return Launch((x, stale(*size)), {1: expected})


def _lower_bound(rng: Generator, size: Size) -> Launch:
    n, k = size
    values = np.sort(integers(rng, n, below=50))
    keys = integers(rng, k, below=60)
    expected = np.searchsorted(values, keys).astype(np.int32)
    return Launch((values, keys, stale(k)), {2: expected})


def _double_buffer(rng: Generator, size: Size) -> Launch:
    x = integers(rng, *size)
    return Launch((x, stale(*size)), {1: x + 1})


def _rotate_three(rng: Generator, size: Size) -> Launch:
    x = integers(rng, size[0], 512)
    return Launch((x, stale(size[0], 512)), {1: x * x})


def _window_sums(rng: Generator, size: Size) -> Launch:
    (windows,) = size
    x = integers(rng, 16 * windows + 48)
    expected = np.array(
        [x[16 * w : 16 * w + 64].sum() for w in range(windows)], np.int32
    )
    return Launch((x, stale(windows)), {1: expected})


def _deinterleave(rng: Generator, size: Size) -> Launch:
    x = integers(rng, 512)
    return Launch((x, stale(256), stale(256)), {1: x[::2], 2: x[1::2]})


def _box_blur(rng: Generator, size: Size) -> Launch:
    p, q = size
    x = floats(rng, p + 2, q + 2)
    parts = [x[i : i + p, j : j + q] for i in range(3) for j in range(3)]
    expected = np.mean(parts, axis=0)
    return Launch((x, stale(p, q, dtype=np.float32)), {1: expected}, 1e-5)


def _prefix_sums(rng: Generator, size: Size) -> Launch:
    x = integers(rng, size[0], 128)
    return Launch((x, stale(size[0], 128)), {1: x.cumsum(1, dtype=np.int32)})


def _gather(rng: Generator, size: Size) -> Launch:
    rows, count = size
    table = floats(rng, rows, 64)
    picked = rng.integers(0, rows, count, dtype=np.int32)
    return Launch((table, picked), {-1: table[picked]})


def _handoff(rng: Generator, size: Size) -> Launch:
    x = integers(rng, *size)
    return Launch((x, stale(*size)), {1: 2 * x})


def _two_consumers(rng: Generator, size: Size) -> Launch:
    x = integers(rng, size[0], 128)
    return Launch(
        (x, stale(*size), stale(*size)),
        {1: x.sum(1, dtype=np.int32), 2: x.max(1)},
    )


def _ready_ring(rng: Generator, size: Size) -> Launch:
    x = floats(rng, *size)
    return Launch((x, stale(*size, dtype=np.float32)), {1: 0 - x})


def _grid_steps(rng: Generator, size: Size) -> Launch:
    x = integers(rng, *size)
    expected = x.copy()
    for _ in range(3):
        before = expected.copy()
        expected[1:-1] = before[:-2] + before[1:-1] + before[2:]
    return Launch((x, stale(*size)), {0: expected})


def _warp_roles(rng: Generator, size: Size) -> Launch:
    x = floats(rng, *size)
    return Launch((x, stale(*size, dtype=np.float32)), {1: x * x})


def _matmul_elements(rng: Generator, size: Size) -> Launch:
    m, n, k = size
    lhs, rhs = integers(rng, m, k, below=100), integers(rng, k, n, below=100)
    return Launch((lhs, rhs), {-1: lhs @ rhs})


def product(
    rng: Generator,
    size: Size,
    *,
    dtype: Any = np.float16,
    out: Any = np.float16,
    rhs_is_k_by_n: bool = False,
    tolerance: float = 2e-2,
) -> Launch:
    """Operands of a matrix product, the second one [N, K] or [K, N]."""
    m, n, k = size
    lhs = floats(rng, m, k, dtype=dtype)
    rhs = floats(rng, *((k, n) if rhs_is_k_by_n else (n, k)), dtype=dtype)
    right = rhs.astype(np.float64)
    expected = lhs.astype(np.float64) @ (right if rhs_is_k_by_n else right.T)
    return Launch((lhs, rhs, stale(m, n, dtype=out)), {2: expected}, tolerance)


def matmul_events(rng: Generator, size: Size) -> Launch:
    """The second seed kernel: it accumulates in f16."""
    return product(rng, size, tolerance=2.0**-10 * (1 + size[2] / 8))


def _matmul_group(rng: Generator, size: Size) -> Launch:
    return product(rng, size, out=np.float32, rhs_is_k_by_n=True, tolerance=1e-3)


def _matmul_ready(rng: Generator, size: Size) -> Launch:
    bf16 = ml_dtypes.bfloat16
    return product(rng, size, dtype=bf16, out=bf16, tolerance=4e-2)


def _matmul_bias_relu(rng: Generator, size: Size) -> Launch:
    n = size[1]
    plain = product(rng, size, out=np.float32, rhs_is_k_by_n=True, tolerance=1e-3)
    lhs, rhs, out = plain.args
    bias = floats(rng, n)
    expected = np.maximum(plain.results[2] + bias, 0)
    return Launch((lhs, rhs, bias, out), {3: expected}, 1e-3)


_RING = ((64, 64, 0), (64, 64, 64), (64, 72, 128), (8, 40, 200), (70, 24, 264))
"""M, N, K: no, one, some and more steps than slots, ragged ones."""

_PRODUCTS = ((64, 64, 64), (1024, 512, 768), (1000, 328, 520), (4096, 4096, 1024))

_SEED: Mapping[str, str] = {
    "MATMUL_WARP_M": "64",
    "MATMUL_WARP_N": "64",
    "MATMUL_TILE_K": "64",
    "MATMUL_WARP_K": "16",
    "MATMUL_STAGES": "3",
}

KERNELS: Mapping[str, Kernel] = {
    "box_blur": Kernel(_box_blur, ((16, 16), (17, 5), (1, 33)), ((999, 777),)),
    "collatz": Kernel(_collatz, ((5,), (64,), (100,)), ((100_000,),)),
    "deinterleave": Kernel(_deinterleave, ((512,),), ((512,),)),
    "double_buffer": Kernel(
        _double_buffer,
        ((1,), (512,), (1500,), (1800,)),
        ((1_000_000,),),
        # The product of the block and a number of tiles that is not known.
        undecided="a write of %y may be where another block of the grid may write",
    ),
    "doubled": Kernel(_doubled, ((1,), (7,)), ((5000,),)),
    "gather": Kernel(_gather, ((5, 9),), ((1000, 5000),)),
    "grid_steps": Kernel(
        _grid_steps,
        ((40,), (64,), (150,)),
        ((5000,),),
    ),
    "handoff": Kernel(
        _handoff, ((1,), (512,), (1500,), (2048,)), ((1_000_000,), (999_999,))
    ),
    "histogram": Kernel(_histogram, ((1,), (256,), (700,)), ((1_000_000,),)),
    "lower_bound": Kernel(_lower_bound, ((1, 3), (100, 40)), ((100_000, 5000),)),
    "matmul_1p2c": Kernel(product, ((128, 64, 0), *_RING), _PRODUCTS),
    "matmul_1p3c": Kernel(product, ((192, 64, 0), *_RING[1:]), _PRODUCTS),
    "matmul_bias_relu": Kernel(_matmul_bias_relu, _RING, _PRODUCTS),
    "matmul_events": Kernel(
        matmul_events,
        # 0, 1, S - 1, S, S + 1 steps of K; ragged edges, more tiles.
        (*_RING[:3], (64, 64, 192), (70, 24, 264), (8, 80, 200)),
        _PRODUCTS,
        _SEED,
        folder="seeds",
    ),
    "matmul_events_two_stages": Kernel(
        matmul_events,
        ((64, 128, 64), (7, 130, 128), (65, 40, 400)),
        _PRODUCTS,
        {**_SEED, "MATMUL_WARP_N": "128", "MATMUL_TILE_K": "128", "MATMUL_STAGES": "2"},
        folder="seeds",
        name="matmul_events",
    ),
    "matmul_elements": Kernel(
        _matmul_elements, ((16, 16, 16), (20, 33, 17), (5, 7, 40)), ((300, 200, 100),)
    ),
    "matmul_group": Kernel(
        _matmul_group, ((64, 16, 0), (64, 16, 16), (70, 24, 40)), _PRODUCTS
    ),
    "matmul_group4": Kernel(product, _RING, _PRODUCTS),
    "matmul_inline_events": Kernel(product, _RING, _PRODUCTS),
    "matmul_persistent": Kernel(
        product, ((64, 64, 0), (130, 200, 64), (64, 300, 200)), _PRODUCTS
    ),
    "matmul_cluster": Kernel(
        product,
        ((64, 8, 72), (128, 128, 0), (100, 120, 200), (200, 136, 328)),
        _PRODUCTS,
    ),
    "matmul_ready": Kernel(_matmul_ready, _RING, _PRODUCTS),
    "part_of_threads": Kernel(_row_sums, ((1, 1), (3, 64), (2, 150)), ((1000, 3001),)),
    "event_table": Kernel(_event_table, ((1,), (7,), (20,)), ((1001,),)),
    "masked_stream": Kernel(_masked_stream, ((1,), (129,), (500,)), ((100_001,),)),
    "matmul_s8": Kernel(_matmul_s8, ((1, 3, 16), (70, 65, 80)), ((1000, 777, 640),)),
    "matmul_tiles": Kernel(
        _matmul_tiles, ((128, 64, 64), (300, 130, 200)), ((3000, 2000, 640),)
    ),
    "matmul_masked": Kernel(
        _matmul_masked,
        ((64, 32, 64, 50), (70, 40, 100, 70)),
        ((2000, 1500, 640, 1001),),
    ),
    "named_barriers": Kernel(
        _named_barriers,
        ((1,), (2,), (7,)),
        ((1000,),),
        undecided="a named barrier at which some threads only arrive",
    ),
    "persistent_roles": Kernel(_persistent_roles, ((1,), (97,), (300,)), ((100_001,),)),
    "persistent_scale": Kernel(_persistent_scale, ((1,), (64,), (75,)), ((10_001,),)),
    "products_in_flight": Kernel(product, _RING[::2], _PRODUCTS),
    "prefix_sums": Kernel(_prefix_sums, ((1,), (3,)), ((2000,),)),
    "ready_ring": Kernel(
        _ready_ring, ((1, 64), (2, 200), (1, 256), (1, 333)), ((500, 5000),)
    ),
    "rotate_three": Kernel(_rotate_three, ((1,), (3,)), ((1000,),)),
    "row_sums": Kernel(_row_sums, ((1, 1), (3, 64), (2, 150)), ((1000, 3001),)),
    "saxpy": Kernel(_saxpy, ((1,), (256,), (300,)), ((1_000_001,),)),
    "softmax": Kernel(_softmax, ((1, 1), (33, 9)), ((3000, 300),)),
    "staged_add": Kernel(_staged_add, ((16, 64), (17, 65), (3, 100)), ((1000, 999),)),
    "transpose": Kernel(_transpose, ((32, 32), (33, 5), (40, 70)), ((1001, 777),)),
    "transpose_elements": Kernel(
        _transpose_elements, ((16, 16), (17, 5), (20, 40)), ((1001, 777),)
    ),
    "two_consumers": Kernel(_two_consumers, ((1,), (6,), (15,)), ((10_000,),)),
    "warp_roles": Kernel(
        _warp_roles, ((1,), (288,), (289,), (700,), (1000,)), ((1_000_000,),)
    ),
    "window_sums": Kernel(_window_sums, ((1,), (5,)), ((5000,),)),
}


def source(name: str) -> Path:
    """The file of a kernel."""
    kernel = KERNELS[name]
    return ROOT / kernel.folder / f"{kernel.name or name}.co"


def check(launch: Launch, returned: Any, args: tuple[Any, ...]) -> None:
    """Compare what a launch left in its arguments, and returned."""
    for place, expected in launch.results.items():
        found = np.asarray(returned if place < 0 else args[place])
        if launch.tolerance == 0:
            np.testing.assert_array_equal(found, expected)
            continue
        error = np.abs(found.astype(np.float64) - expected)
        assert (
            error.size == 0
            or (error <= launch.tolerance * (1 + np.abs(expected))).all()
        ), float(error.max())
