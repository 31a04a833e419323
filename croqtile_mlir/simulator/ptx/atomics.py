"""Atomic updates in PTX text: threads one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from croqtile_mlir.simulator.ptx.accesses import (
    addresses_of,
    check_alignment,
    memory_at,
    memory_space,
)
from croqtile_mlir.simulator.ptx.machine import (
    TYPES,
    Array,
    Machine,
    Run,
    Threads,
    unknown,
)
from croqtile_mlir.simulator.ptx.text import Instruction
from croqtile_mlir.simulator.updates import (
    COMPUTES,
    Change,
    change_where,
    change_with,
)
from croqtile_mlir.simulator.values import BFLOAT16

_KINDS = ("add", "min", "max", "and", "or", "xor", "exch", "cas")


def atom(ins: Instruction) -> Run:
    """`atom.{order}.{scope}.{space}.{kind}.{type} d, [a], b{, c}`."""
    return _update(ins, 1)


def red(ins: Instruction) -> Run:
    """`red.{order}.{scope}.{space}.{kind}.{type} [a], b`."""
    return _update(ins, 0)


def _update(ins: Instruction, first: int) -> Run:
    kinds = [part for part in ins.opcode if part in _KINDS]
    if len(kinds) != 1:
        return unknown(ins)
    space, kind, type = memory_space(ins), kinds[0], ins.type
    packed = type.endswith("x2")
    lanes = next((n for n in (2, 4) if f"v{n}" in ins.opcode), 1)
    count = 2 if packed else lanes
    name = type.removesuffix("x2")
    bits = "b16" if name == "bf16" else name
    dtype = BFLOAT16 if name == "bf16" else TYPES[name]
    address = ins.address(first)

    def operands(machine: Machine, threads: Threads) -> list[Array]:
        """The operand of each of the neighbours that are updated."""
        if packed:
            both = machine.read(ins.register(first + 1), "b32", threads)
            return [*np.ascontiguousarray(both).view(dtype).reshape(-1, 2).T]
        registers = ins.registers(first + 1)
        return [machine.read(each, bits, threads).view(dtype) for each in registers]

    def change(machine: Machine, threads: Threads) -> list[Change]:
        values = [np.ascontiguousarray(each) for each in operands(machine, threads)]
        if kind != "cas":
            return [change_with(COMPUTES[kind], each) for each in values]
        new = machine.read(ins.register(first + 2), bits, threads).view(dtype)
        return [change_where(values[0], np.ascontiguousarray(new))]

    def run(machine: Machine, threads: Threads) -> None:
        offsets = addresses_of(machine, address, space, threads)
        size = dtype.itemsize
        check_alignment(ins, offsets, count * size)
        data, offsets = memory_at(machine, ins, space, offsets, count * size)
        changed = change(machine, threads)
        old = np.zeros((len(threads), count * size), np.uint8)
        for index, offset in enumerate(offsets.tolist()):
            old[index] = data[offset : offset + count * size]
            for number, each in enumerate(changed):
                place = slice(offset + number * size, offset + (number + 1) * size)
                before = data[place].copy()
                new = each(index, before.copy())
                if new is not None and (new != before).any():
                    data[place] = new
                    machine.changes.count += 1
        if first:
            found = old.view(f"u{count * size}")[:, 0].copy()
            machine.write(ins.register(0), found, threads)

    return run


ATOMICS: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {"atom": atom, "red": red}
)
"""What makes the step of an instruction, by the first part of its opcode."""
