"""How long a source takes to be read, checked and lowered."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.croqtile import parse_module
from croqtile_mlir.frontends.croqtile.options import FrontendOptions, parse_defines

FILE = Path(__file__).parents[3] / "examples/seeds/matmul_events.co"
LIMIT = 0.05
"""Seconds of processor time, in a process that has done it before."""


def test_second_seed_takes_less_than_50_milliseconds():
    text = FILE.read_text()
    names = ("WARP_M=64", "WARP_N=64", "TILE_K=64", "WARP_K=16", "STAGES=3")
    options = FrontendOptions(parse_defines(f"MATMUL_{name}" for name in names))
    took: list[float] = []
    for _ in range(8):
        start = process_time()
        parse_module(new_context(), text, FILE.name, options)
        took.append(process_time() - start)
    assert min(took[1:]) < LIMIT
