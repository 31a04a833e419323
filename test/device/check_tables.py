"""
Runs the kernels of `support/tables.py` and `support/warp_tables.py` on a device: what
hardware does, as hashes.

`python test/device/check_tables.py` compares them with the recorded ones, which the
simulator has to meet everywhere (`test/simulator/test_hardware_tables.py`); what is not
recorded it compares with the simulator. `--record FILE` writes new ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.tables import Table, tables
from support.warp_tables import warp_tables

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.simulator.simulate import Options, load, run_loaded

RECORDED = Path(__file__).resolve().parents[1] / "simulator" / "hopper_tables.json"


def simulated(table: Table) -> str:
    """What the simulator makes of a table."""
    arrays = table.inputs()
    run_loaded(load(source_of(table.text)), arrays, Options("late")).check()
    return table.digest(arrays)


def main(argv: Sequence[str] | None = None) -> int:
    """Run all tables; 1 when one differs from what is recorded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", type=Path)
    options = parser.parse_args(argv)
    found: dict[str, str] = {}
    every = {table.name: table for table in (*tables(), *warp_tables())}
    for table in every.values():
        arrays = table.inputs()
        croq.compile(table.text)(*arrays)
        found[table.name] = table.digest(arrays)
    if options.record is not None:
        options.record.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{len(found)} tables recorded")
        return 0
    recorded = json.loads(RECORDED.read_text())
    wrong = [name for name in found if found[name] != recorded.get(name, found[name])]
    for name in wrong:
        print(f"{name}: the device differs from what is recorded")
    new = [name for name in found if name not in recorded]
    for name in new:
        agrees = simulated(every[name]) == found[name]
        print(
            f"{name}: not recorded; the simulator {'agrees' if agrees else 'differs'}"
        )
        if not agrees:
            wrong.append(name)
    right = len(found) - len(wrong)
    print(f"{right} of {len(found)} tables are as recorded, or as simulated")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
