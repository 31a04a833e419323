"""Ops that passes have put in, taken out again: what each of them is for."""

from __future__ import annotations

import numpy as np
import pytest
from support.tile_runs import example, kinds, snapshots, told
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import load_module
from croqtile_mlir.simulator.simulate import Options, Report, run_loaded

POLICIES = ("rr", "late", "early", "random:1")


def run_without(
    name: str, level: str, kind: type[Operation], number: int, policy: str
) -> Report:
    """Run an example at a level without one of its ops of a kind."""
    text = example(name).replace("registers 40 ", "").replace("registers 232 ", "")
    old = 'croq.role "producer" warpgroups [0, 1)'
    text = text.replace(old, 'croq.role "producer" warps [0, 1)')
    module: ModuleOp = snapshots(text)[level].clone()
    found = [op for op in module.walk() if isinstance(op, kind)]
    op = found[number]
    op.detach()
    op.erase()
    rng = np.random.default_rng(9)
    if name == "add":
        args = [rng.standard_normal((64, 32)).astype(np.float32) for _ in range(3)]
        return run_loaded(load_module(module), args, Options(policy))
    lhs = rng.standard_normal((128, 64 * 6)).astype(np.float16)
    rhs = rng.standard_normal((128, 64 * 6)).astype(np.float16)
    out = np.zeros((128, 128), np.float16)
    return run_loaded(load_module(module), (lhs, rhs, out), Options(policy))


ERASED = [
    ("add", "insert-barriers", croq.BarrierOp, 0, FaultKind.RACE),
    ("add", "insert-barriers", croq.BarrierOp, -1, FaultKind.RACE),
    ("add", "lower-views", croq.BarrierOp, 0, FaultKind.RACE),
    ("matmul_1p1c", "insert-barriers", croq.BarrierOp, 0, FaultKind.RACE),
    ("matmul_1p1c", "lower-events", croq.BarrierOp, 0, FaultKind.RACE),
    ("matmul_1p1c", "lower-events", nvvm.MbarrierArriveOp, 0, FaultKind.DEADLOCK),
    ("matmul_1p1c", "lower-events", nvvm.MbarrierArriveOp, 1, FaultKind.DEADLOCK),
    ("matmul_1p1c", "lower-dma", croq.BarrierOp, 1, FaultKind.RACE),
    ("matmul_1p1c", "insert-fences", nvvm.FenceProxyOp, 0, FaultKind.STALE_READ),
    ("matmul_1p1c", "lower-views", nvvm.FenceProxyOp, 0, FaultKind.STALE_READ),
    ("matmul_1p1c", "lower-views", nvvm.WgmmaWaitGroupOp, 0, FaultKind.RACE),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("name", "level", "kind", "number", "expected"), ERASED)
def test_without(
    name: str,
    level: str,
    kind: type[Operation],
    number: int,
    expected: FaultKind,
    policy: str,
) -> None:
    report = run_without(name, level, kind, number, policy)
    assert expected in kinds(report), told(report)
