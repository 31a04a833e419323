"""
Runs the kernels of `support/tables.py` on a device: what hardware does, as hashes.

`python test/device/check_tables.py` compares them with the recorded ones, which the
simulator has to meet everywhere (`test/simulator/test_tables.py`); `--record FILE`
writes new ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.tables import tables

import croqtile_mlir as croq

RECORDED = Path(__file__).resolve().parents[1] / "simulator" / "hopper_tables.json"


def main(argv: Sequence[str] | None = None) -> int:
    """Run all tables; 1 when one differs from what is recorded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", type=Path)
    options = parser.parse_args(argv)
    found: dict[str, str] = {}
    for table in tables():
        arrays = table.inputs()
        croq.compile(table.text)(*arrays)
        found[table.name] = table.digest(arrays)
    if options.record is not None:
        options.record.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{len(found)} tables recorded")
        return 0
    recorded = json.loads(RECORDED.read_text())
    wrong = [name for name in found if found[name] != recorded.get(name)]
    for name in wrong:
        print(f"{name}: the device differs from what is recorded")
    print(f"{len(found) - len(wrong)} of {len(found)} tables are as recorded")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
