"""What an H200 does with swizzles, descriptors and fragments, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.tables import Table, tables
from support.warp_tables import warp_tables

from croqtile_mlir.compiler import source_of
from croqtile_mlir.simulator.simulate import Options, load, run_loaded

RECORDED = json.loads((Path(__file__).parent / "hopper_tables.json").read_text())


@pytest.mark.parametrize(
    "table", [*tables(), *warp_tables()], ids=lambda table: table.name
)
def test_as_recorded_on_an_h200(table: Table) -> None:
    if table.name not in RECORDED:
        pytest.skip("not recorded yet: run test/device/check_tables.py --record")
    arrays = table.inputs()
    report = run_loaded(load(source_of(table.text)), arrays, Options("late"))
    assert not report.faults, "\n".join(str(f.diagnostic()) for f in report.faults)
    assert table.digest(arrays) == RECORDED[table.name]
