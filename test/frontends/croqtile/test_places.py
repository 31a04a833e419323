"""The places of ops in the source, through all levels."""

from __future__ import annotations

import re
from functools import cache
from io import StringIO

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.compiler import source_of
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError, location_of
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator.simulate import SimulationError
from croqtile_mlir.targets.ptx import PTXTarget

BEYOND = """\
__co__ void beyond(s32 [N] x, s32 [N] y) {
  parallel b by cdiv(N, 32) : block
    parallel t by 32 : thread {
      a = x.at(b # t);
      y.at(b # t) = a
        + 1;
    }
}
"""

RACE = """\
__co__ void race(s32 [32] x) {
  parallel by 1 : block {
    shared s32 [32] s;
    parallel t by 32 : thread {
      s.at(t) = x.at(t);
      x.at(t) = s.at(31 - t);
    }
  }
}
"""

AHEAD = """\
__co__ void ahead(f32 [N, 32] x, f32 [32] r) {
  parallel by 1 : block
    parallel t by 32 : thread
      with k in [N] {
        q0 = dma.copy x.chunkat(k, _) => shared;
        q1 = dma.any;
        foreach k(1:) {
          q1 = dma.copy.async x.chunkat(k, _) => shared;
          r.at(t) = q0.data.at(0, t);
          swap(q0, q1);
        }
      }
}
"""


@cache
def kernel(text: str) -> Kernel:
    return croqtile_mlir.compile(text)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_simulator_names_the_source(level: str):
    x = np.arange(40, dtype=np.int32)
    with pytest.raises(SimulationError) as caught:
        kernel(BEYOND).simulate(x, np.zeros_like(x), level=level)
    places = {str(fault.diagnostic().location) for fault in caught.value.faults}
    assert places <= {"<string>:4:11", "<string>:5:7"}
    assert "<string>:4:11" in places


def test_every_op_has_a_place_at_every_level():
    lowering = Lowering(source_of(BEYOND))
    for level in ("croq", "nvvm", "ptx"):
        lowering.run(until=level)
        for op in lowering.module.walk():
            if op is lowering.module:
                continue
            place = location_of(op)
            assert place.file == "<string>", (level, op.name)
            assert 1 <= place.line <= 8, (level, op.name)


def test_text_for_the_assembler_names_the_source():
    lowering = Lowering(source_of(BEYOND))
    lowering.run()
    text = StringIO()
    PTXTarget(line_info=True).emit(new_context(), lowering.module, text)
    assert '.file 1 "<string>"' in text.getvalue()
    lines = re.findall(r"\.loc 1 (\d+) (\d+)", text.getvalue())
    assert ("4", "11") in lines
    assert ("5", "7") in lines


@pytest.mark.parametrize(
    ("text", "place"), [(RACE, "<string>:6:17"), (AHEAD, "<string>:8:11")]
)
def test_verifier_names_the_source(text: str, place: str):
    with pytest.raises(CompileError) as caught:
        croqtile_mlir.compile(text)
    found = [str(caught.value.location)]
    found += [str(note.location) for note in caught.value.notes]
    assert place in found, str(caught.value)
