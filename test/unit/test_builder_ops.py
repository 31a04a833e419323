"""Every op of the tile level by the builder's methods: verified, and run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from support.built_kernels import (
    BUILDERS,
    chosen,
    cluster,
    computed,
    exchanged,
    groups,
    indices,
    met,
    rearranged,
    roles,
    shapes,
    steered,
    turned_round,
    updated,
    windows,
)
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import croqtile_mlir as croq
from croqtile_mlir.builder import KernelBuilder, Pad
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.croq import Croq
from croqtile_mlir.frontends.located import parse_text

LEVELS = ("croq", "nvvm")
RNG = np.random.default_rng(61)

Array = NDArray[np.float32]


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def simulated(k: KernelBuilder, *arrays: object) -> Iterator[object]:
    """What the kernel returns, at the tile level and below."""
    kernel = croq.compile(k)
    for level in LEVELS:
        yield kernel.simulate(*arrays, level=level)


def test_windows():
    x = floats(8, 32)
    wanted = x[2:6, 15:23], x[3:7, 9:17], x[1:8:2, 4:28:3], x[4:, 16:24]
    made = [np.zeros((4, 8), np.float32) for _ in wanted]
    for _ in simulated(windows(), x, *made):
        for one, other in zip(made, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
            one[:] = 0


def test_shapes():
    x = floats(3, 8)
    flat, pairs = np.zeros(8, np.float32), np.zeros((4, 2), np.float32)
    for _ in simulated(shapes(), x, flat, pairs):
        np.testing.assert_array_equal(flat, x[2])
        np.testing.assert_array_equal(pairs, x[2].reshape(4, 2))
        flat[:], pairs[:] = 0, 0


def test_indices():
    out = np.zeros((3, 8, 5), np.int32)
    for _ in simulated(indices(), out):
        place = np.arange(8)
        np.testing.assert_array_equal(out[:, :, 0], np.tile(5 + place, (3, 1)))
        np.testing.assert_array_equal(out[2, :, 1:], np.tile([8, 4, 8, 7], (8, 1)))
        out[:] = 0


def test_rearranged():
    x, padded = floats(4, 8), np.zeros((7, 16), np.float32)
    wanted = np.ones((7, 16), np.float32)
    wanted[1:5, 1::2] = x
    for turned in simulated(rearranged(), x, padded):
        np.testing.assert_array_equal(turned, x.T)
        np.testing.assert_array_equal(padded, wanted)
        padded[:] = 0


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_groups(steps: int):
    x = floats(8, 16 * steps)
    out = np.zeros_like(x)
    for _ in simulated(groups(), x, out):
        np.testing.assert_array_equal(out, x)
        out[:] = 0


def test_chosen():
    x, out = floats(3, 16), np.zeros((4, 16), np.float32)
    # Rows 0, 1, 2 are exchanged to 1, 0, 2, and rotated to 0, 2, 1.
    for which, last in ((0, 0), (1, 1)):
        for _ in simulated(chosen(), x, out, which):
            np.testing.assert_array_equal(out[:3], x[[0, 2, last]])
            assert (out[3] == 2.5).all()
            out[:] = 0


@pytest.mark.parametrize("steps", [1, 3, 4])
def test_roles(steps: int):
    x = floats(8, 16 * steps)
    out = np.zeros_like(x)
    for _ in simulated(roles(), x, out):
        np.testing.assert_array_equal(out, x)
        out[:] = 0


def test_cluster():
    x, out = floats(16, 16), np.zeros((32, 16), np.float32)
    for _ in simulated(cluster(), x, out):
        np.testing.assert_array_equal(out, np.vstack([x, x]))
        out[:] = 0


def test_met():
    out = np.zeros(2, np.int32)
    for _ in simulated(met(), np.zeros(4, np.int32), np.zeros(1, np.int32), out):
        np.testing.assert_array_equal(out, [3, 3])
        out[:] = 0


def test_updated():
    x = RNG.integers(0, 1000, 64).astype(np.int32)
    out, old = np.array([0, 0, -1, 0], np.int32), np.zeros(64, np.int32)
    for _ in simulated(updated(), x, out, old):
        assert (out[0], out[1]) == (x.sum(), x.max())
        assert out[2] in x
        assert out[3] == 1 + 2 + 3 + 4
        # In some order of the threads, what was there before is the sum so far.
        order = np.argsort(old, kind="stable")
        np.testing.assert_array_equal(np.cumsum(x[order]) - x[order], old[order])
        out[:], old[:] = (0, 0, -1, 0), 0


def test_computed():
    lhs, rhs = floats(64, 64).astype("f2"), floats(32, 64).astype("f2")
    bias, out, sums = floats(32), np.zeros((64, 32), np.float32), floats(64)
    wanted = np.maximum(lhs.astype("f4") @ rhs.astype("f4").T + bias, 0)
    for _ in simulated(computed(), lhs, rhs, bias, out, sums):
        np.testing.assert_allclose(sums, wanted.sum(1), rtol=1e-5)
        np.testing.assert_allclose(out[:, 1:], wanted[:, 1:], rtol=1e-4, atol=1e-5)
        assert not out[:, 0].any()
        sums[:], out[:] = 0, 0


def test_exchanged():
    x = RNG.integers(0, 1000, 64).astype(np.int32)
    out = np.zeros((64, 12), np.int32)
    warps = x.reshape(2, 32).astype(np.int64)
    odd = (warps & 1).astype(np.int64)
    bits = np.left_shift(1, np.arange(32, dtype=np.int64))
    ballot = (odd * bits).sum(1, keepdims=True) + 0 * odd
    alike = odd * ballot + (1 - odd) * ((1 << 32) - 1 - ballot)
    lanes = np.arange(32)
    wanted: list[NDArray[np.int64]] = [
        warps[:, lanes ^ 1],
        warps[:, np.maximum(lanes - 1, 0)],
        ballot,
        odd.any(1, keepdims=True) + 0 * odd,
        alike,
        0 * odd,
        0 * odd,
        warps.sum(1, keepdims=True) + 0 * odd,
        -1 + 0 * odd,
        (lanes == out[:, 0].argmax()) + 0 * odd,
        lanes + 0 * odd,
        np.arange(2)[:, None] + 0 * odd,
    ]
    for _ in simulated(exchanged(), x, out):
        got = out.reshape(2, 32, 12)
        assert (got[:, :, 9].sum(1) == 1).all()
        for place, each in enumerate(wanted):
            if place != 9:
                np.testing.assert_array_equal(
                    got[:, :, place], each.astype(np.uint32).view(np.int32)
                )
        out[:] = 0


def test_steered():
    x = RNG.integers(-500, 500, 64).astype(np.int32)
    halvings = [(int(v) & -int(v)).bit_length() - 1 if v > 0 else -1 for v in x]
    for level in LEVELS:
        given, out = x.copy(), np.zeros(64, np.int32)
        croq.compile(steered()).simulate(given, out, level=level)
        np.testing.assert_array_equal(out, halvings)
        np.testing.assert_array_equal(given, np.maximum(x, 0))


def test_turned_round():
    x, out = RNG.integers(-500, 500, 256).astype(np.int32), np.zeros(256, np.int32)
    for level in LEVELS:
        croq.compile(turned_round()).simulate(x, out, level=level)
        np.testing.assert_array_equal(out, x.reshape(2, 128)[:, ::-1].ravel())


OF_THE_LOWERING = {
    "croq.address",
    "croq.descriptor",
    "croq.pointer",
    "croq.stride",
    "croq.tensor_map",
    "croq.workspace",
}
"""What passes make; no kernel is written with it."""


@pytest.mark.parametrize("build", BUILDERS, ids=[build.__name__ for build in BUILDERS])
def test_what_is_built_is_read_back(build: Callable[[], KernelBuilder]):
    made = build().module()
    read = parse_text(new_context(), str(made), "built.mlir")
    read.verify()
    assert isinstance(read, ModuleOp)
    assert str(read) == str(made)


def test_every_op_of_the_tile_level_has_a_method():
    built = {op.name for build in BUILDERS for op in build().module().walk()}
    all_ops = {op.name for op in Croq.operations}
    assert all_ops - built == OF_THE_LOWERING


REFUSED: dict[str, Callable[[Any], object]] = {
    "sub": lambda k: k.atomic("sub", k.constant(1, "i32"), k.alloc("i32", 4), 0),
    "must be an integer for elem": lambda k: k.fill_tile(k.alloc("i32", 4), 0.5),
    "must be a tile, got index": lambda k: k.fill_tile(k.constant(1), 0),
    "must be an integer for elements of i32, got 1.5": lambda k: k.constant(1.5, "i32"),
    "tile": lambda k: k.copy(k.constant(1), k.alloc("f32", 4), pad=Pad([0], [1])),
    "must set `condition`, got none": lambda k: _closed(k.repeat(k.constant(1))),
    "must set `value`": lambda k: _closed(k.elementwise(to=k.alloc("f32", 4))),
    "acquire": lambda k: k.fence("acquire", "cta"),
    "futur": lambda k: k.swap(k.constant(1), k.constant(2)),
    "value of the kernel, got 1$": lambda k: k.copy(1, k.alloc("f32", 4)),
    "value of the kernel, got None": lambda k: k.copy(k.alloc("f32", 4), None),
    "value of the kernel, got 's'": lambda k: k.subspan("s", [2], [0]),
    "value of the kernel, got True": lambda k: k.require(True, "holds"),
    "kernel, got 1.5": lambda k: k.store_element(1.5, k.alloc("f32", 4), 0),
    "value of the kernel, got 3": lambda k: k.trigger(k.event(2), after=[3]),
    "value of the kernel, got 4": lambda k: k.elect_lane(4),
    "value of the kernel, got 5": lambda k: _closed(k.foreach(2, init=[5])),
    "value of the kernel, got 6": lambda k: _closed(k.elementwise(to=6)),
    "value of the kernel, got 7": lambda k: k.returns(7),
    "after must be a list, got a value": lambda k: k.trigger(
        k.event(2), after=k.event(2)
    ),
    "extents must be a list, got 2": lambda k: k.subspan(k.alloc("f32", 4), 2, [0]),
    "indices must be a list, got 0": lambda k: k.subspan(k.alloc("f32", 4), [2], 0),
    "transpose must be a list": lambda k: k.copy(*_two(k), transpose=1),
    "pad must be a Pad, got 1": lambda k: k.copy(*_two(k), pad=1),
    "low must be a list, got 1": lambda k: k.copy(*_two(k), pad=Pad(cast(Any, 1), [1])),
    "multicast must be an integer, got 'x'": lambda k: k.copy_async(
        *_two(k), multicast=["x"]
    ),
    "value must be a number, got 'x'": lambda k: k.fill("x", 64, 64),
    "value must be a number, got None": lambda k: k.fill_tile(k.alloc("f32", 4), None),
    "offset must be an integer or a name, got 0.5": lambda k: k.wait_for(
        k.event(2), 0, 0.5
    ),
    "threads must be an integer, got 'x'": lambda k: k.barrier_arrive("b", "x"),
    "unroll must be an integer, got 'x'": lambda k: _closed(k.foreach(2, unroll="x")),
    "name must be a text, got 3": lambda k: k.dim(3),
    "form must be a text, got 4": lambda k: k.mma(k.fill(0.0, 64, 64), *_two(k), 4),
    "message must be a text": lambda k: k.require(k.constant(True, "i1"), 3),
    "must be like rows_2, got 'a b'": lambda k: k.scalar("a b", "f32"),
    "for sums of i32, got inf": lambda k: k.fill(float("inf"), 64, 64, "i32"),
    "out of range for type i32": lambda k: k.constant(1 << 40, "i32"),
    "out of range for type i64": lambda k: k.constant(1 << 70),
    "an op must be given, got 3": lambda k: k.add(3),
    "a block must be given, got 4": lambda k: _closed(k.inside(4)),
    "the case of `when` must be given, got 5": lambda k: _closed(k.otherwise(5)),
    "the loop of `repeat` must be given, got 6": lambda k: _closed(k.body_of(6)),
    "type of a result must be given, got 7": lambda k: _closed(k.when(_true(k), 7)),
    "value of the kernel, got 8": lambda k: _set(k.repeat(), condition=8),
    "value of the kernel, got 9": lambda k: _set(k.when(_true(k)), values=[9]),
    "values must be a list, got a value": lambda k: _set(
        k.when(_true(k)), values=_true(k)
    ),
    "next must be a list, got 0": lambda k: _set(k.foreach(2), next=0),
    "value of the kernel, got 0": lambda k: _set(
        k.elementwise(to=k.alloc("f32", 4)), value=0
    ),
    "dims must be a list, got 10": lambda k: _closed(
        k.elementwise((k.alloc("f32", 4), 10), to=k.alloc("f32", 4))
    ),
    "must be a tile or .tile, dims., got 3": lambda k: _closed(
        k.elementwise((*_two(k), 3), to=k.alloc("f32", 4))
    ),
    "cols must be two numbers, got 1": lambda k: k.store(
        k.fill(0.0, 64, 64), k.alloc("f32", 64, 64), cols=(0,)
    ),
    "index for each dim": lambda k: k.chunkat(k.alloc("f32", 8), [2], [1, 0]),
}
"""By what the error says."""


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_op_is_refused_with_its_line(message: str):
    with pytest.raises(croq.CompileError, match=message) as error:
        _block_of(REFUSED[message])
    assert error.value.location.file == __file__


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": 3}, "name must be a text, got 3"),
        ({"reference": 3}, "reference must be a text, got 3"),
        ({"dims": ["M"]}, "dims must map names to integers"),
        ({"dims": {3: 4}}, "dim must be a text, got 3"),
        ({"params": ["S"]}, "params must map names to integers"),
        ({"params": {"S": "x"}}, "the default of S must be an integer, got 'x'"),
    ],
)
def test_what_no_kernel_has_is_refused(given: dict[str, Any], message: str):
    fields: dict[str, Any] = {"name": "k", **given}
    k = KernelBuilder(**fields)
    with pytest.raises(croq.CompileError, match=message) as error:
        k.module()
    assert error.value.location.file == __file__


def _block_of(build: Callable[[Any], object]) -> None:
    k = KernelBuilder("k")
    with k.parallel(1):
        build(k)
    k.module()


def _two(k: KernelBuilder) -> tuple[SSAValue, SSAValue]:
    return k.alloc("f32", 4), k.alloc("f32", 4)


def _true(k: KernelBuilder) -> SSAValue:
    return k.constant(True, "i1")


def _set(manager: AbstractContextManager[object], **fields: object) -> None:
    with manager as found:
        for name, value in fields.items():
            setattr(found, name, value)


def _closed(manager: AbstractContextManager[object]) -> None:
    with manager:
        pass
