"""Ops of hardware in a kernel that is half way down: mbarriers in croq buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.sync.model import (
    Action,
    Arrive,
    Barrier,
    Constant,
    Expr,
    Next,
    Parity,
    SlotOf,
    Wait,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import AddressOp, AllocOp, ParallelOp
from croqtile_mlir.lowering.rewriting import constant_value

_ORDERS_NOTHING = (
    nvvm.MbarrierInitOp,
    nvvm.BarWarpSyncOp,
    nvvm.ElectSyncOp,
    nvvm.FenceMbarrierInitOp,
    nvvm.MapaOp,
)


@dataclass(frozen=True)
class Mbarriers:
    """The mbarriers of a block, by the buffers that hold them."""

    rings: dict[SSAValue, Barrier]

    @staticmethod
    def of(block: ParallelOp) -> Mbarriers:
        """The mbarriers that a block initialises."""
        rings: dict[SSAValue, Barrier] = {}
        for op in block.walk():
            if not isinstance(op, nvvm.MbarrierInitOp):
                continue
            owner, count = op.addr.owner, constant_value(op.count)
            if not isinstance(owner, AddressOp) or count is None:
                raise NotModelled(op, "an mbarrier is at an address that is not known")
            buffer = owner.tile.owner
            slots = buffer.tile_type.static_dims if isinstance(buffer, AllocOp) else ()
            if not slots or len(slots) != 1:
                raise NotModelled(op, "an mbarrier is in no ring of its own")
            known = rings.get(owner.tile)
            if known is not None and known.arrivals != count:
                raise NotModelled(op, "mbarriers of one ring need different arrivals")
            if known is None:
                name = f"%{owner.tile.name_hint or 'mbarrier'}"
                rings[owner.tile] = Barrier(name, slots[0], count, op)
        return Mbarriers(rings)

    def slot_of(self, pointer: SSAValue, op: Operation, values: Values) -> SlotOf:
        """The mbarrier at an address."""
        owner = pointer.owner
        if isinstance(owner, AddressOp) and len(owner.index_values) == 1:
            ring = self.rings.get(owner.tile)
            if ring is not None:
                return SlotOf(ring, values.index(owner.index_values[0], owner))
        raise NotModelled(op, "an mbarrier is at an address that is not known")

    def wait(self, op: scf.WhileOp, values: Values) -> Wait | None:
        """The wait that a loop around a test of a phase is."""
        tests = [
            inner
            for inner in op.before_region.block.ops
            if isinstance(inner, nvvm.MbarrierTryWaitOp | nvvm.MbarrierTestWaitOp)
        ]
        if len(tests) != 1 or op.res:
            return None
        test = tests[0]
        at = self.slot_of(test.addr, test, values)
        return Wait(test, at, Parity(values.value(test.state_or_phase)))


def _reached(address: SSAValue, values: Values) -> tuple[SSAValue, Expr | None]:
    """An address in the own block, and which blocks of the cluster it is of."""
    if not isinstance(owner := address.owner, nvvm.MapaOp):
        return address, None
    one = Constant(1)
    return owner.addr, values.make.apply("shl", one, values.value(owner.rank))


def other_op(op: Operation, mbarriers: Mbarriers, values: Values) -> Sequence[Action]:
    """What an op of hardware level does."""
    match op:
        case nvvm.MbarrierArriveOp():
            count = 1 if op.count is None else constant_value(op.count)
            if count is None:
                raise NotModelled(op, "the number of arrivals is not known")
            address, ranks = _reached(op.addr, values)
            at = mbarriers.slot_of(address, op, values)
            return (Arrive(op, at, Next(), count, per_lane=True, ranks=ranks),)
        case nvvm.CpAsyncMbarrierArriveOp():
            # The copies hold the phase up as bytes; without `noinc` nothing else does.
            if not op.noinc.value.data:
                return ()
            at = mbarriers.slot_of(op.addr, op, values)
            return (Arrive(op, at, Next(), per_lane=True),)
        case nvvm.MbarrierArriveExpectTxOp() | nvvm.MbarrierExpectTxOp():
            count = 1 if isinstance(op, nvvm.MbarrierArriveExpectTxOp) else 0
            at = mbarriers.slot_of(op.addr, op, values)
            announced = values.value(op.bytes)
            return (
                Arrive(
                    op,
                    at,
                    Next(),
                    count,
                    per_lane=True,
                    announced_bytes=announced,
                ),
            )
        case _ if isinstance(op, _ORDERS_NOTHING) or "sreg" in op.name:
            return ()
        case _:
            raise NotModelled(
                op,
                f"{op.name} is in a kernel between the levels",
                "verify at tile level, or at hardware level",
            )
