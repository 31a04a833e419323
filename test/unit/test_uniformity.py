"""What threads share: of values and of ops, at tile level and at hardware level."""

from __future__ import annotations

import pytest
from pipeline.lowering import parse, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.uniformity import (
    Uniformity,
    divergence,
    divergence_chain,
    uniformity,
)

TILE = """
croq.kernel @k dims(N) (%x: !croq.tile<[N]xf32, global>) {
  %n = croq.cdiv N, 128
  croq.parallel (%b) in (%n) : block {
    %one = arith.constant 1 : index
    %32 = arith.constant 32 : index
    %48 = arith.constant 48 : index
    %thread = croq.thread_id
    %warp = arith.divui %thread, %32 : index
    %later = arith.addi %thread, %32 : index
    %next_warp = arith.divui %later, %32 : index
    %shifted = arith.addi %thread, %one : index
    %128 = arith.constant 128 : index
    %of_four = arith.divui %thread, %128 : index
    %not_four = arith.divui %later, %128 : index
    %no_warp = arith.divui %shifted, %32 : index
    %group = arith.divui %thread, %48 : index
    %leader = croq.elect
    %warp_id = croq.warp_id
    %of_block = arith.addi %b, %one : index
    %sum = croq.foreach %k in %n iter(%s = %one) {
      %t = arith.addi %s, %k : index
      croq.yield %t : index
    }
    %mixed, %even = croq.foreach %k in %n iter(%s = %one, %u = %one) {
      %t = arith.addi %s, %thread : index
      croq.yield %t, %u : index, index
    }
    %trips = croq.foreach %k in %thread iter(%s = %one) {
      croq.yield %s : index
    }
    %either, %same = scf.if %leader -> (index, index) {
      scf.yield %one, %b : index, index
    } else {
      scf.yield %one, %b : index, index
    }
    %way = arith.cmpi ult, %b, %one : index
    %left, %right = scf.if %way -> (index, index) {
      scf.yield %thread, %b : index, index
    } else {
      scf.yield %one, %one : index, index
    }
    croq.parallel (%row, %col) in (4, 32) : thread {
      %at_row = croq.load %x[%row]
      %at_col = croq.load %x[%col]
      %at_block = croq.load %x[%b]
      %own = arith.index_cast %col : index to i32
      %whole = arith.index_cast %b : index to i32
      %like_own = croq.match any %own : i32 -> i32
      %like_whole = croq.match any %whole : i32 -> i32
      %all_own, %are_own = croq.match all %own : i32 -> i32, i1
      %all_some, %are_some = croq.match all %whole mask %own : i32 -> i32, i1
      %active = croq.active_mask
    }
    croq.parallel (%far, %near) in (8, 16) : thread {
      %at_far = croq.load %x[%far]
    }
    croq.parallel (%w) in (4) : warp {
      %at_w = croq.load %x[%w]
    }
    croq.parallel (%g) in (1) : warpgroup {
      %at_g = croq.load %x[%g]
    }
  }
}
"""

AT_TILE_LEVEL = {
    "thread": Uniformity.THREAD,
    "warp": Uniformity.WARP,
    "next_warp": Uniformity.WARP,
    "of_four": Uniformity.WARPGROUP,
    "not_four": Uniformity.WARP,
    "no_warp": Uniformity.THREAD,
    "group": Uniformity.THREAD,
    "leader": Uniformity.THREAD,
    "of_block": Uniformity.BLOCK,
    "warp_id": Uniformity.WARP,
    "like_own": Uniformity.THREAD,
    "like_whole": Uniformity.BLOCK,
    "all_own": Uniformity.WARP,
    "all_some": Uniformity.THREAD,
    "active": Uniformity.THREAD,
    "n": Uniformity.BLOCK,
    "sum": Uniformity.BLOCK,
    "mixed": Uniformity.THREAD,
    "even": Uniformity.BLOCK,
    "trips": Uniformity.THREAD,
    "either": Uniformity.THREAD,
    "left": Uniformity.THREAD,
    "right": Uniformity.BLOCK,
    "at_row": Uniformity.WARP,
    "at_col": Uniformity.THREAD,
    "at_block": Uniformity.BLOCK,
    "at_far": Uniformity.THREAD,
    "at_w": Uniformity.WARP,
    "at_g": Uniformity.WARPGROUP,
}

HARDWARE = """
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @k(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  %31 = arith.constant 31 : i32
  %narrow = arith.constant 4127 : i32
  %all = arith.constant -1 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %below = nvvm.read.ptx.sreg.lanemask.lt : i32
  %warp = nvvm.read.ptx.sreg.warpid : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %ticks = nvvm.read.ptx.sreg.clock64 : i64
  %shifted = arith.shrui %tid, %five : i32
  %eighth = arith.shrui %tid, %three : i32
  %elected = nvvm.elect.sync -> i1
  %from_lane = nvvm.shfl.sync idx %all, %tid, %one, %31 : i32 -> i32
  %from_own = nvvm.shfl.sync idx %all, %tid, %lane, %31 : i32 -> i32
  %from_part = nvvm.shfl.sync idx %all, %tid, %one, %narrow : i32 -> i32
  %turned = nvvm.shfl.sync bfly %all, %tid, %one, %31 : i32 -> i32
  %c = arith.cmpi ult, %tid, %n : i32
  %bits = nvvm.vote.sync ballot %all, %c -> i32
  %some = nvvm.vote.sync any %below, %c -> i1
  %sum = nvvm.redux.sync add %lane, %all : i32 -> i32
  %like = nvvm.match.sync any %all, %lane : i32 -> i32
  %like_all = nvvm.match.sync any %all, %n : i32 -> i32
  %alike = nvvm.match.sync all %all, %lane : i32 -> !llvm.struct<(i32, i1)>
  %alike_of_some = nvvm.match.sync all %below, %n : i32 -> !llvm.struct<(i32, i1)>
  %active = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
  %at = llvm.load %p : !llvm.ptr<1> -> i32
  %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %own = llvm.load %q : !llvm.ptr<1> -> i32
  llvm.return
}
}
}
"""

AT_HARDWARE_LEVEL = {
    "tid": Uniformity.THREAD,
    "lane": Uniformity.THREAD,
    "below": Uniformity.THREAD,
    "warp": Uniformity.WARP,
    "block": Uniformity.BLOCK,
    "ticks": Uniformity.THREAD,
    "shifted": Uniformity.WARP,
    "eighth": Uniformity.THREAD,
    "elected": Uniformity.THREAD,
    "from_lane": Uniformity.WARP,
    "from_own": Uniformity.THREAD,
    "from_part": Uniformity.THREAD,
    "turned": Uniformity.THREAD,
    "c": Uniformity.THREAD,
    "bits": Uniformity.WARP,
    "some": Uniformity.THREAD,
    "sum": Uniformity.WARP,
    "like": Uniformity.THREAD,
    "like_all": Uniformity.BLOCK,
    "alike": Uniformity.WARP,
    "alike_of_some": Uniformity.THREAD,
    "active": Uniformity.THREAD,
    "at": Uniformity.BLOCK,
    "own": Uniformity.THREAD,
}


def _named(module: ModuleOp) -> dict[str, SSAValue]:
    return {
        result.name_hint: result
        for op in module.walk()
        for result in op.results
        if result.name_hint is not None
    }


@pytest.mark.parametrize(
    ("text", "expected"), [(TILE, AT_TILE_LEVEL), (HARDWARE, AT_HARDWARE_LEVEL)]
)
def test_values(text: str, expected: dict[str, Uniformity]):
    values = _named(parse(text))
    assert {name: uniformity(values[name]) for name in expected} == expected


def test_chain_leads_to_the_source():
    values = _named(parse(TILE))
    names = [op.name for op in divergence_chain(values["no_warp"])]
    assert names == ["arith.divui", "arith.addi", "croq.thread_id"]
    assert divergence_chain(values["warp"], Uniformity.WARP) == ()
    names = [op.name for op in divergence_chain(values["warp"])]
    assert names == ["arith.divui", "croq.thread_id"]
    last = divergence_chain(values["at_row"])[-1]
    assert last.name == "croq.parallel"


CONTROL = """
croq.kernel @k dims(N) () {
  %n = croq.cdiv N, 128
  croq.parallel (%b) in (%n) : block {
    %thread = croq.thread_id
    %c = arith.cmpi ult, %thread, %b : index
    %d = arith.cmpi ult, %n, %b : index
    scf.if %d {
      croq.barrier {here = "uniform"}
      scf.if %c {
        croq.barrier {here = "divergent"}
      }
      croq.foreach %k in %thread {
        croq.barrier {here = "loop"}
      }
    }
    croq.parallel (%t) in (128) : thread {
      croq.barrier {here = "thread"}
    }
  }
}
"""


def test_ops():
    module = parse(CONTROL)
    found: dict[str, Operation | None] = {}
    for op in module.walk():
        if (here := op.attributes.get("here")) is not None:
            found[str(here)] = divergence(op)
    causes = {
        where: None if op is None else op.name
        for where, op in ((each.strip('"'), op) for each, op in found.items())
    }
    assert causes == {
        "uniform": None,
        "divergent": "croq.thread_id",
        "loop": "croq.thread_id",
        "thread": "croq.parallel",
    }


def test_roles_of_warps_are_uniform_after_the_lowering():
    """Conditions that choose a role are of whole warps: they stay branches."""
    text = """
croq.kernel @k dims(N) (%x: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %zero = arith.constant 0.0 : f32
    croq.role "a" warps [0, 1) {
      croq.parallel (%t) in (32) : thread {
        croq.store %zero, %x[%t]
      }
    }
    croq.role "b" warps [1, 2) {
      croq.barrier
    }
  }
}
"""
    module = parse(text)
    run(module, "infer-layouts,insert-barriers,lower-events,lower-dma,lower-mma")
    run(module, "insert-fences,lower-views,lower-parallel,narrow-index")
    levels = {uniformity(op.operands[0]) for op in module.walk() if op.name == "scf.if"}
    assert levels <= {Uniformity.WARP, Uniformity.BLOCK}
    assert Uniformity.WARP in levels
