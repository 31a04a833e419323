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
    bits = "b16" if type == "bf16" else type
    dtype = BFLOAT16 if type == "bf16" else TYPES[type]
    address = ins.address(first)

    def change(machine: Machine, threads: Threads) -> Change:
        values = machine.read(ins.register(first + 1), bits, threads).view(dtype)
        if kind != "cas":
            return change_with(COMPUTES[kind], np.ascontiguousarray(values))
        new = machine.read(ins.register(first + 2), bits, threads).view(dtype)
        return change_where(np.ascontiguousarray(values), np.ascontiguousarray(new))

    def run(machine: Machine, threads: Threads) -> None:
        offsets = addresses_of(machine, address, space, threads)
        check_alignment(ins, offsets, dtype.itemsize)
        data, offsets = memory_at(machine, ins, space, offsets, dtype.itemsize)
        changed = change(machine, threads)
        old = np.zeros((len(threads), dtype.itemsize), np.uint8)
        for index, offset in enumerate(offsets.tolist()):
            place = slice(offset, offset + dtype.itemsize)
            old[index] = data[place]
            new = changed(index, old[index].copy())
            if new is not None and (new != old[index]).any():
                data[place] = new
                machine.changes.count += 1
        if first:
            found = old.view(f"u{dtype.itemsize}")[:, 0].copy()
            machine.write(ins.register(0), found, threads)

    return run


ATOMICS: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {"atom": atom, "red": red}
)
"""What makes the step of an instruction, by the first part of its opcode."""
