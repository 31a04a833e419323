"""What ptxas makes of the kernels: no complaint, no spill, the engines in the SASS."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from croqtile_mlir.ptx_tools import assemble, disassemble, find_nvdisasm, find_ptxas
from pipeline.kernels import Matmul
from pipeline.lowering import EXAMPLES, TARGET, lower

pytestmark = pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")

ENGINES = (
    *("HGMMA", "UTMALDG", "UTMASTG", "LDGSTS", "SYNCS", "USETMAXREG", "BAR", "STL"),
    "LDL",
)


def sass(ptx: str) -> Counter[str]:
    """Assemble a clean kernel, and count the instructions of its engines."""
    result = assemble(ptx, TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0
    assert result.stack_bytes == 0
    if find_nvdisasm() is None:
        pytest.skip("nvdisasm is not installed")
    words = re.findall(r"\b[A-Z][A-Z0-9]+\b", disassemble(result.cubin))
    return Counter(word for word in words if word in ENGINES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path):
    text = path.read_text()
    found = sass(lower(text))
    assert found["STL"] == found["LDL"] == 0
    if "croq.mma" not in text:
        # Threads that share nothing with each other have nothing to wait for.
        by_themselves = path.stem in ("copy", "occupancy_probe")
        assert bool(found["BAR"]) == ("shared>" in text and not by_themselves)
        assert found["HGMMA"] == found["SYNCS"] == 0
        return
    if path.stem == "matmul_ampere":
        # Groups of each thread, and barriers; two blocks of rows, two slices of K.
        assert found["LDGSTS"] > 0
        assert found["HGMMA"] == 4
        assert found["SYNCS"] == found["UTMALDG"] == 0
        return
    assert found["SYNCS"] > 0
    if path.stem in ("attention", "matmul_split_k"):
        # No roles: two products of 64 x 64 x 64, or one of 128 x 128 x 64.
        assert found["HGMMA"] == 8
        assert found["USETMAXREG"] == 0
        return
    if path.stem in ("matmul", "matmul_bias_relu"):
        # No roles: each of two warpgroups has 64 rows, times four slices of K.
        assert found["HGMMA"] == 4
        assert found["USETMAXREG"] == 0
        return
    # Two blocks of 64 rows times four slices of K.
    assert found["HGMMA"] == 8
    engine = 0 if path.stem.endswith(("threads", "cp_async")) else 2
    # Two loads by cp.async, in pieces of 16, 8 or 4 bytes.
    assert bool(found["LDGSTS"]) == path.stem.endswith("cp_async")
    assert found["UTMALDG"] == found["UTMASTG"] == found["USETMAXREG"] == engine


@pytest.mark.parametrize(
    ("kernel", "hgmma"),
    [
        (Matmul(rhs_first=True), 8),
        (Matmul(consumers=2), 4),
        (Matmul(rows=256, consumers=2, stages=3), 8),
        (Matmul(rows=192, consumers=3, budgets=False), 4),
        (Matmul(storer=True), 8),
        (Matmul(rows=64), 4),
        (Matmul(cols=256, depth=32, consumers=2), 2),
        (Matmul(depth=128, stages=2), 16),
        *((Matmul(rows=64, cols=n), 4) for n in (8, 16, 24, 40, 56, 72, 96, 248, 256)),
    ],
    ids=str,
)
def test_variants(kernel: Matmul, hgmma: int):
    found = sass(lower(kernel.text()))
    assert found["HGMMA"] == hgmma
    assert found["UTMALDG"] > 0
    assert found["UTMASTG"] > 0
