"""What the lanes of a warp exchange; inside `parallel` of threads."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.building.checks import check_values, named
from croqtile_mlir.building.core import Building
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import (
    LaneReduction,
    MatchKind,
    ShuffleKind,
    VoteKind,
)


class Lanes(Building):
    """The lanes of an i32 mask, a bit each, execute an op together; else all 32."""

    def lane_id(self) -> SSAValue:
        """The number of the thread in its warp."""
        return self.add(croq.LaneIdOp()).result

    def warp_id(self) -> SSAValue:
        """The number of the warp in its scope."""
        return self.add(croq.WarpIdOp()).result

    def active_mask(self) -> SSAValue:
        """The lanes that execute it."""
        return self.add(croq.ActiveMaskOp()).result

    def shuffle(
        self,
        kind: ShuffleKind | str,
        value: SSAValue,
        by: SSAValue,
        mask: SSAValue | None = None,
    ) -> SSAValue:
        """The value of another lane; `by` is an i32."""
        check_values(value, by, optional=mask)
        how = named(ShuffleKind, kind, "kind")
        return self.made(lambda: croq.ShuffleOp(how, value, by, mask)).result

    def vote(
        self, kind: VoteKind | str, predicate: SSAValue, mask: SSAValue | None = None
    ) -> SSAValue:
        """What the lanes say of an i1; of a `ballot` an i32."""
        check_values(predicate, optional=mask)
        how = named(VoteKind, kind, "kind")
        return self.made(lambda: croq.VoteOp(how, predicate, mask)).result

    def match(
        self, kind: MatchKind | str, value: SSAValue, mask: SSAValue | None = None
    ) -> tuple[SSAValue, ...]:
        """The lanes that have the same value; of `all` also whether all have."""
        check_values(value, optional=mask)
        how = named(MatchKind, kind, "kind")
        return tuple(self.made(lambda: croq.MatchOp(how, value, mask)).results)

    def redux(
        self, kind: LaneReduction | str, value: SSAValue, mask: SSAValue | None = None
    ) -> SSAValue:
        """The values of all lanes, combined."""
        check_values(value, optional=mask)
        how = named(LaneReduction, kind, "kind")
        return self.made(lambda: croq.ReduxOp(how, value, mask)).result

    def elect_lane(self, mask: SSAValue | None = None) -> SSAValue:
        """An `i1` that is true in one lane."""
        check_values(optional=mask)
        return self.made(lambda: croq.ElectLaneOp(mask)).result

    def warp_barrier(self, mask: SSAValue | None = None) -> None:
        """The lanes meet; what they did to memory before is seen by all after."""
        check_values(optional=mask)
        self.made(lambda: croq.WarpBarrierOp(mask))

    def warpgroup_barrier(self) -> None:
        """The threads of the warpgroup meet; what they did before is seen by all."""
        self.made(croq.WarpgroupBarrierOp)
