"""Arrays of events, and ops on all slots of an event."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.context import new_context
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

EXCHANGE = """
croq.kernel @exchange dims(N) params(R = 2) (
    %x: !croq.tile<[N]x2x3x32xi32, global>, %y: !croq.tile<[N]x2x3x32xi32, global>) {
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<[R]x3>
    %empty = croq.event : !croq.event<[R]x3>
    %data = croq.alloc : !croq.tile<2x3x32xi32, shared>
    croq.role "writer" warps [0, 1) {
      croq.foreach %n in N {
        croq.wait %empty all
        croq.foreach (%i, %j) in (2, 3) {
          croq.parallel (%t) in (32) : thread {
            %v = croq.load %x[%n, %i, %j, %t]
            croq.store %v, %data[%i, %j, %t]
          }
          croq.trigger %full[%i, %j]
        }
      }
      croq.wait %empty
    }
    croq.role "reader" warps [1, 2) {
      croq.trigger %empty
      croq.foreach %n in N {
        croq.foreach (%i, %j) in (2, 3) {
          croq.wait %full[%i, %j]
          croq.parallel (%t) in (32) : thread {
            %c31 = arith.constant 31 : index
            %away = arith.subi %c31, %t : index
            %v = croq.load %data[%i, %j, %away]
            croq.store %v, %y[%n, %i, %j, %t]
          }
        }
        croq.trigger %empty all
      }
    }
  }
}
"""
"""A role fills six parts of a buffer; another takes each, and frees all at once."""

CHECKED = ("croq", "insert-barriers", "nvvm")


@lru_cache(maxsize=32)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize(
    ("n", "policy"), [(0, "rr"), (1, "late"), (2, "rr"), (5, "random:1")]
)
def test_exchange(n: int, level: str, policy: str) -> None:
    x = np.random.default_rng(n).integers(-99, 99, (n, 2, 3, 32), np.int32)
    y = np.zeros_like(x)
    report = run(loaded(EXCHANGE, level), x, y, options=Options(policy))
    assert not report.faults
    assert (y == x[..., ::-1]).all()


def test_arrays_as_they_are_written() -> None:
    """Before any pass: the simulator knows arrays and all slots."""
    lowering = Lowering(source_of(EXCHANGE), verify_sync=False)
    lowering.run(until="bind-params")
    text = str(lowering.module)
    assert "!croq.event<2x3>" in text
    x = np.random.default_rng(3).integers(-99, 99, (3, 2, 3, 32), np.int32)
    y = np.zeros_like(x)
    assert not run(lowering.module, x, y).faults
    assert (y == x[..., ::-1]).all()


FAULTS = [
    ("croq.trigger %full[%i, %j]", "croq.trigger %full[%i, 0]", FaultKind.DEADLOCK),
    ("croq.wait %empty all", "croq.wait %empty[0, 1]", FaultKind.PHASE_OVERRUN),
    ("      croq.trigger %empty\n", "", FaultKind.DEADLOCK),
    ("croq.wait %full[%i, %j]", "croq.wait %full[%i, 2]", FaultKind.RACE),
]


@pytest.mark.parametrize(("old", "new", "kind"), FAULTS)
def test_planted_faults(old: str, new: str, kind: FaultKind) -> None:
    text = EXCHANGE.replace(old, new)
    assert text != EXCHANGE
    x = np.random.default_rng(1).integers(-99, 99, (3, 2, 3, 32), np.int32)
    for level in ("croq", "nvvm"):
        report = run(loaded(text, level), x, np.zeros_like(x))
        kinds = {fault.kind for fault in report.faults}
        assert kinds & {kind, FaultKind.DEADLOCK}, level


def verdict(text: str, level: str) -> str:
    lowering = Lowering(source_of(text), verify_sync=False)
    lowering.run(until=level)
    (found,) = verdicts(lowering.module)
    return type(found).__name__


@pytest.mark.parametrize("level", ["select-engines", "insert-barriers", "nvvm"])
def test_it_is_proved(level: str) -> None:
    assert verdict(EXCHANGE, level) == "Proved"


@pytest.mark.parametrize(("old", "new", "kind"), FAULTS)
def test_faults_are_refuted(old: str, new: str, kind: FaultKind) -> None:
    assert verdict(EXCHANGE.replace(old, new), "select-engines") == "Refuted", kind


def test_an_array_that_is_not_expanded_is_undecided() -> None:
    lowering = Lowering(source_of(EXCHANGE), verify_sync=False)
    lowering.run(until="bind-params")
    (found,) = verdicts(lowering.module)
    assert "an array of events" in str(found)
    run_passes(new_context(), lowering.module, parse_passes("expand-events"))
    (found,) = verdicts(lowering.module)
    assert type(found).__name__ == "Proved"
