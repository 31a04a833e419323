"""Kernels of clusters: what the lowering makes of them, and ptxas of that."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import pytest

from croqtile_mlir.ptx_tools import assemble, disassemble, find_nvdisasm, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text
from pipeline.lowering import EXAMPLES, TARGET, instructions, parse, passes, run

PLAIN = next(path for path in EXAMPLES if path.stem == "matmul").read_text()

LOWERING = ",".join(p for p in passes() if not p.startswith("verify-sync"))
"""The proofs are those of other tests."""

REMOTE_ARRIVAL = "mbarrier.arrive.shared::cluster.b64"
"""Without order and scope: with them it is a fence of the whole device."""

MULTICAST = re.compile(r"multicast::cluster \[[^]]*\], \[[^]]*\], \[[^]]*\], (%rs\d+);")

needs_ptxas = pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")


@lru_cache
def lowered(cluster: str, specialize: str = "", params: str = "") -> str:
    """The PTX of the plain matrix product, scheduled for clusters."""
    module = parse(PLAIN)
    schedule = (
        f"bind-params{{{params}}},make-clusters{{cluster={cluster}}},persist,"
        f"warp-specialize{{{specialize}}},multicast,overlap-epilogue"
    ).replace("{}", "")
    run(module, f"{schedule},{LOWERING}")
    return ptx_text(module)


@pytest.mark.parametrize("cluster", ["2x1", "1x2"])
def test_instructions(cluster: str):
    ptx = lowered(cluster)
    x, y = cluster.split("x")
    assert f"\n.explicitcluster\n.reqnctapercluster {x}, {y}, 1\n" in ptx
    found = instructions(ptx)
    # The loop that gives the first credits, and that of the products: two blocks each.
    assert found[REMOTE_ARRIVAL] == found["mapa.shared::cluster.u32"] == 4
    assert found["mbarrier.arrive.shared.b64"] == 0
    # A step is 128 + 256 rows of 128 bytes, whoever sends them.
    assert re.findall(r"expect_tx.*, (\d+);", ptx) == ["49152"]
    assert len(MULTICAST.findall(ptx)) == 1
    # Each slot is released by the 8 warps of the consumers of two blocks.
    counts = Counter(re.findall(r"mbarrier\.init\S* \[[^]]*\], (\d+);", ptx))
    assert counts == {"1": 4, "16": 4}
    # Blocks meet when their mbarriers are there, and before one ends.
    assert found["barrier.cluster.arrive.relaxed.aligned"] == 1
    assert found["barrier.cluster.arrive.aligned"] == 1
    assert found["barrier.cluster.wait.aligned"] == 2
    assert ptx.rstrip().endswith("barrier.cluster.wait.aligned;\n\tret;\n}")
    assert ".version 8.0" in ptx


def test_rows_and_columns():
    """In a cluster of 2x2 one operand is shared along each index."""
    ptx = lowered("2x2")
    assert len(set(MULTICAST.findall(ptx))) == 2
    assert ptx.count("cp.async.bulk.tensor.2d.shared::cluster.global") == 2
    assert re.findall(r"expect_tx.*, (\d+);", ptx) == ["49152"]


@needs_ptxas
@pytest.mark.parametrize(
    ("cluster", "specialize", "params"),
    [
        ("2x1", "", ""),
        ("1x2", "in_flight=1", ""),
        ("2x2", "", ""),
        ("2x1", "mode=pingpong", "BM=128 BN=128"),
        ("4x1", "stages=3", "BN=128"),
    ],
)
def test_assembled(cluster: str, specialize: str, params: str):
    result = assemble(lowered(cluster, specialize, params), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0
    assert result.stack_bytes == 0


@needs_ptxas
@pytest.mark.skipif(find_nvdisasm() is None, reason="nvdisasm is not installed")
def test_machine_code():
    code = disassemble(assemble(lowered("2x1"), TARGET).cubin)
    words = Counter(re.findall(r"\b[A-Z][A-Z0-9_.]+", code))
    assert words["UTMALDG.2D.MULTICAST"] == words["UTMALDG.2D"] == 1
    assert words["UCGABAR_ARV"] == words["UCGABAR_WAIT"] == 2
    assert words["SYNCS.ARRIVE.TRANS64.RED.A1T0"] > 0
    # Only the last barrier orders memory, of what the block has done before its end.
    assert words["MEMBAR.ALL.GPU"] == 1
    # Addresses of peers are the same in all lanes, and known to be.
    assert not re.findall(r"TRANS64\.RED\.A1T0 RZ, \[R\d+", code)
