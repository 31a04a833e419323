"""Calls that differ from an earlier one in addresses and scalars: checked once.

All but the addresses decides whether torch tensors suit a kernel and what grid it gets.
A call of tensors like those of an earlier call reads their addresses, checks that these
are multiples of what they must be, and launches. Whatever else is to be said of its
arguments, the first call said.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import lcm
from typing import Any, NamedTuple

from croqtile_mlir.launch.plan import AlignmentCheck, LaunchPlan, TileArg
from croqtile_mlir.runtime.arrays import DeviceMemory
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.outputs import TorchOutput
from croqtile_mlir.runtime.parameters import ParameterLayout, Parameters, no_zeros
from croqtile_mlir.runtime.plain_tensors import are_plain
from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments, chosen
from croqtile_mlir.runtime.streams import current_stream_of, on_stream
from croqtile_mlir.runtime.tensor_guards import Guard, guard_of
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.workspaces import Workspaces

_CALLS = 256
_PACKED = 1024
_GUARDS = 4
"""Calls that are compared one by one; more of them are faster found by hash."""


@dataclass(frozen=True, eq=False)
class KnownCall:
    """What follows from everything but addresses, scalars and stream."""

    device: int
    units: tuple[int, ...]
    """What addresses must be multiples of: of given tiles, then of returned ones."""

    scalars: ScalarArguments | None
    """None: there are none."""

    outputs: tuple[TorchOutput, ...]
    enqueue: Enqueue
    layout: ParameterLayout | None
    """None where the grid has no blocks: nothing is launched."""

    maps: TensorMapCache
    workspaces: Workspaces | None
    """None: the kernel has none."""

    stream: Callable[[int], int]
    """torch's current stream on a device."""

    is_repeatable: bool
    """Whether launches differ in addresses and scalars alone."""

    packed: BoundedCache[Hashable, Parameters] = field(
        default_factory=lambda: BoundedCache[Hashable, Parameters](_PACKED)
    )
    """By addresses and scalars, if there are any, and then by workspace."""

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
            scalars=ScalarArguments.of(plan),
            outputs=tuple(
                TorchOutput.of(plan, tile, prepared.dims, f"cuda:{device.ordinal}")
                for tile in plan.outputs
            ),
            enqueue=prepared.enqueue,
            layout=layout,
            maps=maps,
            workspaces=workspaces if workspaces.size else None,
            stream=current_stream_of(sys.modules["torch"]),
            is_repeatable=not (plan.outputs or workspaces.size or layout is None),
        )

    def launch(
        self, addresses: tuple[int, ...], args: Sequence[Any], given: int | None
    ) -> tuple[Any, ...] | None:
        """Launch, and give what the kernel returns.

        None if an address breaks a rule: checking everything will say which.
        """
        stream = self.stream(self.device) if given is None else given
        scalars = b"" if self.scalars is None else self.scalars.pack(args)
        results: tuple[Any, ...] = ()
        if self.outputs:
            results = self._make_outputs(stream, given)
            addresses += tuple(result.data_ptr() for result in results)
        if self.layout is None:
            return results
        key: Hashable = addresses if self.scalars is None else (addresses, scalars)
        workspace = None
        if self.workspaces is not None:
            workspace = self.workspaces.of(stream)
            key = key, workspace
        parameters = self.packed.get(key)
        if parameters is None:
            parameters = self._pack(self.layout, addresses, scalars, workspace)
            if parameters is None:
                return None
            self.packed.put(key, parameters)
        self.enqueue(stream, parameters.address)
        return results

    def _make_outputs(self, stream: int, given: int | None) -> tuple[Any, ...]:
        """The returned tiles; they belong to the given stream where there is one."""
        ordinal = self.device
        elsewhere = given is not None and given != self.stream(ordinal)
        with on_stream("torch", ordinal, stream) if elsewhere else nullcontext():
            return tuple(output.make() for output in self.outputs)

    def _pack(
        self,
        layout: ParameterLayout,
        addresses: Sequence[int],
        packed: bytes,
        workspace: DeviceMemory | None,
    ) -> Parameters | None:
        """The parameters; None if an address is not the multiple that it must be."""
        for address, unit in zip(addresses, self.units, strict=True):
            if address % unit:
                return None
        scalars = () if self.scalars is None else self.scalars.split(packed)
        return layout.pack(addresses, scalars, self.maps, no_zeros, workspace)


Like = tuple[Hashable, ...]
"""All that torch says of the tensors of a call but their addresses."""


Again = Callable[[Sequence[Any], int | None], bool]
"""Given the arguments of a call and its stream, if it has one: whether it launched."""


class _Guarded(NamedTuple):
    """A known call, found without asking the tensors for what they are."""

    guard: Guard
    address: Callable[[Any], int]
    """That of a tensor."""

    known: KnownCall
    again: Again | None
    """None where launches differ in more than addresses and scalars."""


def _again(
    count: int,
    tiles: Sequence[int],
    guard: Guard,
    address: Callable[[Any], int],
    known: KnownCall,
) -> Again:
    """Launches what was launched before, on a stream that it was launched on.

    What `KnownCalls.launch` does for tensors at addresses that were seen, with next to
    no calls of Python code: on an H200 machine each takes a fifteenth of a bare launch.
    """
    scalars, packed, enqueue = known.scalars, known.packed, known.enqueue
    launches, current, device = enqueue.launches, known.stream, known.device
    pick = chosen(tiles)

    def again(args: Sequence[Any], given: int | None) -> bool:
        if len(args) != count:
            return False
        tensors = args if scalars is None else pick(args)
        if not guard(*tensors):
            return False
        key: Hashable = tuple(map(address, tensors))
        if scalars is not None:
            key = key, scalars.pack(args)
        parameters = packed.get(key)
        if parameters is None:
            return False
        launch = launches.get(current(device) if given is None else given)
        if launch is None:
            return False
        status = launch(parameters.address, 0)[0]
        if status:
            enqueue.retry(launch, parameters.address, status)
        return True

    return again


@dataclass(frozen=True, eq=False)
class KnownCalls:
    """The latest kinds of calls of one kernel. Safe to share between threads."""

    count: int
    """Arguments that the caller passes."""

    tiles: tuple[int, ...]
    """Which of them are tiles."""

    _calls: BoundedCache[Like, _Guarded] = field(
        default_factory=lambda: BoundedCache[Like, _Guarded](_CALLS)
    )
    _latest: list[_Guarded] = field(default_factory=list[_Guarded])
    """The latest of them, the last one first."""

    again: list[Again] = field(default_factory=list[Again])
    """Those of them that differ in addresses and scalars alone."""

    @staticmethod
    def of(plan: LaunchPlan) -> KnownCalls:
        """None yet."""
        inputs = plan.inputs
        tiles = [n for n, arg in enumerate(inputs) if isinstance(arg, TileArg)]
        return KnownCalls(len(inputs), tuple(tiles))

    def launch(self, args: Sequence[Any], given: int | None) -> tuple[Any, ...] | None:
        """Launch if all tiles are torch's, and like those of an earlier call.

        None if they are not, or an address breaks a rule.
        """
        if len(args) != self.count or not self._latest:
            return None
        tensors = args
        if len(self.tiles) != self.count:
            tensors = [args[number] for number in self.tiles]
        for each in self._latest:
            if each.guard(*tensors):
                addresses = tuple(map(each.address, tensors))
                return each.known.launch(addresses, args, given)
        plain = self.plain(args)
        if plain is None:
            return None
        like = _like(plain)
        found = self._calls.get(like)
        if found is None:
            return None
        if found.guard(*tensors):
            self._use(found)
        else:
            # Guards tell apart more: whether a gradient is asked for, for one.
            self._remember(like, plain, found.known)
        addresses = tuple([each.data_ptr() for each in plain])
        return found.known.launch(addresses, args, given)

    def plain(self, args: Sequence[Any]) -> list[Any] | None:
        """The tiles among the arguments; None unless all are plain torch tensors."""
        torch: Any = sys.modules.get("torch")
        tensors = [args[number] for number in self.tiles]
        if torch is None or not tensors or not are_plain(torch, tensors):
            return None
        return tensors

    def add(self, tensors: Sequence[Any], known: KnownCall) -> None:
        """Remember a call of such tensors that was checked."""
        self._remember(_like(tensors), tensors, known)

    def _remember(self, like: Like, tensors: Sequence[Any], known: KnownCall) -> None:
        torch: Any = sys.modules["torch"]
        guard, address = guard_of(torch, tensors), torch.Tensor.data_ptr
        again = None
        if known.is_repeatable:
            again = _again(self.count, self.tiles, guard, address, known)
        made = _Guarded(guard, address, known, again)
        self._calls.put(like, made)
        self._use(made)

    def _use(self, first: _Guarded) -> None:
        """Look there first from now on."""
        others = [each for each in self._latest if each is not first]
        # In one step: another thread may be looking through them.
        self._latest[:] = [first, *others[: _GUARDS - 1]]
        self.again[:] = [each.again for each in self._latest if each.again is not None]


def _like(tensors: Sequence[Any]) -> Like:
    return tuple(
        [(each.dtype, each.shape, each.stride(), each.device) for each in tensors]
    )


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
