"""
Which elements of a matrix the registers of a warp hold: `mma.sync` and `ldmatrix`.

The one source of these maps for lowering, simulator and tests; those of `wgmma` are in
`layouts.wgmma`. A register has 32 bits; of elements of `bits` bits it holds
`32 / bits`, the first lowest. All shapes of `mma.sync` here are m16n8, A row by row and
B column by column: a column of B is named as a row of its transpose, (n, k). Arguments
may be integers or numpy arrays. PTX ISA, "Matrix multiply-accumulate operation using
mma instruction" and "ldmatrix".
"""

from __future__ import annotations

from croqtile_mlir.layouts import CHUNK_BYTES, CORE_ROWS, Coordinate

MMA_ROWS = 16
"""Rows of A and of the accumulator of one `mma.sync`."""

MMA_COLS = 8
"""Columns of B and of the accumulator of one `mma.sync`."""

WARP_LANES = 32
REGISTER_BITS = 32

_GROUP = 4
"""Lanes that share a row of a matrix."""


def per_register(bits: int) -> int:
    """Elements of `bits` bits that a register holds."""
    return REGISTER_BITS // bits


def mma_registers(extent: int, cols: int, bits: int) -> int:
    """Registers of a lane for an operand of extent x cols elements."""
    return extent * cols // per_register(bits) // WARP_LANES


def mma_a_element(
    register: Coordinate, part: Coordinate, lane: Coordinate, bits: int
) -> tuple[Coordinate, Coordinate]:
    """The row and the position along K of element `part` of a register of A."""
    each = per_register(bits)
    row = lane // _GROUP + CORE_ROWS * (register % 2)
    return row, lane % _GROUP * each + part + _GROUP * each * (register // 2)


def mma_b_element(
    register: Coordinate, part: Coordinate, lane: Coordinate, bits: int
) -> tuple[Coordinate, Coordinate]:
    """The column and the position along K of element `part` of a register of B."""
    each = per_register(bits)
    column = lane // _GROUP + 0 * register
    return column, lane % _GROUP * each + part + _GROUP * each * register


def mma_c_element(
    register: Coordinate, part: Coordinate, lane: Coordinate, bits: int
) -> tuple[Coordinate, Coordinate]:
    """Row and column of element `part` of a register of the accumulator."""
    index = register * per_register(bits) + part
    return lane // _GROUP + CORE_ROWS * (index // 2), lane % _GROUP * 2 + index % 2


def ldmatrix_element(
    part: Coordinate, lane: Coordinate, *, transposed: bool
) -> tuple[Coordinate, Coordinate]:
    """
    Row and column of what a lane gets of a matrix of 8 x 8 16-bit elements.

    `part` is the half of the register; register i is of matrix i.
    """
    row, col = lane // _GROUP, lane % _GROUP * 2 + part
    return (col, row) if transposed else (row, col)


def ldmatrix_source(lane: Coordinate) -> tuple[Coordinate, Coordinate]:
    """The matrix and the row of it whose address a lane gives; a row has 16 bytes."""
    return lane // CORE_ROWS, lane % CORE_ROWS


def ldmatrix_a_lane(
    lane: Coordinate, *, transposed: bool = False
) -> tuple[Coordinate, Coordinate]:
    """
    The row and the byte of it whose address a lane gives to load one A by `.x4`.

    The tile is 16 rows of M by 32 bytes of K, or, transposed, 16 rows of K by 16
    elements of M, of 16 bits; the registers come in the order that `mma.sync` takes.
    """
    matrix, row = ldmatrix_source(lane)
    high, right = matrix % 2, matrix // 2
    if transposed:
        high, right = right, high
    return row + CORE_ROWS * high, CHUNK_BYTES * right


def ldmatrix_b_lane(
    lane: Coordinate, *, transposed: bool = False
) -> tuple[Coordinate, Coordinate]:
    """
    The row and the byte of it whose address a lane gives to load two B by `.x4`.

    The tile is 16 columns of B, rows of its transpose, by 32 bytes of K, or,
    transposed, 16 rows of K by 16 columns of B, of 16 bits. The first two registers are
    those of the first 8 columns; `.x2` loads these only.
    """
    matrix, row = ldmatrix_source(lane)
    high, right = matrix // 2, matrix % 2
    if transposed:
        high, right = right, high
    return row + CORE_ROWS * high, CHUNK_BYTES * right
