"""Calls that differ from an earlier one in addresses and scalars: checked once.

All but the addresses decides whether tensors suit a kernel and what grid it gets.
A call of tensors like those of an earlier call reads their addresses, checks that these
are multiples of what they must be, and launches. Whatever else is to be said of its
arguments, the first call said.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from croqtile_mlir.launch.plan import AlignmentCheck, LaunchPlan, TileArg
from croqtile_mlir.runtime.array_library import (
    Addresses,
    ArrayLibrary,
)
from croqtile_mlir.runtime.arrays import DeviceMemory
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.call_kinds import CallKinds
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.outputs import ReturnedTile
from croqtile_mlir.runtime.parameters import ParameterLayout, no_zeros
from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.repeated_calls import Again, Repeats
from croqtile_mlir.runtime.replay import Replay
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments
from croqtile_mlir.runtime.streams import on_stream
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.workspaces import Workspaces

_REPLAYS = 1024


def calls_of(plan: LaunchPlan, again: list[Again]) -> CallKinds[KnownCall]:
    """Calls of a kernel: none yet. `again` is told what launches the latest ones."""
    inputs = plan.inputs
    tiles = [n for n, arg in enumerate(inputs) if isinstance(arg, TileArg)]
    return CallKinds(len(inputs), tuple(tiles), ScalarArguments.of(plan), again)


@dataclass(frozen=True, eq=False)
class KnownCall:
    """What follows from everything but addresses, scalars and stream."""

    library: ArrayLibrary
    device: int
    units: tuple[int, ...]
    """What addresses must be multiples of: of given tiles, then of returned ones.

    0: of an empty tile, whose address is never used.
    """

    scalars: ScalarArguments | None
    """None: there are none."""

    outputs: tuple[ReturnedTile, ...]
    enqueue: Enqueue
    layout: ParameterLayout | None
    """None where the grid has no blocks: nothing is launched."""

    maps: TensorMapCache
    workspaces: Workspaces | None
    """None: the kernel has none."""

    stream: Callable[[int], int]
    """The library's current stream on a device."""

    is_repeatable: bool
    """Whether launches differ in addresses and scalars alone."""

    replays: BoundedCache[Hashable, Replay] = field(
        default_factory=lambda: BoundedCache[Hashable, Replay](_REPLAYS)
    )
    """By addresses and scalars, if there are any, and then by workspace."""

    @staticmethod
    def of(
        prepared: PreparedLaunch,
        library: ArrayLibrary,
        maps: TensorMapCache,
        workspaces: Workspaces,
    ) -> KnownCall | None:
        """What an earlier call of a library's tensors says of others like it.

        None where the zeros that stand for a tensor must be written for every launch.
        """
        plan, layout = prepared.plan, prepared.layout
        if layout is not None and any(each.is_empty for each in layout.maps):
            return None
        device = prepared.kernel.device
        return KnownCall(
            library=library,
            device=device.ordinal,
            units=tuple(_unit(plan, prepared, name) for name in prepared.tensors),
            scalars=ScalarArguments.of(plan),
            outputs=tuple(
                library.result(plan, tile, prepared.dims, device.ordinal)
                for tile in plan.outputs
            ),
            enqueue=prepared.enqueue,
            layout=layout,
            maps=maps,
            workspaces=workspaces if workspaces.size else None,
            stream=library.current_stream(),
            is_repeatable=not (plan.outputs or workspaces.size or layout is None),
        )

    @property
    def repeats(self) -> Repeats | None:
        """What is launched by addresses and scalars alone."""
        if not self.is_repeatable:
            return None
        return Repeats(self.replays, self.device, self.stream)

    def launch(
        self, addresses: Addresses, args: Sequence[Any], given: int | None
    ) -> tuple[Any, ...] | None:
        """Launch, and give what the kernel returns.

        None if an address breaks a rule: checking everything will say which.
        """
        stream = self.stream(self.device) if given is None else given
        scalars = b"" if self.scalars is None else self.scalars.pack(args)
        results: tuple[Any, ...] = ()
        if self.outputs:
            results = self._make_outputs(stream, given)
            addresses += tuple(map(self.library.address_of, results))
        if self.layout is None:
            return results
        key: Hashable = addresses if self.scalars is None else (addresses, scalars)
        workspace = None
        if self.workspaces is not None:
            workspace = self.workspaces.of(stream)
            key = key, workspace
        replay = self.replays.get(key)
        if replay is None:
            replay = self._pack(self.layout, addresses, scalars, workspace)
            if replay is None:
                return None
            self.replays.put(key, replay)
        replay(stream)
        return results

    def _make_outputs(self, stream: int, given: int | None) -> tuple[Any, ...]:
        """The returned tiles; they belong to the given stream where there is one."""
        ordinal = self.device
        elsewhere = given is not None and given != self.stream(ordinal)
        name = self.library.name
        with on_stream(name, ordinal, stream) if elsewhere else nullcontext():
            return tuple(output.make() for output in self.outputs)

    def _pack(
        self,
        layout: ParameterLayout,
        addresses: Sequence[int],
        packed: bytes,
        workspace: DeviceMemory | None,
    ) -> Replay | None:
        """The launch; None if an address is not the multiple that it must be."""
        for address, unit in zip(addresses, self.units, strict=True):
            if unit and (address % unit or not address):
                return None
        scalars = () if self.scalars is None else self.scalars.split(packed)
        parameters = layout.pack(addresses, scalars, self.maps, no_zeros, workspace)
        return Replay.of(self.enqueue, parameters)


def _unit(plan: LaunchPlan, prepared: PreparedLaunch, name: str) -> int:
    """What the plan's checks ask of a tile's address; of an empty one not even one."""
    if 0 in prepared.tensors[name].value.shape:
        return 0
    return lcm(
        *(
            check.bytes
            for check in plan.all_checks
            if isinstance(check, AlignmentCheck) and check.arg == name
        )
    )
