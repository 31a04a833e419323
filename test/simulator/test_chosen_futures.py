"""Futures that conditions choose, and copies that conditions start or await."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.tile_runs import kinds, told

from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, run_loaded

from .test_futures import at

LEVELS = ("croq", "lower-futures", "insert-barriers", "lower-dma", "nvvm", "ptx")
BARRIERS = "infer-layouts,select-engines,lower-futures,insert-barriers"
FUTURE = "!croq.future<!croq.tile<16x32xf32, shared>>"

HEAD = """
croq.kernel @chosen dims(M multiple_of 4, K multiple_of 4) (
    %in: !croq.tile<[M]x[K]xf32, global>, %out: !croq.tile<[M]x[K]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %k_tiles = croq.cdiv K, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %f0 = croq.any : F
    %f1 = croq.any : F
"""

# Odd tiles go through one buffer, even ones through the other.
SELECT = f"""{HEAD}
    croq.foreach %k in %k_tiles {{
      %bit = arith.andi %k, %one : index
      %odd = arith.cmpi eq, %bit, %one : index
      %f = croq.select %odd, %f0, %f1
      %d = croq.data %f
      %t = croq.subspan %in [16, 32] tile (%bm, %k)
      %g = croq.copy_async %t => %d ENGINE
      croq.await %g
      %full = croq.data %g
      %o = croq.subspan %out [16, 32] tile (%bm, %k)
      croq.copy %full => %o engine(threads)
    }}
  }}
}}
"""

# The same, through another buffer, of which a future stands for none.
STAGED = SELECT.replace(
    "croq.copy %full => %o engine(threads)",
    "croq.copy %full => %staged transpose(1, 0)\n"
    "      croq.copy %staged => %o transpose(1, 0)",
).replace(
    "    %f0 =",
    "    %staged = croq.alloc : !croq.tile<32x16xf32, shared>\n    %f0 =",
)

# The same, negated in the buffer of a future, and again.
NEGATED = SELECT.replace(
    "      croq.copy %full => %o engine(threads)",
    """
      croq.elementwise (%x = %full) => %full {
        %y = arith.negf %x : f32
        croq.yield %y : f32
      }
      croq.elementwise (%x = %full) => %full {
        %y = arith.negf %x : f32
        croq.yield %y : f32
      }
      croq.copy %full => %o engine(threads)""",
)

# The same by results of a condition, one of them no future; both branches start copies.
BRANCHES = f"""{HEAD}
    croq.foreach %k in %k_tiles {{
      %bit = arith.andi %k, %one : index
      %odd = arith.cmpi eq, %bit, %one : index
      %t = croq.subspan %in [16, 32] tile (%bm, %k)
      %col, %g = scf.if %odd -> (index, F) {{
        %d = croq.data %f0
        %h = croq.copy_async %t => %d ENGINE
        scf.yield %k, %h : index, F
      }} else {{
        %d = croq.data %f1
        %h = croq.copy_async %t => %d ENGINE
        scf.yield %k, %h : index, F
      }}
      croq.await %g
      %full = croq.data %g
      %o = croq.subspan %out [16, 32] tile (%bm, %col)
      croq.copy %full => %o engine(threads)
    }}
  }}
}}
"""

# Every other step starts a copy, which the next one awaits: it writes the tile of the
# step before.
AWAITED = f"""{HEAD}
    %l0, %l1 = croq.foreach %k in %k_tiles iter(%now = %f0, %next = %f1) {{
      %bit = arith.andi %k, %one : index
      %even = arith.cmpi eq, %bit, %zero : index
      %started = scf.if %even -> (F) {{
        %t = croq.subspan %in [16, 32] tile (%bm, %k)
        %d = croq.data %next
        %h = croq.copy_async %t => %d ENGINE
        scf.yield %h : F
      }} else {{
        croq.await %now
        %full = croq.data %now
        %o = croq.subspan %out [16, 32] tile (%bm, %k)
        croq.copy %full => %o engine(threads)
        scf.yield %next : F
      }}
      %a, %b = croq.swap %now, %started
      croq.yield %a, %b : F, F
    }}
    %rest = arith.andi %k_tiles, %one : index
    %left = arith.cmpi eq, %rest, %one : index
    scf.if %left {{
      croq.await %l0
    }}
  }}
}}
"""

KERNELS = {
    "select": SELECT,
    "staged": STAGED,
    "negated": NEGATED,
    "branches": BRANCHES,
    "awaited": AWAITED,
}
ENGINES = ("", "engine(threads)", "engine(cp_async)")


def kernel(name: str, engine: str) -> str:
    return re.sub(r"\bF\b", FUTURE, KERNELS[name]).replace("ENGINE", engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", KERNELS)
def test_proved(name: str, engine: str) -> None:
    for passes in ("infer-layouts", BARRIERS):
        ctx = new_context()
        module = parse_text(ctx, kernel(name, engine), "kernel.mlir")
        run_passes(ctx, module, parse_passes(passes))
        (verdict,) = verdicts(module)
        assert isinstance(verdict, Proved), (passes, verdict)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", KERNELS)
def test_runs(name: str, level: str) -> None:
    for engine in ENGINES[:2] if level in ("nvvm", "ptx") else ENGINES[:1]:
        loaded = at(kernel(name, engine), level)
        for tiles in (1, 2, 3, 6):
            rng = np.random.default_rng(tiles)
            given = rng.standard_normal((24, 32 * tiles - 4)).astype(np.float32)
            out = np.full(given.shape, 7, np.float32)
            options = Options("late", checks=level != "ptx")
            report = run_loaded(loaded, (given, out), options)
            assert not report.faults, told(report)
            wanted = given
            if name == "awaited":
                wanted = np.full(given.shape, 7, np.float32)
                for k in range(1, tiles, 2):
                    width = min(32, given.shape[1] - 32 * k)
                    wanted[:, 32 * k : 32 * k + width] = given[
                        :, 32 * (k - 1) : 32 * (k - 1) + width
                    ]
            np.testing.assert_array_equal(out, wanted)


def test_the_other_one_is_read_before_its_copy_is_over() -> None:
    text = kernel("branches", "engine(tma)").replace("croq.await %g", "")
    text = text.replace("croq.copy %full => %o engine(threads)", "AWAIT", 1)
    text = text.replace(
        "AWAIT", "croq.copy %full => %o engine(threads)\n      croq.await %g"
    )
    rng = np.random.default_rng(2)
    given = rng.standard_normal((16, 96)).astype(np.float32)
    out = np.zeros((16, 96), np.float32)
    report = run_loaded(at(text, "croq"), (given, out), Options("late"))
    assert FaultKind.RACE in kinds(report)
