"""
Whether what one lane of a warp does is ordered with what the others do.

The lanes of a warp need not run in step: only an op that all of them execute together
orders them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from croqtile_mlir.analysis.sync.hardware.events import Event, Kind
from croqtile_mlir.analysis.sync.hardware.values import WARP_LANES
from croqtile_mlir.analysis.sync.verdicts import Undecided

_TOGETHER = frozenset({Kind.WARP_SYNC, Kind.BARRIER, Kind.CLUSTER, Kind.PRODUCT})
_PUBLISHES = frozenset({Kind.ARRIVE, Kind.CP_ARRIVE, Kind.LOAD, Kind.STORE})
_WAITS = frozenset({Kind.WAIT, Kind.WAIT_GROUP})
_HINT = "put nvvm.bar.warp.sync between"


@dataclass
class Lockstep:
    """What lanes did since all of them met."""

    accessed: set[int] = field(default_factory=set[int])
    waited: set[int] | None = None
    """The lanes that waited, where only some did."""

    doubts: list[Undecided] = field(default_factory=list[Undecided])
    """What is only right if the lanes run in step."""

    def copy(self) -> Lockstep:
        """The same, to go on from."""
        waited = None if self.waited is None else set(self.waited)
        return Lockstep(set(self.accessed), waited, self.doubts)

    def joined(self, other: Lockstep) -> Lockstep:
        """After one of two branches."""
        waited = self.waited
        if waited is None or other.waited is None:
            waited = other.waited if waited is None else waited
        else:
            waited = waited & other.waited
        return Lockstep(self.accessed | other.accessed, waited, self.doubts)

    def _doubt(self, event: Event, reason: str) -> None:
        self.doubts.append(Undecided(event.op, f"{reason} is not modelled", _HINT))

    def access(self, event: Event, active: Sequence[int]) -> None:
        """Lanes load or store."""
        if self.waited is not None and not self.waited.issuperset(active):
            self._doubt(event, "an access that only other lanes of the warp wait for")
        self.accessed |= set(active)

    def event(self, event: Event, active: Sequence[int]) -> None:
        """Lanes do something else."""
        together = event.kind in _TOGETHER or event.queue == "wgmma"
        if together and len(active) == WARP_LANES:
            self.accessed.clear()
            self.waited = None
        elif event.kind in _PUBLISHES and not self.accessed.issubset(active):
            self._doubt(
                event, "what some lanes say of accesses by other lanes of the warp"
            )
        elif event.kind in _WAITS and 0 < len(active) < WARP_LANES:
            before = self.waited
            self.waited = set(active) if before is None else before & set(active)
