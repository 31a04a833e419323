"""
The threads of a block that execute PTX text, all at once.

Each thread has a program counter. Of a warp the threads with the smallest counter go
on, which brings the sides of a branch together again where it ends; threads at one
instruction execute it as one numpy operation. Copies and matrix products happen at
once: values are checked here, synchronisation is the business of the other levels.

Blocks of a cluster have a machine each, and take turns. A copy or an arrival in a block
that has ended is an error. Threads that wait for ever are a deadlock (`progress`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.peers import SHARED_END
from croqtile_mlir.simulator.ptx.progress import Changes, Stuck, Watch
from croqtile_mlir.simulator.ptx.text import Entry, Instruction
from croqtile_mlir.simulator.state import BlockState

Threads = NDArray[np.int64]
Array = NDArray[Any]
Run = Callable[["Machine", Threads], None]
"""Executes an instruction for some threads."""

WARP = 32
_FAR = 1 << 40
_ALONE, _TOGETHER = 1000, 16
"""Rounds before others go on: the caller, the other blocks of a cluster."""

_DOTLESS = ("%laneid", "%cluster_ctarank", "%cluster_nctarank")
"""Special registers without a dot."""

STORAGE: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "pred": np.dtype(bool),
        "b16": np.dtype(np.uint16),
        "b32": np.dtype(np.uint32),
        "b64": np.dtype(np.uint64),
        "f32": np.dtype(np.float32),
        "f64": np.dtype(np.float64),
    }
)
"""What a register of a type is kept as."""

TYPES: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        **STORAGE,
        "b8": np.dtype(np.uint8),
        "u8": np.dtype(np.uint8),
        "s8": np.dtype(np.int8),
        "u16": np.dtype(np.uint16),
        "s16": np.dtype(np.int16),
        "f16": np.dtype(np.float16),
        "bf16": np.dtype(ml_dtypes.bfloat16),
        "u32": np.dtype(np.uint32),
        "s32": np.dtype(np.int32),
        "u64": np.dtype(np.uint64),
        "s64": np.dtype(np.int64),
    }
)
"""What an instruction of a type computes with."""


@dataclass(eq=False)
class MbarrierState:
    """An mbarrier object in shared memory."""

    expected: int
    pending: int
    bytes: int = 0
    phase: int = 0

    def settle(self) -> None:
        """Complete the phase if nothing is missing."""
        if not self.pending and not self.bytes:
            self.phase += 1
            self.pending = self.expected


@dataclass(eq=False)
class Meeting:
    """Threads that wait for others at one instruction."""

    threads: list[Threads] = field(default_factory=list[Threads])
    count: int = 0


@dataclass(eq=False)
class Machine:
    """One thread block."""

    entry: Entry
    steps: tuple[Run, ...]
    """One for each instruction."""

    block: BlockState
    parameters: tuple[Any, ...]
    """The bits of scalars, addresses and extents; tensor maps as handles."""

    registers: dict[str, Array] = field(init=False)
    """By prefix: an array (registers, threads)."""

    local: NDArray[np.uint8] = field(init=False)
    """The bytes of local memory, of one thread after the other."""

    pc: Threads = field(init=False)
    waiting: NDArray[np.bool_] = field(init=False)
    arrived: Threads = field(init=False)
    """How often each thread has arrived at the barrier of the cluster."""

    at_cluster: NDArray[np.bool_] = field(init=False)
    """Which threads wait there."""
    mbarriers: dict[int, MbarrierState] = field(
        default_factory=dict[int, MbarrierState]
    )
    meetings: dict[object, Meeting] = field(default_factory=dict[object, Meeting])
    changes: Changes = field(init=False)
    """Of all blocks of the launch."""

    def __post_init__(self) -> None:
        threads = self.block.threads
        self.registers = {
            prefix: np.zeros((count, threads), STORAGE[kind])
            for prefix, (kind, count) in self.entry.registers.items()
        }
        self.local = np.zeros(threads * self.entry.local_bytes, np.uint8)
        self.pc = np.zeros(threads, np.int64)
        self.waiting = np.zeros(threads, bool)
        self.arrived = np.zeros(threads, np.int64)
        self.at_cluster = np.zeros(threads, bool)
        self.block.objects[Machine] = self
        self.changes = self.block.launch.objects.setdefault(Changes, Changes())

    @property
    def shared(self) -> NDArray[np.uint8]:
        """The bytes of shared memory."""
        return self.block.shared.data

    @property
    def live(self) -> NDArray[np.bool_]:
        """The threads that have not ended."""
        return self.waiting | (self.pc < len(self.steps))

    @property
    def peers(self) -> list[Machine]:
        """The machines of the blocks of the cluster, by rank."""
        return [block.objects[Machine] for block in self.block.cluster.blocks]

    def home(self, ins: Instruction, address: int) -> tuple[Machine, int]:
        """The machine that a shared address is in, and the offset in its memory."""
        rank, offset = divmod(address, SHARED_END)
        return (self if not rank else self.peer(ins, rank - 1)), offset

    def peer(self, ins: Instruction, rank: int) -> Machine:
        """The machine of a rank, which must not have ended."""
        peers = self.peers
        if not 0 <= rank < len(peers):
            ins.refuse(f"the cluster has {len(peers)} blocks, got rank {rank}")
        if not peers[rank].live.any():
            ins.refuse(f"the block of rank {rank} must not have ended")
        return peers[rank]

    # Operands

    def read(self, operand: str, kind: str, threads: Threads) -> Array:
        """The value of a register, a number or a special register, for threads."""
        dtype = TYPES[kind]
        if operand.startswith("%"):
            if "." in operand or operand in _DOTLESS:
                return self._special(operand, threads).astype(dtype)
            values = self.registers[_prefix(operand)][_index(operand)][threads]
            if values.dtype == dtype:
                return values
            if values.dtype.itemsize == dtype.itemsize:
                return values.view(dtype)
            return values.view(np.dtype(f"u{values.dtype.itemsize}")).astype(dtype)
        if operand[:2] in ("0f", "0F"):
            bits = np.uint32(int(operand[2:], 16))
            return np.full(len(threads), bits.view(np.float32), np.float32).view(dtype)
        if operand[:2] in ("0d", "0D"):
            wide = np.uint64(int(operand[2:], 16))
            return np.full(len(threads), wide.view(np.float64)).view(dtype)
        if operand == "smem":
            return np.zeros(len(threads), dtype)
        if (place := self.entry.local.get(operand)) is not None:
            return np.full(len(threads), place, dtype)
        number = int(operand, 0)
        if number < 0 and dtype.kind == "u":
            number += 1 << 8 * dtype.itemsize
        return np.full(len(threads), number, dtype)

    def write(self, register: str, value: Array, threads: Threads) -> None:
        """Set a register of threads; the value has the register's width."""
        if register == "_":
            return
        row = self.registers[_prefix(register)][_index(register)]
        if value.dtype.itemsize < row.dtype.itemsize:
            # A load of a byte: zeros above it.
            value = value.view(f"u{value.dtype.itemsize}").astype(row.dtype)
        elif value.dtype != row.dtype:
            value = np.ascontiguousarray(value).view(row.dtype)
        row[threads] = value

    def _special(self, name: str, threads: Threads) -> Threads:
        axis = "xyz".find(name[-1])
        match name.split(".")[0]:
            case "%tid":
                return threads if axis == 0 else np.zeros_like(threads)
            case "%ctaid":
                return np.full_like(threads, self.block.index[axis])
            case "%ntid":
                return np.full_like(threads, self.block.threads if axis == 0 else 1)
            case "%nctaid":
                return np.full_like(threads, self.block.launch.grid[axis])
            case "%clusterid":
                index = self.block.index[axis] // self.entry.cluster[axis]
                return np.full_like(threads, index)
            case "%nclusterid":
                extent = self.block.launch.grid[axis] // self.entry.cluster[axis]
                return np.full_like(threads, extent)
            case "%cluster_ctaid":
                index = self.block.index[axis] % self.entry.cluster[axis]
                return np.full_like(threads, index)
            case "%cluster_nctaid":
                return np.full_like(threads, self.entry.cluster[axis])
            case "%laneid":
                return threads % WARP
            case "%cluster_ctarank":
                return np.full_like(threads, self.block.rank)
            case "%cluster_nctarank":
                return np.full_like(threads, len(self.block.cluster.blocks))
            case _:
                fail(None, f"PTX register {name} has no meaning in the simulator")

    # Meetings of threads

    def meet(self, key: object, threads: Threads, count: int) -> Threads | None:
        """
        Threads arrive where `count` of them meet.

        All that are there, in order, once they are; until then they wait.
        """
        meeting = self.meetings.setdefault(key, Meeting())
        meeting.threads.append(threads)
        meeting.count += len(threads)
        if meeting.count < count:
            self.waiting[threads] = True
            return None
        del self.meetings[key]
        everyone = np.sort(np.concatenate(meeting.threads))
        self.waiting[everyone] = False
        return everyone

    def arrive(self, key: object, threads: Threads, count: int) -> None:
        """Threads arrive where others wait, and go on."""
        meeting = self.meetings.setdefault(key, Meeting())
        meeting.count += len(threads)
        if meeting.count >= count:
            del self.meetings[key]
            for waiting in meeting.threads:
                self.waiting[waiting] = False

    def meet_cluster(self) -> None:
        """Let go on who waits for arrivals of all live threads of the cluster."""
        arrived = [peer.arrived[peer.live] for peer in self.peers]
        least = min((int(each.min()) for each in arrived if len(each)), default=0)
        over = self.at_cluster & (self.arrived <= least)
        self.waiting[over] = False
        self.at_cluster[over] = False

    # The run

    def run(self) -> Progress:
        """Execute until every thread has ended; yields now and then."""
        end = len(self.steps)
        watch = Watch(self)
        alone = len(self.block.engine.machine.agents) == 1
        turn = _ALONE if alone else _TOGETHER
        rounds = 0
        while True:
            rounds += 1
            if rounds % turn == 0:
                yield None
            if self.at_cluster.any():
                self.meet_cluster()
            if watch.repeats():
                yield Stuck(self, watch, self.changes.count)
            runnable = ~self.waiting & (self.pc < end)
            if not runnable.any():
                if not self.at_cluster.any():
                    break
                yield _AtCluster(self)
                continue
            pcs = np.where(runnable, self.pc, _FAR)
            first = pcs.reshape(-1, WARP).min(axis=1)
            mine = runnable & (pcs == np.repeat(first, WARP))
            for at in np.unique(first[first < _FAR]):
                # Where threads were before this round: one that has come here since
                # is ahead of its warp.
                threads = np.nonzero(mine & (pcs == at))[0]
                self._straight(int(at), threads)
        if self.waiting.any():
            # All that still could go on wait at barriers of the block.
            yield Stuck(self, None, self.changes.count)

    def end_of_run(self, at: int) -> int:
        """The first instruction after one that the same threads need not come to."""
        instructions = self.entry.instructions
        for number in range(at, self.entry.run_ends[at]):
            if instructions[number].name in ENDS_A_RUN:
                return number + 1
        return self.entry.run_ends[at]

    def _straight(self, at: int, threads: Threads) -> None:
        """Run instructions up to the next label or a jump."""
        stop = self.entry.run_ends[at]
        while at < stop:
            self.pc[threads] = at + 1
            instruction = self.entry.instructions[at]
            active = threads
            if instruction.guard is not None:
                holds = self.read(instruction.guard, "pred", threads)
                active = threads[holds != instruction.negated]
            if len(active):
                self.steps[at](self, active)
            if instruction.name in ENDS_A_RUN or self.waiting[threads].any():
                return
            at += 1


@dataclass(frozen=True)
class _AtCluster:
    """No thread of a block can go on before those of other blocks have arrived."""

    machine: Machine
    op: None = None

    def ready(self) -> bool:
        """Whether one can."""
        machine = self.machine
        machine.meet_cluster()
        return bool((machine.live & ~machine.waiting).any())

    def describe(self) -> str:
        """For the report of a deadlock."""
        return "waits at the barrier of the cluster"


ENDS_A_RUN = frozenset({"bra", "ret", "exit", "bar", "barrier", "wgmma", "mbarrier"})
"""After these threads may be elsewhere, or others must have their turn."""


def _prefix(register: str) -> str:
    return register.rstrip("0123456789")


def _index(register: str) -> int:
    return int(register[len(_prefix(register)) :])


def unknown(instruction: Instruction) -> Run:
    """What has no meaning here: a located error when the text is read."""
    instruction.refuse("has no meaning in the interpreter of PTX text")
