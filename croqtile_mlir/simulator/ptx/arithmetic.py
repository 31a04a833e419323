"""Arithmetic, moves, conversions and jumps of PTX text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.launch.plan import TensorMapParam
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.global_memory import GlobalTile
from croqtile_mlir.simulator.ptx.accesses import load, store
from croqtile_mlir.simulator.ptx.machine import (
    TYPES,
    Array,
    Machine,
    Run,
    Threads,
    unknown,
)
from croqtile_mlir.simulator.ptx.text import Instruction

_BINARY: Mapping[str, Callable[[Array, Array], Array]] = MappingProxyType(
    {
        "add": np.add,
        "sub": np.subtract,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
)

_COMPARE: Mapping[str, Callable[[Array, Array], Array]] = MappingProxyType(
    {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
)


def binary(ins: Instruction) -> Run:
    """`add.s32 d, a, b` and the like."""
    function, kind = _BINARY[ins.name], ins.type
    if ins.name in ("min", "max") and "NaN" not in ins.opcode:
        # Of a number and what is none, the number.
        function = np.fmin if ins.name == "min" else np.fmax
    out, a, b = (ins.register(index) for index in range(3))

    def run(machine: Machine, threads: Threads) -> None:
        with np.errstate(over="ignore"):
            value = function(
                machine.read(a, kind, threads), machine.read(b, kind, threads)
            )
        machine.write(out, value, threads)

    return run


def multiply(ins: Instruction) -> Run:
    """`mul.lo.s32`, `mul.wide.u32`, `mul.rn.f32`; `mad` and `fma` with an addend."""
    kind, out = ins.type, ins.register(0)
    wide, high = "wide" in ins.opcode, "hi" in ins.opcode
    if high and (ins.name, kind) != ("mul", "u32"):
        return unknown(ins)
    result = f"{kind[0]}{2 * int(kind[1:])}" if wide or high else kind

    def run(machine: Machine, threads: Threads) -> None:
        a = machine.read(ins.register(1), kind, threads).astype(TYPES[result])
        b = machine.read(ins.register(2), kind, threads).astype(TYPES[result])
        with np.errstate(over="ignore"):
            if len(ins.operands) < 4:
                value: Array = np.multiply(a, b)
                if high:
                    value = (value >> 32).astype(np.uint32)
            elif ins.name == "fma" and kind == "f32":
                c = machine.read(ins.register(3), result, threads)
                exact = a.astype(np.float64) * b.astype(np.float64)
                value = (exact + c.astype(np.float64)).astype(np.float32)
            else:
                c = machine.read(ins.register(3), result, threads)
                value = np.add(np.multiply(a, b), c)
        machine.write(out, value, threads)

    return run


def divide(ins: Instruction) -> Run:
    """`div` and `rem`; of integers towards zero."""
    kind, out = ins.type, ins.register(0)

    def run(machine: Machine, threads: Threads) -> None:
        a = machine.read(ins.register(1), kind, threads)
        b = machine.read(ins.register(2), kind, threads)
        if kind[0] == "f":
            with np.errstate(all="ignore"):
                value = a / b
        else:
            rest = np.fmod(a, b)
            value = rest if ins.name == "rem" else (a - rest) // b
        machine.write(out, value.astype(TYPES[kind]), threads)

    return run


def shift(ins: Instruction) -> Run:
    """`shl`, `shr`: by 32 or more gives 0, or copies of the sign."""
    kind, out = ins.type, ins.register(0)
    width = int(kind[1:])

    def run(machine: Machine, threads: Threads) -> None:
        a = machine.read(ins.register(1), kind, threads)
        by = machine.read(ins.register(2), "u32", threads)
        inside = np.minimum(by, width - 1).astype(a.dtype)
        value = a << inside if ins.name == "shl" else a >> inside
        if kind[0] != "s" or ins.name == "shl":
            value = np.where(by >= width, np.zeros_like(value), value)
        machine.write(out, value, threads)

    return run


def unary(ins: Instruction) -> Run:
    """`neg`, `not`, `abs` and approximations of functions."""
    kind, out = ins.type, ins.register(0)
    functions: dict[str, Callable[[Array], Array]] = {
        "neg": np.negative,
        "not": np.logical_not if kind == "pred" else np.invert,
        "abs": np.abs,
        "ex2": np.exp2,
        "lg2": np.log2,
        "sqrt": np.sqrt,
        "rsqrt": lambda a: 1 / np.sqrt(a),
        "rcp": lambda a: 1 / a,
        "tanh": np.tanh,
    }
    function = functions[ins.name]

    def run(machine: Machine, threads: Threads) -> None:
        with np.errstate(all="ignore"):
            value = function(machine.read(ins.register(1), kind, threads))
        machine.write(out, value, threads)

    return run


def _comparison(name: str, *, is_float: bool) -> Callable[[Array, Array], Array] | None:
    """What a comparison computes; of floats also those that may not be numbers."""

    def unordered(a: Array, b: Array) -> Array:
        return np.isnan(a) | np.isnan(b)

    if not is_float:
        return _COMPARE.get(name)
    if name in ("num", "nan"):
        return unordered if name == "nan" else lambda a, b: ~unordered(a, b)
    found = _COMPARE.get(name.removesuffix("u"))
    if found is None:
        return None
    if name.endswith("u"):
        return lambda a, b: found(a, b) | unordered(a, b)
    return lambda a, b: found(a, b) & ~unordered(a, b)


def compare(ins: Instruction) -> Run:
    """`setp.lt.s32 p, a, b`."""
    kind, out = ins.type, ins.register(0)
    function = _comparison(ins.opcode[1], is_float="f" in kind)
    if function is None:
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        a = machine.read(ins.register(1), kind, threads)
        b = machine.read(ins.register(2), kind, threads)
        machine.write(out, function(a, b), threads)

    return run


def select(ins: Instruction) -> Run:
    """`selp d, a, b, p`."""
    kind, out = ins.type, ins.register(0)

    def run(machine: Machine, threads: Threads) -> None:
        a = machine.read(ins.register(1), kind, threads)
        b = machine.read(ins.register(2), kind, threads)
        holds = machine.read(ins.register(3), "pred", threads)
        machine.write(out, np.where(holds, a, b), threads)

    return run


def move(ins: Instruction) -> Run:
    """`mov`; between one register and the halves of it in braces."""
    kind = ins.type
    source, target = ins.operands[1], ins.operands[0]
    if isinstance(target, tuple) or isinstance(source, tuple):
        return _pack(ins)
    if not isinstance(source, str) or not isinstance(target, str):
        return unknown(ins)
    out = target

    def run(machine: Machine, threads: Threads) -> None:
        if source in machine.entry.parameters:
            index = machine.entry.parameters.index(source)
            machine.write(out, np.full(len(threads), index, np.uint64), threads)
            return
        machine.write(out, machine.read(source, kind, threads), threads)

    return run


def _pack(ins: Instruction) -> Run:
    """`mov.b32 r, {a, b}` and back: the first is in the low bits."""
    whole = ins.type
    if isinstance(ins.operands[0], tuple):
        parts = ins.registers(0)

        def unpack(machine: Machine, threads: Threads) -> None:
            part = np.dtype(f"u{int(whole[1:]) // len(parts) // 8}")
            value = machine.read(ins.register(1), whole, threads)
            rows = np.ascontiguousarray(value).view(part).reshape(len(threads), -1)
            for index, register in enumerate(parts):
                machine.write(register, rows[:, index].copy(), threads)

        return unpack
    sources = ins.registers(1)

    def pack(machine: Machine, threads: Threads) -> None:
        kind = f"b{int(whole[1:]) // len(sources)}"
        columns = [machine.read(source, kind, threads) for source in sources]
        value = np.stack(columns, axis=1).view(TYPES[whole]).ravel()
        machine.write(ins.register(0), value, threads)

    return pack


@dataclass(frozen=True, eq=False)
class TensorMap:
    """What a parameter that is a tensor map stands for."""

    tile: GlobalTile
    param: TensorMapParam


def tensor_map_of(machine: Machine, index: int) -> TensorMap:
    """The tensor map of a parameter."""
    value = machine.parameters[index]
    if not isinstance(value, TensorMap):
        fail(None, f"parameter {index} of the PTX entry must be a tensor map")
    return value


def parameter_address(ins: Instruction) -> Run:
    """`cvta.param.u64`: the address of a parameter is its number here."""

    def run(machine: Machine, threads: Threads) -> None:
        value = machine.read(ins.register(1), "b64", threads)
        machine.write(ins.register(0), value, threads)

    return run


def jump(ins: Instruction) -> Run:
    """`bra`."""
    label = ins.register(0)

    def run(machine: Machine, threads: Threads) -> None:
        machine.pc[threads] = machine.entry.labels[label]

    return run


def leave(ins: Instruction) -> Run:
    """`ret`, `exit`."""

    def run(machine: Machine, threads: Threads) -> None:
        machine.pc[threads] = len(machine.steps)

    return run


def trap(ins: Instruction) -> Run:
    """`trap`: the grid ends."""

    def run(machine: Machine, threads: Threads) -> None:
        machine.block.engine.end(
            FaultKind.ASSERTION,
            None,
            f"no thread must come by the trap of line {ins.line}, got thread "
            f"{int(threads[0])} of the block",
        )

    return run


SCALAR: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {
        **dict.fromkeys(_BINARY, binary),
        **dict.fromkeys(("mul", "mad", "fma"), multiply),
        **dict.fromkeys(("div", "rem"), divide),
        **dict.fromkeys(("shl", "shr"), shift),
        **dict.fromkeys(
            ("neg", "not", "abs", "ex2", "lg2", "sqrt", "rsqrt", "rcp", "tanh"), unary
        ),
        "setp": compare,
        "selp": select,
        "mov": move,
        "ld": load,
        "st": store,
        "cvta": parameter_address,
        "bra": jump,
        "ret": leave,
        "exit": leave,
        "trap": trap,
    }
)
"""What makes the step of an instruction, by the first part of its opcode."""
