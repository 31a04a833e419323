"""What the kernels compute that the reference language has no words for, in numpy.

Each function takes the arguments by name and gives the tiles that the kernel writes, in
float64. Tiles are 16 rows by 32 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Array]

COLUMNS = 32
"""Columns of a tile."""

ROWS = 16
"""Rows of a tile."""


def _wide(array: Array) -> Array:
    return array.astype(np.float64)


def _steps(array: Array) -> list[Array]:
    """The tiles of a row of tiles, whole in height; the last may be narrow."""
    width = array.shape[-1]
    return [array[..., k : k + COLUMNS] for k in range(0, width, COLUMNS)]


def _joined(tiles: list[Array], like: Array) -> Array:
    return np.concatenate(tiles, axis=-1) if tiles else np.zeros(like.shape)


def generations_of_two_kinds(args: Arrays) -> dict[str, Array]:
    """Every row of x is scaled by the first entry of its row of t."""
    return {"y": _wide(args["x"]) * _wide(args["t"])[:, :1]}


def early_exit(args: Arrays) -> dict[str, Array]:
    """Every tile of x is multiplied by half of t."""
    x, half = _wide(args["x"]), _wide(args["t"]) / 2
    rows, columns = x.shape
    table = np.tile(half, (-(-rows // ROWS), -(-columns // COLUMNS)))
    return {"y": x * table[:rows, :columns]}


def waits_in_branches(args: Arrays) -> dict[str, Array]:
    """Twice x; odd tiles of odd blocks keep what was there."""
    x, y = _wide(args["x"]), _wide(args["y"])
    result: Array = 2 * x
    for row in range(ROWS, x.shape[0], 2 * ROWS):
        for column in range(COLUMNS, x.shape[1], 2 * COLUMNS):
            left_out = np.s_[row : row + ROWS, column : column + COLUMNS]
            result[left_out] = y[left_out]
    return {"y": result}


def handshake(args: Arrays) -> dict[str, Array]:
    """The sum so far and the next tile, halved."""
    x = _wide(args["x"])
    tiles: list[Array] = []
    total = np.zeros((x.shape[0], COLUMNS))
    for tile in _steps(x):
        total[:, : tile.shape[1]] += tile
        total /= 2
        tiles.append(total[:, : tile.shape[1]].copy())
    return {"y": _joined(tiles, x)}


def two_consumers(args: Arrays) -> dict[str, Array]:
    """One consumer doubles, the other negates."""
    x = _wide(args["x"])
    return {"y": 2 * x, "z": -x}


def thread_level_stencil(args: Arrays) -> dict[str, Array]:
    """Every element less its right neighbour in the tile, which is filled with zeros;
    that of the last column is in the first."""
    x = _wide(args["x"])
    width = x.shape[1]
    x = np.pad(x, ((0, 0), (0, -width % COLUMNS)))
    tiles = [tile - np.roll(tile, -1, axis=1) for tile in _steps(x)]
    return {"y": _joined(tiles, x)[:, :width]}


def sliding_window(args: Arrays) -> dict[str, Array]:
    """Every tile less the one on its left."""
    x = _wide(args["x"])
    return {"y": x - np.pad(x, ((0, 0), (COLUMNS, 0)))[:, : x.shape[1]]}


def peeled_loop(args: Arrays) -> dict[str, Array]:
    """The first half of the tiles doubled, the others copied."""
    x = _wide(args["x"])
    tiles = _steps(x)
    half = len(tiles) // 2
    return {"y": _joined([t * (1 + (k < half)) for k, t in enumerate(tiles)], x)}


def exchange(args: Arrays) -> dict[str, Array]:
    """Each role writes what the other has sent."""
    return {"q": _wide(args["x"]), "p": _wide(args["y"])}


def released_by_turns(args: Arrays) -> dict[str, Array]:
    """Even tiles are doubled, odd ones negated."""
    x = _wide(args["x"])
    factors = (2.0, -1.0)
    return {"y": _joined([t * factors[k % 2] for k, t in enumerate(_steps(x))], x)}


def _repeated(table: Array, rows: int) -> Array:
    """A table of one or more tiles, over and over."""
    found: Array = np.tile(table, (-(-rows // len(table)), 1))[:rows]
    return found


def cluster_table(args: Arrays) -> dict[str, Array]:
    """Every tile and the table of its columns."""
    x = _wide(args["x"])
    return {"y": x + _repeated(_wide(args["t"]), len(x))}


def cluster_of_four(args: Arrays) -> dict[str, Array]:
    """Every tile and one of two tables."""
    x, t = _wide(args["x"]), _wide(args["t"])
    upper, lower = _repeated(t[:ROWS], len(x)), _repeated(t[ROWS:], len(x))
    return {"y": x + upper, "z": x + lower}


REFERENCES: Mapping[str, Callable[[Arrays], dict[str, Array]]] = {
    f.__name__: f
    for f in (
        generations_of_two_kinds,
        early_exit,
        waits_in_branches,
        handshake,
        two_consumers,
        thread_level_stencil,
        sliding_window,
        peeled_loop,
        exchange,
        released_by_turns,
        cluster_table,
        cluster_of_four,
    )
}
"""By name of the kernel."""
