"""What ptxas makes of the example kernels: no spills, no serialised WGMMA, TMA in SASS.

Needs ptxas and nvdisasm, no device.
"""

from __future__ import annotations

import sys
from pathlib import Path

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import assemble, disassemble, find_nvdisasm, find_ptxas

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def expected(ptx: str) -> list[str]:
    """The machine instructions that the instructions of a PTX text must become."""
    pairs = {
        "wgmma.mma_async": "HGMMA",
        "cp.async.bulk.tensor": "UTMALDG",
        "mbarrier.try_wait": "SYNCS",
        "setmaxnreg": "USETMAXREG",
    }
    return [sass for instruction, sass in pairs.items() if instruction in ptx]


def faults(file: Path) -> list[str]:
    """What is wrong with one kernel."""
    kernel = croq.compile(file)
    result = assemble(kernel.ptx, kernel.plan.target)
    found = [f"ptxas: {line}" for line in result.warnings]
    if result.spill_bytes:
        found.append(f"{result.spill_bytes} bytes spilled")
    if find_nvdisasm() is not None:
        sass = disassemble(result.cubin)
        found += [f"no {op} in SASS" for op in expected(kernel.ptx) if op not in sass]
    state = "; ".join(found) or "ok"
    print(f"{file.name:<28}{result.registers:>5} registers  {state}")
    return found


def main() -> int:
    """Check every example; 0 when nothing is wrong."""
    if find_ptxas() is None:
        print("skipped: ptxas is not installed")
        return 0
    return int(any([faults(file) for file in sorted(EXAMPLES.glob("*.mlir"))]))


if __name__ == "__main__":
    sys.exit(main())
