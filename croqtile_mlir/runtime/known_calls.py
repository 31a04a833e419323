"""Calls that differ from an earlier one in addresses and scalars: checked once.

All but the addresses decides whether torch tensors suit a kernel and what grid it gets.
A call of tensors like those of an earlier call reads their addresses, checks that these
are multiples of what they must be, and launches. Whatever else is to be said of its
arguments, the first call said.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from croqtile_mlir.launch_plan import AlignmentCheck, LaunchPlan, ScalarArg, TileArg
from croqtile_mlir.runtime.arrays import DeviceMemory
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.dtypes import DType, dtype_named, pack_scalar
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.outputs import TorchOutput
from croqtile_mlir.runtime.parameters import ParameterLayout, Parameters, no_zeros
from croqtile_mlir.runtime.plain_tensors import are_plain
from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.streams import current_stream, on_stream
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.workspaces import Workspaces

_CALLS = 256
_PACKED = 4096


@dataclass(frozen=True, eq=False)
class KnownCall:
    """What follows from everything but addresses, scalars and stream."""

    device: int
    units: tuple[int, ...]
    """What addresses must be multiples of: of given tiles, then of returned ones."""

    scalars: tuple[tuple[int, str, DType], ...]
    """Which of the arguments are scalars, their names and types."""

    outputs: tuple[TorchOutput, ...]
    enqueue: Enqueue
    layout: ParameterLayout | None
    """None where the grid has no blocks: nothing is launched."""

    maps: TensorMapCache
    workspaces: Workspaces

    @staticmethod
    def of(
        prepared: PreparedLaunch, maps: TensorMapCache, workspaces: Workspaces
    ) -> KnownCall | None:
        """What an earlier call of torch tensors says of others like it.

        None where the zeros that stand for a tensor must be written for every launch.
        """
        plan, layout = prepared.plan, prepared.layout
        if layout is not None and any(each.is_empty for each in layout.maps):
            return None
        device = prepared.kernel.device
        return KnownCall(
            device=device.ordinal,
            units=tuple(_unit(plan, prepared, name) for name in prepared.tensors),
            scalars=tuple(
                (number, arg.name, dtype_named(arg.dtype))
                for number, arg in enumerate(plan.inputs)
                if isinstance(arg, ScalarArg)
            ),
            outputs=tuple(
                TorchOutput.of(plan, tile, prepared.dims, f"cuda:{device.ordinal}")
                for tile in plan.outputs
            ),
            enqueue=prepared.enqueue,
            layout=layout,
            maps=maps,
            workspaces=workspaces,
        )

    def make_outputs(self, stream: int, given: int | None) -> tuple[Any, ...]:
        """The returned tiles; they belong to the given stream where there is one."""
        ordinal = self.device
        elsewhere = given is not None and given != current_stream("torch", ordinal)
        with on_stream("torch", ordinal, stream) if elsewhere else nullcontext():
            return tuple(output.make() for output in self.outputs)

    def pack(
        self,
        addresses: Sequence[int],
        scalars: Sequence[bytes],
        workspace: DeviceMemory | None,
    ) -> Parameters | None:
        """The parameters; None if an address is not the multiple that it must be."""
        layout = self.layout
        if layout is None:
            return Parameters(0, ())
        for address, unit in zip(addresses, self.units, strict=True):
            if address % unit:
                return None
        return layout.pack(addresses, scalars, self.maps, no_zeros, workspace)


Like = tuple[Hashable, ...]
"""All that torch says of the tensors of a call but their addresses."""


@dataclass(frozen=True, eq=False)
class KnownCalls:
    """The latest kinds of calls of one kernel. Safe to share between threads."""

    count: int
    """Arguments that the caller passes."""

    tiles: tuple[int, ...]
    """Which of them are tiles."""

    _calls: BoundedCache[Like, KnownCall] = field(
        default_factory=lambda: BoundedCache[Like, KnownCall](_CALLS)
    )
    _packed: BoundedCache[Hashable, Parameters] = field(
        default_factory=lambda: BoundedCache[Hashable, Parameters](_PACKED)
    )

    @staticmethod
    def of(plan: LaunchPlan) -> KnownCalls:
        """None yet."""
        inputs = plan.inputs
        tiles = [n for n, arg in enumerate(inputs) if isinstance(arg, TileArg)]
        return KnownCalls(len(inputs), tuple(tiles))

    def read(self, args: Sequence[Any]) -> tuple[Like, tuple[int, ...]] | None:
        """What torch says of the tensors, and where they are.

        None unless there are some, and all are plain tensors of torch.
        """
        torch: Any = sys.modules.get("torch")
        if torch is None or len(args) != self.count or not self.tiles:
            return None
        tensors = [args[number] for number in self.tiles]
        if not are_plain(torch, tensors):
            return None
        like: list[Hashable] = []
        addresses: list[int] = []
        for tensor in tensors:
            like.append((tensor.dtype, tensor.shape, tensor.stride(), tensor.device))
            addresses.append(tensor.data_ptr())
        return tuple(like), tuple(addresses)

    def find(self, like: Like) -> KnownCall | None:
        """What is known of calls with such tensors."""
        return self._calls.get(like)

    def add(self, like: Like, known: KnownCall) -> None:
        """Remember a call that was checked."""
        self._calls.put(like, known)

    def launch(
        self,
        known: KnownCall,
        addresses: tuple[int, ...],
        args: Sequence[Any],
        given: int | None,
    ) -> tuple[Any, ...] | None:
        """Launch, and give what the kernel returns.

        None if an address breaks a rule: checking everything will say which.
        """
        scalars: tuple[bytes, ...] = ()
        if known.scalars:
            scalars = tuple(
                pack_scalar(name, dtype, args[number])
                for number, name, dtype in known.scalars
            )
        stream = current_stream("torch", known.device) if given is None else given
        results: tuple[Any, ...] = ()
        if known.outputs:
            results = known.make_outputs(stream, given)
            addresses += tuple(result.data_ptr() for result in results)
        if known.layout is None:
            return results
        workspace = known.workspaces.of(stream)
        key = known, addresses, scalars, workspace
        parameters = self._packed.get(key)
        if parameters is None:
            parameters = known.pack(addresses, scalars, workspace)
            if parameters is None:
                return None
            self._packed.put(key, parameters)
        known.enqueue(stream, parameters.address)
        return results


def _unit(plan: LaunchPlan, prepared: PreparedLaunch, name: str) -> int:
    """What the plan's checks ask of a tile's address; nothing of an empty one."""
    if 0 in prepared.tensors[name].value.shape:
        return 1
    return lcm(
        *(
            check.bytes
            for check in plan.all_checks
            if isinstance(check, AlignmentCheck) and check.arg == name
        )
    )
