"""Named barriers at which one role only arrives, at every level."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

HANDOFF = """
croq.kernel @handoff dims(N) (
    %x: !croq.tile<[N]x32xi32, global>, %y: !croq.tile<[N]x32xi32, global>) {
  croq.parallel (%b) in (1) : block {
    %data = croq.alloc : !croq.tile<32xi32, shared>
    croq.role "writer" warps [0, 1) {
      croq.foreach %i in N {
        croq.barrier_wait "empty" threads 64
        croq.parallel (%t) in (32) : thread {
          %v = croq.load %x[%i, %t]
          croq.store %v, %data[%t]
        }
        croq.barrier_arrive "filled" threads 64
      }
    }
    croq.role "reader" warps [1, 2) {
      croq.foreach %i in N {
        croq.barrier_arrive "empty" threads 64
        croq.barrier_wait "filled" threads 64
        croq.parallel (%t) in (32) : thread {
          %c31 = arith.constant 31 : index
          %away = arith.subi %c31, %t : index
          %v = croq.load %data[%away]
          croq.store %v, %y[%i, %t]
        }
      }
    }
  }
}
"""
CHECKED = ("croq", "insert-barriers", "nvvm")


@lru_cache(maxsize=32)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


@pytest.mark.parametrize("policy", ["rr", "random:1"])
@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_handoff(n: int, level: str, policy: str) -> None:
    x = np.random.default_rng(n).integers(-99, 99, (n, 32), np.int32)
    y = np.zeros_like(x)
    report = run(loaded(HANDOFF, level), x, y, options=Options(policy))
    assert not report.faults
    assert (y == x[:, ::-1]).all()


@pytest.mark.parametrize("level", CHECKED)
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('croq.barrier_wait "empty"', "// ", FaultKind.PARTICIPATION),
        ('croq.barrier_arrive "filled"', "// ", FaultKind.DEADLOCK),
        (
            'croq.barrier_wait "filled"',
            'croq.barrier_arrive "filled"',
            FaultKind.RACE,
        ),
    ],
    ids=["nobody-waits-for-empty", "nobody-fills", "nobody-waits-for-filled"],
)
def test_planted_faults(old: str, new: str, kind: FaultKind, level: str) -> None:
    x = np.random.default_rng(1).integers(-99, 99, (3, 32), np.int32)
    report = run(loaded(HANDOFF.replace(old, new), level), x, np.zeros_like(x))
    assert kind in {fault.kind for fault in report.faults}


def test_what_is_decided() -> None:
    """At tile level they are not followed, at hardware level they are."""
    found: list[str] = []
    for level in ("bind-params", "nvvm"):
        lowering = Lowering(source_of(HANDOFF), verify_sync=False)
        lowering.run(until=level)
        (verdict,) = verdicts(lowering.module)
        found.append(type(verdict).__name__)
    assert found == ["Undecided", "Proved"]
