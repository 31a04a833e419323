"""Kernels of other shapes than the examples: through every pass, and through ptxas."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from pipeline.lowering import TARGET, instructions, lower, lower_through_text

KERNELS = sorted((Path(__file__).parent / "Inputs").glob("*.mlir"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_pass(path: Path):
    """The text between passes is all there is, and the PTX assembles."""
    ptx = lower_through_text(path.read_text())
    assert ptx == lower(path.read_text())
    if find_ptxas() is not None:
        result = assemble(ptx, TARGET)
        assert result.warnings == ()
        assert result.spill_bytes == 0


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        # One thread for a load by TMA; each warp of a role, each thread that copies.
        ("chain_of_roles", [1, 1, 4, 4, 4, 4, 1, 1]),
        ("handoff", [4, 128]),
        ("matmul_persistent", [1] * 3 + [8] * 3),
        ("matmul_persistent_slots", [1] * 3 + [8] * 3),
        ("nested_slots", [1, 1, 1, 1]),
        ("orders_through_a_condition", [1, 1, 1, 2, 2, 2]),
    ],
)
def test_arrivals(name: str, counts: list[int]):
    ptx = lower(next(p for p in KERNELS if p.stem == name).read_text())
    inits = [line for line in ptx.splitlines() if "mbarrier.init" in line]
    assert [int(line.rstrip(";").split()[-1]) for line in inits] == counts


def test_bytes_out_of_range_are_zeros():
    ptx = lower((Path(__file__).parent / "Inputs/copy_bytes.mlir").read_text())
    assert instructions(ptx)["st.shared.u8"] >= 1
    assert "], 0;" in ptx
