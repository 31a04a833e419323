"""Building kernels from Python."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, IndexType, IntegerAttr, ModuleOp

import croqtile_mlir as croq
from croqtile_mlir.builder import KernelBuilder
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.croq import DimOp, Level, LoadOp, StoreOp
from croqtile_mlir.frontends.located import LocatedParser
from croqtile_mlir.kernels.matmul import PlainMatmul

EXAMPLES = Path(__file__).parents[2] / "examples"
MATMUL = EXAMPLES / "matmul.mlir"


def _renamed(module: ModuleOp) -> str:
    """The text with values numbered by their first occurrence."""
    numbers, names = count(), dict[str, str]()

    def rename(match: re.Match[str]) -> str:
        name = match.group()
        if name not in names:
            names[name] = f"%{next(numbers)}"
        return names[name]

    return re.sub(r"%[A-Za-z0-9_]+", rename, str(module))


def test_plain_matmul_prints_as_the_example():
    text = MATMUL.read_text()
    parsed = LocatedParser(new_context(), text, str(MATMUL)).parse_module()
    assert _renamed(PlainMatmul().build()) == _renamed(parsed)


def test_every_op_has_the_line_that_asked_for_it():
    module = PlainMatmul().build()
    kernel = next(iter(module.ops))
    for op in kernel.walk():
        location = op.location
        assert isinstance(location, FileLineColLoc), op
        assert location.filename.data.endswith("kernels/matmul.py")
        assert location.line.data > 0


@pytest.mark.parametrize(
    ("dtype", "out_dtype", "lhs_by_k", "rhs_by_k"),
    [
        *product(["f16"], ["f16", "f32"], [True, False], [True, False]),
        ("bf16", "bf16", True, False),
        ("bf16", "f32", False, True),
        ("bf16", "f16", True, True),
    ],
)
def test_forms_and_types(dtype: str, out_dtype: str, lhs_by_k: bool, rhs_by_k: bool):
    plain = PlainMatmul(dtype, out_dtype, lhs_by_k, rhs_by_k)
    kernel = croq.compile(plain, params={"BN": 64})
    m, n, k = 136, 72, 88
    from croqtile_mlir.runtime.arrays import numpy_dtype
    from croqtile_mlir.runtime.dtypes import dtype_named

    random = np.random.default_rng(3)
    kind = numpy_dtype(dtype_named(dtype))
    a = (random.standard_normal((m, k)) / np.sqrt(k)).astype(kind)
    b = random.standard_normal((n, k)).astype(kind)
    out = np.full((m, n), np.nan).astype(numpy_dtype(dtype_named(out_dtype)))
    lhs = a if lhs_by_k else np.ascontiguousarray(a.T)
    rhs = b if rhs_by_k else np.ascontiguousarray(b.T)
    kernel.simulate(lhs, rhs, out, level="nvvm")
    wanted = a.astype(np.float64) @ b.astype(np.float64).T
    error = np.linalg.norm(out.astype(np.float64) - wanted) / np.linalg.norm(wanted)
    assert error < {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-5}[out_dtype]


def test_other_kernels_can_be_built():
    k = KernelBuilder("scale", dims={"M": 1})
    x, by = k.argument("x", "f32", "M", 64), k.scalar("by", "f32")
    with k.parallel("M", threads=64) as (row,):
        with k.parallel(64, level=Level.Thread) as (col,):
            value = k.add(LoadOp(x, [row, col])).results[0]
            k.add(StoreOp(k.add(arith.MulfOp(value, by)).result, x, [row, col]))
    text = str(k.module())
    assert "croq.kernel @scale dims(M) (%x: !croq.tile<[M]x64xf32, global>" in text
    values = np.random.default_rng(1).standard_normal((5, 64)).astype(np.float32)
    wanted = values * np.float32(2.5)
    croq.compile(text).simulate(values, 2.5)
    np.testing.assert_array_equal(values, wanted)


def test_roles_loops_and_constants():
    k = KernelBuilder("loops", dims={"M": 1}, params={"S": 3})
    with k.parallel(1) as (_,), k.role("only", 0, 1, registers=40):
        start = k.add(arith.ConstantOp(IntegerAttr(1, IndexType()))).result
        with k.foreach("S", lower=1, step=2, init=[start]) as loop:
            total = k.add(arith.AddiOp(loop.carried[0], loop.index)).result
            loop.next = (total,)
        k.add(arith.AddiOp(loop.results[0], k.add(DimOp("M")).results[0]))
    text = str(k.module())
    assert 'croq.role "only" warpgroups [0, 1) registers 40' in text
    assert "croq.foreach %" in text
    assert "in 1 to S step 2 iter(" in text


def test_what_does_not_verify_is_located():
    k = KernelBuilder("bad", dims={"M": 1})
    k.argument("x", "f16", "Q", 64)
    with pytest.raises(croq.CompileError) as error:
        k.module()
    assert "test_builder.py" in error.value.location.file
    assert "must use declared dims and params, got [Q]" in str(error.value)


def _in_block(of: Callable[[KernelBuilder], object]) -> Callable[[KernelBuilder], None]:
    def build(k: KernelBuilder) -> None:
        with k.parallel(1):
            of(k)

    return build


def _nested(manager: Callable[[KernelBuilder], Any]) -> Callable[[KernelBuilder], None]:
    def build(k: KernelBuilder) -> None:
        with manager(k):
            pass

    return build


ANY: Any = 2.5
REFUSED: dict[str, tuple[Callable[[KernelBuilder], object], str]] = {
    "argument's type": (lambda k: k.argument("a", "f8", "M"), "type must be one of f1"),
    "scalar's type": (lambda k: k.scalar("a", "half"), "i8, i32, i64, got 'half'"),
    "buffer's type": (lambda k: k.alloc("u8", 64), "got 'u8'"),
    "accumulator's type": (lambda k: k.fill(0.0, 64, 64, "tf32"), "got 'tf32'"),
    "no type": (lambda k: k.alloc(ANY, 64), "got 2.5"),
    "dynamic extent": (lambda k: k.argument("a", "f16", -1), "a name, got -1"),
    "negative extent": (lambda k: k.argument("a", "f16", "M", -8), "a name, got -8"),
    "buffer's extent": (lambda k: k.alloc("f16", 0), "positive integer or a name, g"),
    "fraction": (lambda k: k.alloc("f16", ANY), "got 2.5"),
    "accumulator's extent": (lambda k: k.fill(0.0, -64, 64), "got -64"),
    "tile's extent": (
        lambda k: k.subspan(k.alloc("f16", 64), [-2], [0]),
        "a name, got -2",
    ),
    "tile of a number": (
        lambda k: k.subspan(k.scalar("s", "f32"), [8], [0]),
        "operand must be a tile, got f32",
    ),
    "tile's index": (
        lambda k: k.subspan(k.alloc("f16", 64), [8], [ANY]),
        "an index must be an integer, a name or a value, got 2.5",
    ),
    "quotient": (lambda k: k.cdiv(ANY, 2), "an index must be an integer, a name"),
    "blocks": (_nested(lambda k: k.parallel(-3)), "positive integer or a name, got -3"),
    "fraction of blocks": (_nested(lambda k: k.parallel(ANY)), "an index must be"),
    "step": (_in_block(_nested(lambda k: k.foreach(3, step=ANY))), "got 2.5"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_built_is_refused_with_its_line(case: str):
    build, message = REFUSED[case]
    with pytest.raises(croq.CompileError, match=re.escape(message)) as error:
        build(KernelBuilder("k", dims={"M": 1}))
    assert error.value.location.file == __file__
    assert error.value.location.line > 0


def test_the_tutorial_builds_the_seed_kernel(capsys: pytest.CaptureFixture[str]):
    names = runpy.run_path(str(EXAMPLES / "build_matmul.py"))
    text = (EXAMPLES / "matmul_1p1c.mlir").read_text()
    parsed = LocatedParser(new_context(), text, "matmul_1p1c.mlir").parse_module()
    assert _renamed(names["build"]().build()) == _renamed(parsed)
    names["main"]()
    said = capsys.readouterr().out
    assert re.search(r"simulator: relative error [12]\.\de-04", said)


def test_builders_are_compiled_and_named_by_what_they_build(tmp_path: Path):
    one, other = _copy_kernel(), _copy_kernel()
    assert one.key == other.key
    assert "test_builder.py" in one.key
    kernel = croq.compile(one, params={"BM": 32})
    assert kernel is croq.compile(one, params={"BM": 32})
    rng = np.random.default_rng(3)
    source = rng.normal(size=(50, 72)).astype("f2")
    target = np.zeros_like(source)
    kernel.simulate(source, target)
    assert np.array_equal(source, target)
    # Modules are handed out anew: what a pass does to one is not seen in the next.
    first, second = one.build(), one.build()
    next(iter(first.ops)).detach()
    assert str(second) == str(one.module())


def test_a_complete_kernel_stays_as_it_is():
    k = _copy_kernel()
    k.build()
    with pytest.raises(croq.CompileError, match=r"test_builder.*copy is complete"):
        k.cdiv("M", 4)


def test_a_kernel_with_an_open_region_is_not_complete():
    k = KernelBuilder("copy", dims={"M": 1})
    with k.parallel(k.cdiv("M", 8)):
        with pytest.raises(croq.CompileError, match="got one in an open region"):
            k.build()


def test_unknown_engines_are_refused():
    k = KernelBuilder("copy", dims={"M": 8})
    a, b = (k.argument(name, "f16", "M") for name in "ab")
    with pytest.raises(croq.CompileError, match=r"one of auto, .* 'dma'"):
        k.copy(a, b, "dma")


def _copy_kernel() -> KernelBuilder:
    k = KernelBuilder("copy", dims={"M": 1, "N": 8}, params={"BM": 64})
    source, target = (k.argument(name, "f16", "M", "N") for name in ("src", "dst"))
    with k.parallel(k.cdiv("M", "BM"), threads=128) as (i,):
        buffer = k.alloc("f16", "BM", 64)
        with k.foreach(k.cdiv("N", 64)) as loop:
            k.copy(k.subspan(source, ["BM", 64], [i, loop.index]), buffer)
            k.copy(buffer, k.subspan(target, ["BM", 64], [i, loop.index]))
    return k


def test_an_op_that_does_not_verify_is_located_at_its_line():
    """Not at the kernel, and not where `compile` completes it."""
    k = KernelBuilder("nested", dims={"M": 1})
    k.argument("x", "f16", "M", 64)
    with k.parallel(k.cdiv("M", 64)), k.parallel(3):
        pass
    with pytest.raises(croq.CompileError) as error:
        croq.compile(k)
    line = Path(__file__).read_text().split("\n")[error.value.location.line - 1]
    assert "k.parallel(3)" in line
    assert "level block must be directly in croq.kernel" in str(error.value)


def test_shapes_are_checked_as_one_types():
    """A call that is refused leaves the kernel as it was: the next one mends it."""
    k = KernelBuilder("copy", dims={"M": 1, "N": 8})
    src, dst = (k.argument(name, "f16", "M", "N") for name in ("src", "dst"))
    with k.parallel(k.cdiv("M", 64), threads=128) as (i,):
        for call, message in (
            (lambda: k.subspan(src, [64], [i, 0]), "must have 2 extents for a source"),
            (lambda: k.subspan(src, [64, 8], [i]), "must have 2 indices for a source"),
        ):
            with pytest.raises(croq.CompileError, match=f"test_builder.*{message}"):
                call()
        buffer, wide = k.alloc("f16", 64, 8), k.alloc("f16", 32, 64)
        tile = k.subspan(src, [64, 8], [i, 0])
        with pytest.raises(croq.CompileError, match="one shape, got 64 and 32 in dim"):
            k.copy(tile, wide)
        with pytest.raises(croq.CompileError, match="one element type, got f16"):
            k.copy(tile, k.alloc("f32", 64, 8))
        k.copy(tile, buffer)
        k.copy(buffer, k.subspan(dst, [64, 8], [i, 0]))
    x, y = np.arange(96 * 8, dtype="f2").reshape(96, 8), np.zeros((96, 8), "f2")
    croq.compile(k).simulate(x, y)
    np.testing.assert_array_equal(x, y)
