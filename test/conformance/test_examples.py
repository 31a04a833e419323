"""The example kernels through two code generators: upstream's and ours.

Both start from the same IR at the hardware level. Upstream must read it, ptxas must
have no complaint about what upstream makes of it, and both must issue the same
barriers, copies, MMAs and fences in the same order.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from pipeline.lowering import EXAMPLES, TARGET, parse, passes, printed, run

from conformance import upstream
from conformance.ptx_sequence import instruction_sequence
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text

LAST = "check-level{level=nvvm}"
"""The last pass to the hardware level."""

pytestmark = [
    pytest.mark.skipif(upstream.missing() is not None, reason=str(upstream.missing())),
    # One example after the other: it is lowered once.
    pytest.mark.parametrize(
        "path", EXAMPLES, ids=lambda path: path.stem, scope="module"
    ),
]


@cache
def hardware_text(path: Path) -> str:
    """The text of an example at the hardware level."""
    names = passes()
    module = parse(path.read_text())
    run(module, ",".join(names[: names.index(LAST) + 1]))
    return printed(module)


def test_upstream_reads_it(path: Path):
    assert upstream.check_upstream(hardware_text(path), path.name) == []


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
def test_ptx_of_upstream_assembles(path: Path):
    """Without spills, and without a wgmma that is serialised."""
    result = assemble(upstream.to_ptx(hardware_text(path), level=1), TARGET)
    assert result.spill_bytes == 0
    assert result.warnings == ()


def our_ptx(path: Path) -> str:
    """What our own code generator makes of the same text."""
    names = passes()
    module = parse(hardware_text(path))
    run(module, ",".join(names[names.index(LAST) + 1 :]))
    return ptx_text(module)


WAIT_FOR_ALL = "wgmma.wait_group.sync.aligned 0"


def without_idle_waits(instructions: list[str]) -> list[str]:
    """
    Without the waits for products before which there is none since the last such wait.

    We put one behind loops whose first products overwrite their accumulators.
    """
    kept: list[str] = []
    idle = False
    for each in instructions:
        if not (idle and each == WAIT_FOR_ALL):
            kept.append(each)
        idle = each == WAIT_FOR_ALL or (idle and not each.startswith("wgmma.mma_async"))
    return kept


BY_THEMSELVES = ("copy", "occupancy_probe")
"""Every thread takes out of shared memory what it put there."""


def test_same_instructions(path: Path):
    """Unoptimised, upstream keeps the order of the IR, and so do we."""
    theirs = instruction_sequence(upstream.to_ptx(hardware_text(path)))
    ours = without_idle_waits(instruction_sequence(our_ptx(path)))
    assert ours == theirs
    # Threads that share nothing with each other have nothing to wait for.
    assert bool(ours) == (
        "shared>" in path.read_text() and path.stem not in BY_THEMSELVES
    )
