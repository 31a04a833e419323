"""
`cp.async` of PTX text: its bytes land as late as something waits for them.

That is when the thread waits for their group, or has an mbarrier told of them: what is
read before is what was there before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.ptx.accesses import check_alignment, memory_at
from croqtile_mlir.simulator.ptx.machine import Array, Machine, Run, Threads, unknown
from croqtile_mlir.simulator.ptx.text import Instruction
from croqtile_mlir.simulator.ptx.warps import addresses_of, at


@dataclass(eq=False)
class _Copies:
    """What one instruction has started, a row for each thread."""

    ins: Instruction
    threads: Threads
    places: Array
    """Shared addresses."""

    sources: Array
    used: NDArray[np.int64]
    """Bytes that are read; the rest becomes zero."""

    size: int
    groups: NDArray[np.int64]
    """The group of the thread that the row is in, counted from 0."""

    def land(self, machine: Machine, rows: NDArray[np.bool_]) -> None:
        """Move the bytes of rows and drop them."""
        if not rows.any():
            return
        data = np.zeros((int(rows.sum()), self.size), np.uint8)
        sources, used = self.sources[rows], self.used[rows]
        for count in np.unique(used[used > 0]):
            which = used == count
            found, offsets = memory_at(
                machine, self.ins, "global", sources[which], int(count)
            )
            data[which, : int(count)] = found[offsets[:, None] + np.arange(int(count))]
        shared, offsets = memory_at(
            machine, self.ins, "shared", self.places[rows], self.size
        )
        shared[offsets[:, None] + np.arange(self.size)] = data
        kept = ~rows
        self.threads, self.groups = self.threads[kept], self.groups[kept]
        self.places, self.sources = self.places[kept], self.sources[kept]
        self.used = self.used[kept]


@dataclass(eq=False)
class _InFlight:
    """The copies in flight of a block."""

    committed: NDArray[np.int64]
    """How many groups each thread has made."""

    copies: list[_Copies] = field(default_factory=list[_Copies])

    @classmethod
    def of(cls, machine: Machine) -> _InFlight:
        """Those of a machine."""
        objects = machine.block.objects
        if cls not in objects:
            objects[cls] = cls(np.zeros(machine.block.threads, np.int64))
        return objects[cls]

    def land(self, machine: Machine, threads: Threads, kept: int | None) -> None:
        """Land all but the newest groups of threads; None: all copies so far."""
        until = np.zeros(len(self.committed), np.int64)
        until[threads] = (
            np.iinfo(np.int64).max if kept is None else self.committed[threads] - kept
        )
        for copies in self.copies:
            copies.land(machine, copies.groups < until[copies.threads])
        self.copies = [copies for copies in self.copies if len(copies.threads)]


def thread_copy(ins: Instruction) -> Run:
    """`cp.async` of 4, 8 or 16 bytes, its groups and its arrivals."""
    verb = ins.opcode[2]
    makers: dict[str, Callable[[Instruction], Run]] = {
        "ca": _start,
        "cg": _start,
        "commit_group": _commit,
        "wait_group": _wait,
        "mbarrier": _arrive,
    }
    return makers.get(verb, unknown)(ins)


def _start(ins: Instruction) -> Run:
    size = int(ins.register(2))
    source = ins.address(1)
    counts = ins.register(3) if len(ins.operands) > 3 else str(size)

    def run(machine: Machine, threads: Threads) -> None:
        places = addresses_of(machine, ins, 0, threads)
        base = machine.read(source.base, "b64", threads).astype(np.int64)
        sources = base + source.offset
        used = machine.read(counts, "u32", threads).astype(np.int64)
        if used.max() > size:
            ins.refuse(f"must read at most {size} bytes, got {int(used.max())}")
        check_alignment(ins, places, size)
        check_alignment(ins, sources, size)
        flight = _InFlight.of(machine)
        groups = flight.committed[threads]
        flight.copies.append(_Copies(ins, threads, places, sources, used, size, groups))

    return run


def _commit(ins: Instruction) -> Run:
    del ins

    def run(machine: Machine, threads: Threads) -> None:
        _InFlight.of(machine).committed[threads] += 1

    return run


def _wait(ins: Instruction) -> Run:
    kept = int(ins.register(0))

    def run(machine: Machine, threads: Threads) -> None:
        _InFlight.of(machine).land(machine, threads, kept)

    return run


def _arrive(ins: Instruction) -> Run:
    """With `noinc` an arrival that the mbarrier counts; else one that changes nothing
    once it has come."""
    counts = "noinc" in ins.opcode

    def run(machine: Machine, threads: Threads) -> None:
        _InFlight.of(machine).land(machine, threads, None)
        for address in addresses_of(machine, ins, 0, threads):
            state = at(machine, ins, int(address))
            if not counts:
                continue
            if not state.pending:
                ins.refuse(f"the mbarrier at {int(address)} must get no more arrivals")
            state.pending -= 1
            state.settle()

    return run
