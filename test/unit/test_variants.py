"""Variants of the matrix product lower and assemble without complaint."""

from __future__ import annotations

import pytest
from support.kernels import VARIANTS

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import assemble, find_ptxas


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_assemble(name: str):
    kernel = croq.compile(VARIANTS[name].text())
    assert "wgmma.mma_async" in kernel.ptx
    if find_ptxas() is None:
        pytest.skip("ptxas is not installed")
    result = assemble(kernel.ptx, "sm_90a")
    assert (result.spill_bytes, result.warnings) == (0, ())


def test_the_names_of_values_do_not_matter():
    plain, renamed = (
        croq.compile(VARIANTS[name].text()).ptx
        for name in ("right operand first", "renamed")
    )
    assert plain != renamed
    assert (
        croq.compile(VARIANTS["renamed"].text().replace("weights", "w")).ptx == renamed
    )
