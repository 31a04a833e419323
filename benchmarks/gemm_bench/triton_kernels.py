"""Matrix products in Triton, with TMA descriptors, and configurations of them.

Importing this module imports Triton.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

# Triton takes a parameter for a constant by the name of its annotation, and resolves no
# annotations but quoted ones.
from typing import Any as constexpr

from .operands import Operands
from .shapes import Shape

triton: Any = import_module("triton")
tl: Any = import_module("triton.language")

GROUP = 8
"""Tile rows that are walked together, for the sake of the L2 cache."""


@triton.jit
def tile_of(
    number: "Any", rows: "Any", columns: "Any", GROUP_ROWS: "constexpr"
) -> "tuple[Any, Any]":
    """The row and the column of a tile, in groups of rows."""
    in_group = GROUP_ROWS * columns
    first = number // in_group * GROUP_ROWS
    height = min(rows - first, GROUP_ROWS)
    rest = number % in_group
    return first + rest % height, rest // height


@triton.jit
def product_of_tile(
    a: "Any", b: "Any", row: "Any", column: "Any", K: "Any",
    BM: "constexpr", BN: "constexpr", BK: "constexpr",
) -> "Any":  # fmt: skip
    """The accumulator of one tile."""
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK)):
        left = a.load([row, step * BK])
        right = b.load([column, step * BK])
        sums = tl.dot(left, right.T, sums)
    return sums


@triton.jit
def store_tile(
    d: "Any", sums: "Any", row: "Any", column: "Any",
    BM: "constexpr", BN: "constexpr", HALVES: "constexpr",
) -> "None":  # fmt: skip
    """Store a tile, at once or in two halves."""
    if HALVES:
        pair = tl.permute(tl.reshape(sums, (BM, 2, BN // 2)), (0, 2, 1))
        left, right = tl.split(pair)
        d.store([row, column], left.to(tl.float16))
        d.store([row, column + BN // 2], right.to(tl.float16))
    else:
        d.store([row, column], sums.to(tl.float16))


@triton.jit
def persistent(
    a: "Any", b: "Any", d: "Any", M: "Any", N: "Any", K: "Any",
    BM: "constexpr", BN: "constexpr", BK: "constexpr", GROUP_ROWS: "constexpr",
    HALVES: "constexpr", FLATTEN: "constexpr", BLOCKS: "constexpr",
) -> "None":  # fmt: skip
    """Every program walks over tiles."""
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    for number in tl.range(tl.program_id(0), rows * columns, BLOCKS, flatten=FLATTEN):
        row, column = tile_of(number, rows, columns, GROUP_ROWS)
        sums = product_of_tile(a, b, row * BM, column * BN, K, BM, BN, BK)
        store_tile(d, sums, row * BM, column * BN, BM, BN, HALVES)


@triton.jit
def one_tile(
    a: "Any", b: "Any", d: "Any", M: "Any", N: "Any", K: "Any",
    BM: "constexpr", BN: "constexpr", BK: "constexpr", GROUP_ROWS: "constexpr",
    HALVES: "constexpr", FLATTEN: "constexpr", BLOCKS: "constexpr",
) -> "None":  # fmt: skip
    """Every program has one tile."""
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    row, column = tile_of(tl.program_id(0), rows, columns, GROUP_ROWS)
    sums = product_of_tile(a, b, row * BM, column * BN, K, BM, BN, BK)
    store_tile(d, sums, row * BM, column * BN, BM, BN, HALVES)


@dataclass(frozen=True)
class Config:
    """The constants of one compilation."""

    tile: tuple[int, int, int]
    """Rows, columns and elements of K."""

    stages: int
    warps: int
    persistent: bool = False
    flatten: bool = False
    """Whether the loops over tiles and over K become one."""

    halves: bool = False
    """Whether a tile is stored in two halves."""

    def __str__(self) -> str:
        rows, columns, depth = self.tile
        kind = "persistent " if self.persistent else ""
        flat = " flat" if self.flatten else ""
        size = f"{rows}x{columns}x{depth} s{self.stages} w{self.warps}"
        return f"{kind}{size}{flat}{' halves' if self.halves else ''}"


LARGE = (
    Config((128, 256, 64), 3, 8, persistent=True),
    Config((128, 256, 64), 3, 8, persistent=True, flatten=True),
    Config((128, 256, 64), 4, 8, persistent=True, flatten=True, halves=True),
    Config((128, 256, 64), 3, 8, persistent=True, flatten=True, halves=True),
    Config((256, 128, 64), 3, 8, persistent=True, flatten=True),
    Config((128, 128, 64), 4, 8, persistent=True, flatten=True),
    Config((128, 128, 64), 4, 4, persistent=True, flatten=True),
    Config((128, 256, 64), 3, 8),
    Config((128, 256, 64), 4, 8),
    Config((256, 128, 64), 3, 8),
    Config((128, 128, 64), 3, 8),
    Config((128, 128, 64), 4, 4),
    Config((128, 128, 64), 3, 4),
    Config((64, 256, 64), 4, 4),
    Config((128, 64, 64), 4, 4),
    Config((64, 128, 64), 4, 4),
    Config((64, 64, 128), 4, 4),
    Config((128, 64, 128), 4, 4),
)
"""For products with many rows."""

SKINNY = (
    Config((16, 64, 128), 5, 4),
    Config((16, 64, 256), 4, 4),
    Config((16, 128, 128), 4, 4),
    Config((16, 32, 256), 4, 4),
    Config((64, 64, 128), 4, 4),
)
"""For products with few rows."""


def configs(shape: Shape) -> tuple[Config, ...]:
    """The configurations to try for a shape."""
    return SKINNY if shape.m <= 32 else LARGE


def launcher(config: Config, operands: Operands) -> Callable[[int], None]:
    """What launches a configuration on a set of operands.

    Raises ValueError for rows that a descriptor cannot address.
    """
    descriptor: Any = import_module("triton.tools.tensor_descriptor").TensorDescriptor
    rows, columns, depth = config.tile
    stored = columns // 2 if config.halves else columns

    def described(tensor: Any, block: list[int]) -> Any:
        try:
            return descriptor.from_tensor(tensor, block)
        except AssertionError as error:
            raise ValueError(f"refused by the descriptor: {error}") from error

    prepared = [
        (
            described(lhs, [rows, depth]),
            described(rhs, [columns, depth]),
            described(out, [rows, stored]),
        )
        for lhs, rhs, out in zip(operands.lhs, operands.rhs, operands.out, strict=True)
    ]
    shape = operands.shape
    properties = operands.torch.cuda.get_device_properties(0)
    multiprocessors = int(properties.multi_processor_count)
    tiles = -(-shape.m // rows) * -(-shape.n // columns)
    grid = (min(tiles, multiprocessors) if config.persistent else tiles,)
    kernel = (persistent if config.persistent else one_tile)[grid]
    constants = {
        **{"BM": rows, "BN": columns, "BK": depth, "GROUP_ROWS": GROUP},
        **{"HALVES": config.halves, "FLATTEN": config.flatten},
        **{"BLOCKS": multiprocessors},
        **{"num_stages": config.stages, "num_warps": config.warps},
    }

    def launch(number: int) -> None:
        kernel(*prepared[number], shape.m, shape.n, shape.k, **constants)

    return launch
