"""
Ops of the lanes of a warp (`nvvm`): election, shuffles, votes, matches, reductions.

An agent of several warps executes each of them warp by warp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.synchronization import check_members
from croqtile_mlir.simulator.values import (
    BFLOAT16,
    WARP,
    Array,
    Integers,
    collapse,
    dtype_of,
    lanes_of,
    spread,
)
from croqtile_mlir.simulator.warp_matrices import tf32_words


def _active(frame: Frame) -> Array:
    """The active lanes: an array (warps, 32)."""
    if frame.mask is None:
        return np.ones((frame.agent.threads // WARP, WARP), bool)
    return frame.mask.reshape(-1, WARP)


def _by_warp(per_warp: Array, frame: Frame, like: Callable[[Any], Any]) -> Any:
    """One value for each warp, in all its lanes; a scalar for one warp."""
    return collapse(np.repeat(per_warp, WARP), like)


def make_elect(op: nvvm.ElectSyncOp, maker: Maker) -> Made:
    """`nvvm.elect.sync`: the first active lane of each warp."""
    result = maker.register(op.result)
    mask = None if op.mask is None else maker.register(op.mask)
    first: dict[int, Array] = {}
    for warps in range(1, 33):
        lanes = np.zeros((warps, WARP), bool)
        lanes[:, 0] = True
        first[warps * WARP] = lanes.ravel()

    def step(frame: Frame) -> None:
        if mask is not None:
            check_members(frame, op, frame.values[mask])
        if frame.mask is None:
            frame.values[result] = first[frame.agent.threads]
            return
        frame.values[result] = first_lanes(frame)

    return step


def first_lanes(frame: Frame) -> Array:
    """The first active lane of each warp."""
    rows = _active(frame)
    elected = np.zeros_like(rows)
    elected[np.arange(len(rows)), rows.argmax(axis=1)] = True
    return (elected & rows).ravel()


def _sources(kind: nvvm.ShflKind, offset: Integers, clamp: Integers) -> tuple[Any, Any]:
    """
    The lane that each lane reads, and whether it is in range.

    PTX ISA, "shfl.sync".
    """
    lane = np.arange(len(offset)) % WARP
    by, last = offset & 31, clamp & 31
    segment = clamp >> 8 & 31
    highest = (lane & segment) | (last & ~segment)
    lowest = lane & segment
    match kind:
        case nvvm.ShflKind.Up:
            source = lane - by
            valid = source >= highest
        case nvvm.ShflKind.Down:
            source = lane + by
            valid = source <= highest
        case nvvm.ShflKind.Bfly:
            source = lane ^ by
            valid = source <= highest
        case nvvm.ShflKind.Idx:
            source = lowest | (by & ~segment)
            valid = source <= highest
    return np.where(valid, source, lane), valid


def shuffle_sources(
    frame: Frame, op: Operation, kind: nvvm.ShflKind, offset: Any, clamp: Any
) -> tuple[Array, Any]:
    """The thread of the agent that each reads, and whether it is in range."""
    threads = frame.agent.threads
    source, valid = _sources(kind, lanes_of(offset, threads), lanes_of(clamp, threads))
    source = source + np.arange(threads) // WARP * WARP
    if frame.mask is not None and not frame.mask[source][frame.mask].all():
        frame.agent.engine.fault(
            FaultKind.MISUSE,
            op,
            f"lanes of {frame.agent.name} read others that do not execute it",
        )
    return source, valid


def make_shuffle(op: nvvm.ShflSyncOp, maker: Maker) -> Made:
    """`nvvm.shfl.sync`."""
    mask, value, offset, clamp = maker.registers(op.operands)
    result = maker.register(op.result)
    kind, dtype = op.kind.data, dtype_of(op.value.type, op)
    with_valid = op.return_value_and_is_valid is not None
    like: Callable[[Any], Any] = int if op.value.type == i32 else lambda x: x

    def step(frame: Frame) -> None:
        values, threads = frame.values, frame.agent.threads
        check_members(frame, op, values[mask])
        source, valid = shuffle_sources(frame, op, kind, values[offset], values[clamp])
        lanes = spread(values[value], threads, dtype)[source]
        found = collapse(lanes, like)
        values[result] = (found, valid) if with_valid else found

    return step


def make_vote(op: nvvm.VoteSyncOp, maker: Maker) -> Made:
    """`nvvm.vote.sync`."""
    mask, predicate = maker.registers(op.operands)
    result = maker.register(op.result)
    kind = op.kind.data

    def step(frame: Frame) -> None:
        check_members(frame, op, frame.values[mask])
        frame.values[result] = vote(frame, kind, frame.values[predicate])

    return step


def vote(frame: Frame, kind: nvvm.VoteSyncKind, predicate: Any) -> Any:
    """What a predicate is over the active lanes of each warp."""
    lanes = spread(predicate, frame.agent.threads, np.dtype(np.bool_))
    active = _active(frame)
    true = lanes.reshape(-1, WARP) & active
    counts, totals = true.sum(axis=1), active.sum(axis=1)
    match kind:
        case nvvm.VoteSyncKind.Ballot:
            bits = (true.astype(np.int64) << np.arange(WARP)).sum(axis=1)
            return _by_warp(bits.astype(np.uint32).view(np.int32), frame, int)
        case nvvm.VoteSyncKind.Any:
            return _by_warp(counts > 0, frame, bool)
        case nvvm.VoteSyncKind.All:
            return _by_warp(counts == totals, frame, bool)
        case nvvm.VoteSyncKind.Uni:
            return _by_warp((counts == totals) | (counts == 0), frame, bool)


def active_bits(frame: Frame) -> Any:
    """The active lanes of each warp, a bit each."""
    return vote(frame, nvvm.VoteSyncKind.Ballot, True)


def make_intrinsic(op: llvm.CallIntrinsicOp, maker: Maker) -> Made:
    """`llvm.call_intrinsic`, of `activemask` only."""
    called = op.intrin.data
    if called != nvvm.ACTIVE_MASK or len(op.results) != 1:
        fail(op, f"must call {nvvm.ACTIVE_MASK} in the simulator, got {called}")
    result = maker.register(op.results[0])

    def step(frame: Frame) -> None:
        frame.values[result] = active_bits(frame)

    return step


def matches(
    frame: Frame, kind: nvvm.MatchSyncKind, value: Any, dtype: np.dtype[Any]
) -> tuple[Any, Any]:
    """The active lanes with the same value, and whether all have the same."""
    rows = spread(value, frame.agent.threads, dtype).reshape(-1, WARP)
    active = _active(frame)
    like = (rows[:, :, None] == rows[:, None, :]) & active[:, None, :]
    same = (like | ~active[:, None, :] | ~active[:, :, None]).all(axis=(1, 2))
    if kind is nvvm.MatchSyncKind.All:
        like &= same[:, None, None]
    bits = (like.astype(np.int64) << np.arange(WARP)).sum(axis=2)
    lanes = collapse(bits.astype(np.uint32).view(np.int32).ravel(), int)
    return lanes, _by_warp(same, frame, bool)


def make_match(op: nvvm.MatchSyncOp, maker: Maker) -> Made:
    """`nvvm.match.sync`."""
    mask, value = maker.registers(op.operands)
    result = maker.register(op.result)
    kind, dtype = op.kind.data, dtype_of(op.value.type, op)

    def step(frame: Frame) -> None:
        check_members(frame, op, frame.values[mask])
        found = matches(frame, kind, frame.values[value], dtype)
        frame.values[result] = found if kind is nvvm.MatchSyncKind.All else found[0]

    return step


_REDUCTIONS: Final[dict[nvvm.ReduxKind, tuple[np.ufunc, bool]]] = {
    nvvm.ReduxKind.Add: (np.add, False),
    nvvm.ReduxKind.And: (np.bitwise_and, False),
    nvvm.ReduxKind.Or: (np.bitwise_or, False),
    nvvm.ReduxKind.Xor: (np.bitwise_xor, False),
    nvvm.ReduxKind.Min: (np.minimum, False),
    nvvm.ReduxKind.Max: (np.maximum, False),
    nvvm.ReduxKind.UMin: (np.minimum, True),
    nvvm.ReduxKind.UMax: (np.maximum, True),
    nvvm.ReduxKind.FMin: (np.fmin, False),
    nvvm.ReduxKind.FMax: (np.fmax, False),
}
"""The operation, and whether it is on unsigned numbers."""


def make_reduce(op: nvvm.ReduxSyncOp, maker: Maker) -> Made:
    """`nvvm.redux.sync`."""
    value, mask = maker.registers(op.operands)
    result = maker.register(op.result)
    combine, unsigned = _REDUCTIONS[op.kind.data]
    dtype = dtype_of(op.value.type, op)
    absolute = bool(op.abs.value.data)
    if op.nan.value.data:
        combine = np.minimum if combine is np.fmin else np.maximum
    like: Callable[[Any], Any] = (lambda x: x) if op.value.type == f32 else int

    def step(frame: Frame) -> None:
        check_members(frame, op, frame.values[mask])
        rows = spread(frame.values[value], frame.agent.threads, dtype)
        rows = np.ascontiguousarray(rows).reshape(-1, WARP)
        if absolute:
            rows = np.abs(rows)
        found = _reduced(frame, rows, combine, unsigned)
        frame.values[result] = _by_warp(found, frame, like)

    return step


def _reduced(frame: Frame, rows: Array, combine: np.ufunc, unsigned: bool) -> Array:
    """The values of the active lanes of each warp, combined."""
    dtype = rows.dtype
    if unsigned:
        rows = rows.view(np.uint32)
    found = np.zeros(len(rows), dtype)
    for warp, (row, lanes) in enumerate(zip(rows, _active(frame), strict=True)):
        if lanes.any():
            total = combine.reduce(row[lanes], dtype=row.dtype)
            found[warp] = np.array([total], row.dtype).view(dtype)[0]
    return found


def reduce_lanes(frame: Frame, kind: nvvm.ReduxKind, value: Any) -> Any:
    """An i32 combined over the active lanes of each warp."""
    combine, unsigned = _REDUCTIONS[kind]
    rows = spread(value, frame.agent.threads, np.dtype(np.int32))
    rows = np.ascontiguousarray(rows).reshape(-1, WARP)
    return _by_warp(_reduced(frame, rows, combine, unsigned), frame, int)


_Convert = nvvm.ConvertF32x2ToF16x2Op | nvvm.ConvertF32x2ToBF16x2Op


def _pairs(dtype: np.dtype[Any]) -> Callable[[Any, Maker], Made]:
    """Two f32 to two of a 16-bit type."""

    def make(op: _Convert, maker: Maker) -> Made:
        high, low = maker.registers(op.operands)
        result = maker.register(op.results[0])
        toward_zero = op.rounding.data is nvvm.FPRoundMode.RZ
        relu = bool(op.relu.value.data)
        saturates = op.saturation.data is nvvm.SatMode.Satfinite
        single = np.dtype(np.float32)

        def step(frame: Frame) -> None:
            values, threads = frame.values, frame.agent.threads
            pair = np.empty((threads, 2), np.float32)
            pair[:, 0] = spread(values[low], threads, single)
            pair[:, 1] = spread(values[high], threads, single)
            found = pair.astype(dtype)
            if toward_zero:
                found = _toward_zero(pair, found)
            if relu:
                found = np.where(found <= dtype.type(0), dtype.type(0), found)
            if saturates:
                found = _finite(pair, found)
            values[result] = found

        return step

    return make


def _toward_zero(exact: Array, rounded: Array) -> Array:
    """One step nearer to zero where rounding to nearest went away from it."""
    away = np.abs(rounded.astype(np.float32)) > np.abs(exact)
    bits = np.ascontiguousarray(rounded).view(np.uint16)
    return np.where(away, bits - 1, bits).astype(np.uint16).view(rounded.dtype)


def _finite(exact: Array, rounded: Array) -> Array:
    """The largest finite number instead of an infinity."""
    infinity = np.array([np.inf], rounded.dtype).view(np.uint16)[0]
    bits = np.ascontiguousarray(rounded).view(np.uint16)
    is_infinite = (bits & 0x7FFF) == infinity
    return np.where(is_infinite, bits - 1, bits).astype(np.uint16).view(rounded.dtype)


def make_tf32(op: nvvm.ConvertFloatToTF32Op, maker: Maker) -> Made:
    """`nvvm.convert.float.to.tf32`, by `rna` only."""
    source, result = maker.register(op.source), maker.register(op.result)
    rounding, saturation = op.rounding.data, op.saturation.data
    if rounding is not nvvm.FPRoundMode.RNA or saturation is not nvvm.SatMode.Off:
        fail(op, f"must round by rna without saturation, got {rounding.value}")
    single = np.dtype(np.float32)

    def step(frame: Frame) -> None:
        lanes = spread(frame.values[source], frame.agent.threads, single)
        frame.values[result] = tf32_words(lanes).view(np.int32)

    return step


HANDLERS: Final[Handlers] = {
    llvm.CallIntrinsicOp: make_intrinsic,
    nvvm.ElectSyncOp: make_elect,
    nvvm.MatchSyncOp: make_match,
    nvvm.ShflSyncOp: make_shuffle,
    nvvm.VoteSyncOp: make_vote,
    nvvm.ReduxSyncOp: make_reduce,
    nvvm.ConvertF32x2ToF16x2Op: _pairs(np.dtype(np.float16)),
    nvvm.ConvertF32x2ToBF16x2Op: _pairs(BFLOAT16),
    nvvm.ConvertFloatToTF32Op: make_tf32,
}
