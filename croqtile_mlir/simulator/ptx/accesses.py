"""Loads and stores of PTX text, and the bytes behind an address."""

from __future__ import annotations

import numpy as np

from croqtile_mlir.simulator.ptx.machine import (
    TYPES,
    Array,
    Machine,
    Run,
    Threads,
)
from croqtile_mlir.simulator.ptx.text import Address, Instruction


def load(ins: Instruction) -> Run:
    """`ld.param`, `ld.shared`, `ld.local`, `ld.global`, also of vectors."""
    kind, space = ins.type, memory_space(ins)
    width = TYPES[kind].itemsize
    address, targets = ins.address(1), ins.registers(0)
    if space == "param":
        unsigned = np.dtype(f"u{width}")

        def parameter(machine: Machine, threads: Threads) -> None:
            index = machine.entry.parameters.index(address.base)
            bits = machine.parameters[index] & (1 << 8 * width) - 1
            row = np.full(len(threads), bits, unsigned).view(TYPES[kind])
            machine.write(targets[0], row, threads)

        return parameter

    def run(machine: Machine, threads: Threads) -> None:
        offsets = addresses_of(machine, address, space, threads)
        check_alignment(ins, offsets, width * len(targets))
        if space == "local":
            offsets = local_offsets(
                machine, ins, offsets, width * len(targets), threads
            )
        data, offsets = memory_at(machine, ins, space, offsets, width * len(targets))
        index = offsets[:, None] + np.arange(width * len(targets))
        rows = data[index].view(TYPES[kind])
        for position, register in enumerate(targets):
            machine.write(register, rows[:, position].copy(), threads)

    return run


def store(ins: Instruction) -> Run:
    """`st.shared`, `st.local`, `st.global`, also of vectors."""
    kind, space = ins.type, memory_space(ins)
    address, sources = ins.address(0), ins.registers(1)
    width = TYPES[kind].itemsize

    def run(machine: Machine, threads: Threads) -> None:
        offsets = addresses_of(machine, address, space, threads)
        check_alignment(ins, offsets, width * len(sources))
        if space == "local":
            offsets = local_offsets(
                machine, ins, offsets, width * len(sources), threads
            )
        data, offsets = memory_at(machine, ins, space, offsets, width * len(sources))
        columns = [machine.read(source, kind, threads) for source in sources]
        rows = np.stack(columns, axis=1).view(np.uint8)
        data[offsets[:, None] + np.arange(width * len(sources))] = rows

    return run


_SPACES = ("global", "local", "shared", "shared::cta", "shared::cluster", "param")


def memory_space(ins: Instruction) -> str:
    """The state space of an access; `generic` where none is named."""
    named = [part for part in ins.opcode[1:] if part in _SPACES]
    return named[0] if named else "generic"


def address_kind(space: str) -> str:
    """The type of the register that holds an address."""
    return "b32" if space.startswith(("shared", "local")) else "b64"


def addresses_of(
    machine: Machine, address: Address, space: str, threads: Threads
) -> Threads:
    """The addresses of an operand; those of shared memory wrap at 32 bits."""
    kind = address_kind(space)
    base = machine.read(address.base, kind, threads).astype(np.int64)
    at = base + address.offset
    return at & 0xFFFFFFFF if kind == "b32" else at


def local_offsets(
    machine: Machine, ins: Instruction, addresses: Threads, width: int, threads: Threads
) -> Threads:
    """Offsets in the local memory of all threads of addresses in that of each."""
    size = machine.entry.local_bytes
    if addresses.min() < 0 or addresses.max() + width > size:
        ins.refuse(
            f"accesses local memory at offsets {int(addresses.min())} to "
            f"{int(addresses.max()) + width}, of which a thread has {size} bytes"
        )
    return addresses + threads * size


def check_alignment(ins: Instruction, offsets: Array, width: int) -> None:
    """Accesses are aligned to their width (PTX ISA, Addresses as Operands)."""
    if (offsets % width).any():
        bad = int(offsets[np.nonzero(offsets % width)[0][0]])
        ins.refuse(f"address must be a multiple of {width}, got {bad:#x}")


def memory_at(
    machine: Machine, ins: Instruction, space: str, addresses: Threads, width: int
) -> tuple[Array, Threads]:
    """The bytes behind addresses, and the offsets of these in them."""
    if space.startswith("shared"):
        home, first = machine.home(ins, int(addresses[0]))
        # Threads that access other blocks of the cluster leave the bounds of this one.
        offsets = addresses - (int(addresses[0]) - first)
        data, name = home.shared, "shared memory"
    elif space == "local":
        data, offsets, name = machine.local, addresses, "local memory"
    else:
        buffer = machine.block.launch.memory.at(int(addresses[0]))
        if buffer is None:
            ins.refuse(f"address {int(addresses[0]):#x} is in no argument")
        data, offsets, name = buffer.data, addresses - buffer.base, buffer.name
    if offsets.min() < 0 or offsets.max() + width > len(data):
        ins.refuse(
            f"accesses {name} at offsets {int(offsets.min())} to "
            f"{int(offsets.max()) + width}, which has {len(data)} bytes"
        )
    return data, offsets
