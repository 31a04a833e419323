"""The double-buffered kernel of the documents, and smaller ones like it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.kernel import Kernel

FILE = Path(__file__).parents[3] / "examples/seeds/matmul_swap.co"


@cache
def compiled(m: int, n: int, k: int) -> Kernel:
    return croqtile_mlir.compile(FILE, defines={"M": m, "N": n, "K": k})


@cache
def smaller(blocks: tuple[int, int], tiles: int, folder: Path) -> Kernel:
    """The same text with another grid, and another number of tiles of 16 along K."""
    text = FILE.read_text()
    for before, after in (
        ("by [8, 16] : block", f"by [{blocks[0]}, {blocks[1]}] : block"),
        ("with tile_k in 16", f"with tile_k in {tiles}"),
        ("256 / #tile_k", f"{16 * tiles} / #tile_k"),
    ):
        assert before in text
        text = text.replace(before, after)
    file = folder / f"kernel_{blocks[0]}_{blocks[1]}_{tiles}.co"
    file.write_text(text)
    defines = {"M": 16 * blocks[0], "N": 16 * blocks[1], "K": 16 * tiles}
    return croqtile_mlir.compile(file, defines=defines)


def told(kernel: Kernel) -> list[str]:
    return [each.kind for each in kernel.diagnostics if each.kind is not None]


def test_verbatim_is_proved():
    # A synchronisation that is not decided would be a warning.
    kernel = compiled(128, 256, 256)
    assert told(kernel) == ["implicit-zero-init"]
    assert not [d for d in kernel.diagnostics if str(d.severity) == "warning"]
    assert kernel.plan.grid.eval([], []) == (8, 16, 1)
    assert kernel.plan.block == 256


def test_other_shapes_are_refused():
    with pytest.raises(CompileError, match="extents of a shared buffer must be known"):
        croqtile_mlir.compile(FILE)
    for shape in ((136, 256, 256), (128, 256, 512), (256, 512, 512)):
        with pytest.raises(CompileError, match="shape-coupling"):
            compiled(*shape)
    for shape in ((64, 64, 64), (128, 256, 128), (64, 256, 256)):
        with pytest.raises(CompileError, match="out-of-bounds"):
            compiled(*shape)
    with pytest.raises(CompileError, match="divisibility"):
        compiled(100, 256, 256)


@pytest.mark.parametrize("tiles", [1, 2, 3, 5])
@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
def test_products(tiles: int, level: str, tmp_path_factory: pytest.TempPathFactory):
    if level == "ptx" and tiles != 3:
        pytest.skip("one number of tiles is enough for the text")
    kernel = smaller((1, 2), tiles, tmp_path_factory.getbasetemp())
    draw = np.random.default_rng(5)
    lhs = draw.integers(-1000, 1000, (16, 16 * tiles), dtype=np.int32)
    rhs = draw.integers(-1000, 1000, (16 * tiles, 32), dtype=np.int32)
    out = kernel.simulate(lhs, rhs, level=level)
    np.testing.assert_array_equal(out, lhs @ rhs)
