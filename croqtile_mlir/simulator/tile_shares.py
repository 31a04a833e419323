"""Copies by threads: which vectors an agent moves, and moving and rearranging them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import Scope
from croqtile_mlir.dialects.croq import Rearrangement
from croqtile_mlir.simulator.actors import Actor, Agent, Transfer
from croqtile_mlir.simulator.program import Frame
from croqtile_mlir.simulator.tile_steps import Steps, memory_of
from croqtile_mlir.simulator.tile_values import (
    Elements,
    GlobalView,
    Number,
    Tile,
)

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Part:
    """The elements that an agent moves."""

    at: tuple[Indices, ...]
    """Where they are in the tile, for each dim: (vectors, elements of a vector)."""

    lanes: Indices
    """The lane that moves each vector."""

    source: tuple[Indices, ...]
    """Where they come from, for each dim of the source."""

    copied: NDArray[np.bool_] | None = None
    """Which of them come from the source, where some are padding."""


@dataclass(frozen=True, eq=False)
class Share:
    """
    How the vectors of a tile are dealt to the threads of a scope.

    Vector v of the destination, counted along the rows, is moved by thread v modulo
    the threads.
    """

    scope: Scope
    extents: tuple[int, ...]
    """Those of the destination."""

    by: Rearrangement
    vector: int
    """Elements of a vector."""

    several: bool
    """Whether several agents have a share."""

    lanes: bool
    """Whether lanes are told apart."""

    _parts: dict[int, _Part] = field(default_factory=dict[int, _Part])

    def of(self, agent: Agent) -> _Part:
        """The share of an agent."""
        found = self._parts.get(agent.first_thread)
        if found is None:
            found = self._parts[agent.first_thread] = self._made(agent)
        return found

    def _made(self, agent: Agent) -> _Part:
        dims = (*self.extents[:-1], self.extents[-1] // self.vector)
        vectors = np.arange(prod(dims))
        lanes = vectors % self.scope.num_threads
        lanes = lanes - (agent.first_thread - self.scope.first_thread)
        mine = (lanes >= 0) & (lanes < agent.threads)
        *outer, inner = np.unravel_index(vectors[mine], dims)
        cols = inner[:, None] * self.vector + np.arange(self.vector)
        at = tuple(np.broadcast_to(index[:, None], cols.shape) for index in outer)
        source, copied = self._source((*at, cols))
        return _Part((*at, cols), lanes[mine], source, copied)

    def _source(
        self, at: tuple[Indices, ...]
    ) -> tuple[tuple[Indices, ...], NDArray[np.bool_] | None]:
        """Where elements come from, and which do; others are anywhere in the source."""
        by = self.by
        if by.is_identity:
            return at, None
        source = list(at)
        copied: NDArray[np.bool_] = np.ones(at[0].shape, np.bool_)
        extents = by.source_extents(self.extents)
        for dim, index in enumerate(at):
            own, step = by.source_dim(dim), by.interior[dim] + 1
            place, rest = np.divmod(index - by.low[dim], step)
            copied &= (rest == 0) & (place >= 0) & (place < extents[own])
            source[own] = np.clip(place, 0, extents[own] - 1)
        return tuple(source), copied if by.pads else None


def rearranged(values: Elements, by: Rearrangement) -> Elements:
    """The elements of a tile, rearranged."""
    moved = values.transpose(by.permutation)
    if not by.pads:
        return moved
    extents = [by.padded(dim, extent) for dim, extent in enumerate(moved.shape)]
    padded: Elements = np.full(extents, _padding(by, values.dtype))
    inside = tuple(
        slice(low, extent - high, step + 1)
        for low, high, step, extent in zip(
            by.low, by.high, by.interior, extents, strict=True
        )
    )
    padded[inside] = moved
    return padded


def _padding(by: Rearrangement, kind: np.dtype[Any]) -> Any:
    return np.asarray(by.value).astype(kind)


def move_share(
    steps: Steps,
    frame: Frame,
    op: Operation,
    share: Share,
    source: Tile,
    destination: Tile,
    transfer: Transfer | None = None,
) -> None:
    """
    Move what an agent moves of a tile, at once or by an operation in flight.
    """
    actor = frame.agent if transfer is None else transfer
    if not share.several and not share.lanes:
        values = rearranged(steps.read(frame, actor, op, source), share.by)
        steps.write(frame, actor, op, destination, values)
        return
    part = share.of(frame.agent)
    if not len(part.lanes):
        return
    lanes = part.lanes if share.lanes and transfer is None else None
    by = _By(frame, actor, op, lanes)
    values = _load(by, source, part)
    if part.copied is not None:
        values[~part.copied] = _padding(share.by, values.dtype)
    _store(by, destination, part, values)


def fill_share(
    steps: Steps,
    frame: Frame,
    op: Operation,
    share: Share,
    tile: Tile,
    values: Elements,
) -> None:
    """Store the agent's part of the values of a whole tile."""
    if not share.several and not share.lanes:
        steps.write(frame, frame.agent, op, tile, values)
        return
    part = share.of(frame.agent)
    if len(part.lanes):
        lanes = part.lanes if share.lanes else None
        _store(_By(frame, frame.agent, op, lanes), tile, part, values[part.at])


def _inside(tile: Tile, origin: tuple[Number, ...]) -> NDArray[np.bool_] | None:
    """Which elements are in range; None: all."""
    if not isinstance(tile, GlobalView):
        return None
    inside: Any = True
    for index, end in zip(origin, tile.ends, strict=True):
        inside = inside & (np.asarray(index) < end) & (np.asarray(index) >= 0)
    return None if inside.all() else inside


@dataclass(frozen=True, eq=False)
class _By:
    """Who moves a part of a tile."""

    frame: Frame
    actor: Actor
    op: Operation
    lanes: Indices | None


def _load(by: _By, tile: Tile, part: _Part) -> Elements:
    actor, op, lanes = by.actor, by.op, by.lanes
    origin = tile.at(part.source)
    inside = _inside(tile, origin)
    if part.copied is not None:
        inside = part.copied if inside is None else inside & part.copied
    offsets = _offsets(tile, origin)
    memory, size = memory_of(by.frame, tile), tile.dtype.itemsize
    if inside is None and tile.scales is not None:
        inside = np.ones(offsets.shape, np.bool_)
    if inside is None:
        width = offsets.shape[1] * size
        data = memory.load(actor, op, offsets[:, 0], width, lanes)
        return data.view(tile.dtype)
    values: Elements = np.zeros(offsets.shape, tile.dtype)
    if inside.any():
        each = None if lanes is None else _each_lane(lanes, inside)
        data = memory.load(actor, op, offsets[inside], size, each)
        values[inside] = data.view(tile.dtype)[:, 0]
    return values


def _store(by: _By, tile: Tile, part: _Part, values: Elements) -> None:
    actor, op, lanes = by.actor, by.op, by.lanes
    origin = tile.at(part.at)
    inside = _inside(tile, origin)
    offsets = _offsets(tile, origin)
    memory = memory_of(by.frame, tile)
    if inside is None and tile.scales is not None:
        inside = np.ones(offsets.shape, np.bool_)
    if inside is None:
        data = np.ascontiguousarray(values).view(np.uint8)
        memory.store(actor, op, offsets[:, 0], data, lanes)
    elif inside.any():
        each = None if lanes is None else _each_lane(lanes, inside)
        data = np.ascontiguousarray(values[inside][:, None]).view(np.uint8)
        memory.store(actor, op, offsets[inside], data, each)


def _offsets(tile: Tile, origin: tuple[Number, ...]) -> Indices:
    return np.asarray(
        tile.buffer.offset(origin)
        if not isinstance(tile, GlobalView)
        else tile.offset(origin),
        dtype=np.int64,
    )


def _each_lane(lanes: Indices, inside: NDArray[np.bool_]) -> Indices:
    return np.broadcast_to(lanes[:, None], inside.shape)[inside]
