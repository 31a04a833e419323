"""One lane of a warp, and waits for an mbarrier: by what the target has for them."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

BACK_OFF = 32
"""Nanoseconds between two tests of a phase, where the hardware does not wait itself."""


def one_lane(builder: LocatedBuilder, target: Architecture) -> SSAValue:
    """
    True in one lane, the same one every time; all lanes of the warp must execute it.

    Without `elect.sync` that is lane 0.
    """
    if target.has("elect"):
        return builder.insert(nvvm.ElectSyncOp()).result
    lane = builder.insert(nvvm.LaneIdOp()).result
    return builder.cmp("eq", lane, 0)


def spin(
    builder: LocatedBuilder, pointer: SSAValue, parity: SSAValue, target: Architecture
) -> scf.WhileOp:
    """
    A loop that ends when the phase of that parity is over, at the builder's location.

    `try_wait` keeps the thread waiting for a while; where only `test_wait` exists, the
    thread sleeps between two tests and leaves the issue slots to others.
    """
    before, after = Block(), Block()
    test = LocatedBuilder.at_end(before, builder.location)
    again = LocatedBuilder.at_end(after, builder.location)
    if target.has("mbarrier_tx"):
        done = test.insert(nvvm.MbarrierTryWaitOp(pointer, parity)).ready
    else:
        done = test.insert(nvvm.MbarrierTestWaitOp(pointer, parity)).ready
        again.insert(nvvm.NanosleepOp(again.i32(BACK_OFF)))
    test.insert(scf.ConditionOp(test.not_(done)))
    again.insert(scf.YieldOp())
    return scf.WhileOp([], [], Region(before), Region(after))
