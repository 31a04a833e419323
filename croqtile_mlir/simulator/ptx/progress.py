"""
Threads of PTX text that can never go on.

A wait is a loop around a test (`mbarrier.try_wait`, `ld.acquire`), which by itself
never ends. What a block does next follows from its registers, its program counters and
memory. So a block that comes to a state for the second time, while nobody has changed
memory, an mbarrier or what threads meet at, will go round for ever unless another block
changes something: it waits for that. Where all blocks wait the machine reports a
deadlock.

It is not enough to count tests in vain: threads of a block test at different rounds, in
between they branch, and some may count something while others wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.ptx.text import Instruction

if TYPE_CHECKING:
    from croqtile_mlir.simulator.ptx.machine import Machine

_QUIET = 64
"""Rounds without a change after which states are compared."""

_CHANGING = frozenset(
    {"st", "cp", "bar", "barrier", "stmatrix", "ret", "exit"},
)
_TESTS = ("try_wait", "test_wait")
_READING = ("ld", "atom")
_LISTED = 4
"""Most tests that a report lists for a block."""


def changes(ins: Instruction) -> bool:
    """
    Whether an instruction changes more than registers.

    `atom` and `red` say so themselves: they do where the value becomes another one.
    """
    if ins.name == "mbarrier":
        return ins.opcode[1] not in _TESTS
    return ins.name in _CHANGING


@dataclass(eq=False)
class Changes:
    """Of memory, mbarriers and meetings, by all blocks of a launch."""

    count: int = 0


@dataclass(eq=False)
class Watch:
    """
    Looks for a state of a block that comes twice without a change.

    One state is kept and compared with those that follow; after 1, 2, 4, .. of them the
    newest takes its place, so that a circle of any length is found.
    """

    machine: Machine
    _quiet: int = 0
    _seen: int = -1
    _kept: bytes = b""
    _compared: int = 0
    _until: int = 1
    _passed: dict[int, NDArray[np.bool_]] = field(
        default_factory=dict[int, NDArray[np.bool_]]
    )
    """Where which threads have been since the state that is kept."""

    def repeats(self) -> bool:
        """After a round: whether the block can only go round."""
        machine = self.machine
        if machine.changes.count != self._seen:
            self._seen = machine.changes.count
            self._quiet, self._kept = 0, b""
            return False
        self._quiet += 1
        if self._quiet < _QUIET:
            return False
        state = b"".join(
            array.tobytes()
            for array in (machine.pc, machine.waiting, *machine.registers.values())
        )
        if not self._kept:
            self._keep(state, 1)
            return False
        self._note_places()
        if state == self._kept:
            return True
        self._compared += 1
        if self._compared == self._until:
            self._keep(state, 2 * self._until)
        return False

    def _keep(self, state: bytes, until: int) -> None:
        self._kept, self._compared, self._until = state, 0, until
        self._passed = {}

    def _note_places(self) -> None:
        machine = self.machine
        going = machine.live & ~machine.waiting
        for at in np.unique(machine.pc[going]).tolist():
            here = going & (machine.pc == at)
            self._passed[at] = self._passed.get(at, here) | here

    def tests(self) -> list[str]:
        """What the threads test in vain."""
        found: dict[int, str] = {}
        for at, here in sorted(self._passed.items()):
            # Threads go on from there to the next jump.
            for number in range(at, self.machine.end_of_run(at)):
                if number not in found:
                    text = self._test(number, np.nonzero(here)[0])
                    found |= {number: text} if text else {}
        texts = list(found.values())
        return [*texts[:_LISTED], *(["others"] if len(texts) > _LISTED else [])]

    def _test(self, number: int, threads: NDArray[np.int64]) -> str:
        ins = self.machine.entry.instructions[number]
        at = f"PTX line {ins.line}: {'.'.join(ins.opcode)}"
        if ins.name == "mbarrier":
            from croqtile_mlir.simulator.ptx.warps import addresses_of

            places = addresses_of(self.machine, ins, 1, threads)
            missing = [
                f"the mbarrier at {place} misses {state.pending} arrivals and "
                f"{state.bytes} bytes in phase {state.phase}"
                for place in np.unique(places).tolist()
                if (state := self.machine.mbarriers.get(place)) is not None
            ]
            return f"{at} ({'; '.join(missing)})"
        return at if ins.name in _READING and "param" not in ins.opcode else ""


@dataclass(frozen=True)
class Stuck:
    """A block whose threads wait for what none of them will do."""

    machine: Machine
    watch: Watch | None
    """Of threads that test something; None: all wait at barriers."""

    since: int
    """The changes that there were."""

    op: None = None

    def ready(self) -> bool:
        """Whether another block has changed something, which a test may find."""
        return self.watch is not None and self.machine.changes.count != self.since

    def describe(self) -> str:
        """For the report of a deadlock."""
        machine = self.machine
        tests = [] if self.watch is None else self.watch.tests()
        parts = [f"tests in vain at {test}" for test in tests]
        if count := int(machine.waiting.sum()):
            places: list[int] = np.unique(machine.pc[machine.waiting]).tolist()
            lines = {machine.entry.instructions[at - 1].line for at in places}
            listed = ", ".join(map(str, sorted(lines)))
            parts.append(
                f"has {count} threads that wait for ever at PTX lines {listed}"
            )
        return "; ".join(parts) or "goes round"
