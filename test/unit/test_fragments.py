"""Which elements of a matrix a lane holds: every map is a bijection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from croqtile_mlir.layouts import fragments
from croqtile_mlir.simulator import warp_matrices
from croqtile_mlir.targets.architecture import ARCHITECTURES, MmaShape

Map = Callable[..., tuple[Any, Any]]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "i8": 8, "f32": 32, "i32": 32}
SHAPES = tuple(s for s in ARCHITECTURES["sm_80"].mma if s.instruction == "mma.sync")


def places(map_: Map, registers: int, bits: int) -> tuple[Any, Any]:
    parts = fragments.per_register(bits)
    register, part, lane = np.indices((registers, parts, 32))
    return map_(register, part, lane, bits)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_element_is_in_one_place(shape: MmaShape):
    operands = [
        (fragments.mma_a_element, shape.m, shape.k, BITS[shape.operand]),
        (fragments.mma_b_element, 8, shape.k, BITS[shape.operand]),
        (fragments.mma_c_element, shape.m, 8, BITS[shape.accumulator]),
    ]
    for map_, rows, cols, bits in operands:
        registers = fragments.mma_registers(rows, cols, bits)
        row, col = places(map_, registers, bits)
        found = np.sort((row * cols + col).ravel())
        np.testing.assert_array_equal(found, np.arange(rows * cols))
        assert int(row.max()) < rows


def test_places_of_the_isa():
    """PTX ISA, figures of fragments: lane 13 is of group 3 and the second in it."""
    at = 13
    assert fragments.mma_a_element(3, 1, at, 16) == (11, 11)
    assert fragments.mma_a_element(2, 0, at, 32) == (3, 5)
    assert fragments.mma_a_element(3, 2, at, 8) == (11, 22)
    assert fragments.mma_b_element(1, 1, at, 16) == (3, 11)
    assert fragments.mma_b_element(1, 0, at, 32) == (3, 5)
    assert fragments.mma_b_element(1, 3, at, 8) == (3, 23)
    assert fragments.mma_c_element(3, 0, at, 32) == (11, 3)
    assert fragments.mma_c_element(1, 1, at, 16) == (11, 3)


@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_of_ldmatrix(transposed: bool):
    part, lane = np.indices((2, 32))
    row, col = fragments.ldmatrix_element(part, lane, transposed=transposed)
    np.testing.assert_array_equal(np.sort((row * 8 + col).ravel()), np.arange(64))
    lane = np.arange(32)
    matrix, row = fragments.ldmatrix_source(lane)
    np.testing.assert_array_equal(np.sort(matrix * 8 + row), lane)


OPERANDS = [
    (fragments.mma_a_element, fragments.ldmatrix_a_lane, 4),
    (fragments.mma_b_element, fragments.ldmatrix_b_lane, 2),
]


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize(("element", "source", "registers"), OPERANDS)
def test_ldmatrix_loads_operands(
    element: Map, source: Callable[..., tuple[Any, Any]], registers: int, bits: int
):
    """The bytes that come into a register are those of its elements."""
    for register in range(4):
        half, mine = divmod(register, registers)
        for lane in range(32):
            row, byte = source(8 * register + lane // 4)
            first = byte + lane % 4 * 4
            for part in range(fragments.per_register(bits)):
                found = element(mine, part, lane, bits)
                assert (row, first + part * bits // 8) == (
                    found[0] + 8 * half,
                    found[1] * bits // 8,
                )


@pytest.mark.parametrize(("element", "source", "registers"), OPERANDS)
def test_ldmatrix_transposes_operands(
    element: Map, source: Callable[..., tuple[Any, Any]], registers: int
):
    """Of a tile stored by rows of K; a row of a matrix is along M or N."""
    for register in range(4):
        half, mine = divmod(register, registers)
        for lane in range(32):
            for part in range(2):
                row, col = fragments.ldmatrix_element(part, lane, transposed=True)
                k, byte = source(8 * register + row, transposed=True)
                place = element(mine, part, lane, 16)
                assert (byte // 2 + col, k) == (place[0] + 8 * half, place[1])


@pytest.mark.parametrize("transposed", [False, True])
def test_stmatrix_undoes_ldmatrix(transposed: bool):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 256, (24, 16), np.uint8)
    words = warp_matrices.loaded_words(rows, transposed=transposed)
    assert words.shape == (3, 32)
    back = warp_matrices.stored_rows(words, transposed=transposed)
    np.testing.assert_array_equal(back, rows)
    other = warp_matrices.loaded_words(rows, transposed=not transposed)
    assert (words != other).any()


@pytest.mark.parametrize(
    ("operand", "bits"),
    [
        *((operand, bits) for operand in "ab" for bits in (8, 16, 32)),
        ("c", 16),
        ("c", 32),
    ],
)
def test_words_and_matrices(operand: str, bits: int):
    dtype = np.dtype(f"u{bits // 8}")
    registers = {"a": 4, "b": 2, "c": bits // 8}[operand]
    words = np.random.default_rng(bits).integers(0, 1 << 32, (registers, 3, 32), "u4")
    matrix = warp_matrices.matrix_of(operand, words, dtype)
    assert matrix.shape[1] == (8 if operand == "b" else 16)
    found = warp_matrices.words_of(operand, matrix, registers)
    np.testing.assert_array_equal(found, words)


def test_tf32():
    """Halves go away from zero, to the next exponent or infinity where need be."""
    unit = 2.0**-10
    values = [
        1 + unit / 2,
        -1 - unit / 2,
        1 + unit * 0.49,
        2 - unit / 4,
        3.402e38,
        -0.0,
    ]
    expected = [1 + unit, -1 - unit, 1, 2, np.inf, -0.0]
    words = warp_matrices.tf32_words(np.array(values, np.float32))
    np.testing.assert_array_equal(words.view(np.float32), np.array(expected, "f4"))
    assert not (words & 0x1FFF).any()
    special = np.array([np.inf, -np.inf, np.nan], np.float32)
    found = warp_matrices.tf32_words(special).view(np.float32)
    np.testing.assert_array_equal(found, special)
    random = np.random.default_rng(5).standard_normal(4096).astype(np.float32)
    near = warp_matrices.tf32_words(random).view(np.float32)
    scale = 2.0 ** np.floor(np.log2(np.abs(random)))
    assert (np.abs(near - random) <= scale * unit / 2).all()
