"""
The simulator says of random programs what exhaustive exploration says.

A run is one schedule, and still finds what is wrong in any: that is the claim tested
here, under every policy. A program that exploration finds nothing wrong with has to run
without a fault at the hardware level, too.

A fixed sample runs by default; `CROQ_PROPERTY_EXAMPLES=1000 pytest test/properties`
takes that many new random programs for each test.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqtile_mlir.diagnostics import CompileError
from properties.agreement import STATES, grid, sample
from properties.kernels import (
    counts_arrivals,
    faults_of,
    load,
    model_of,
    module_of,
    with_arrivals_of,
)
from properties.oracle import Fault, TooLarge, explore
from properties.patterns import programs
from properties.programs import Load, Move, Multiply, Program, Read, walk

POLICIES = ("rr", "late", "early", "random:1")


def _explored(program: Program) -> Iterator[tuple[dict[str, int], Fault | None]]:
    """Counts of at least one tile up to the first fault, and what is wrong there."""
    for counts in grid(program, 3):
        try:
            fault = explore(program, counts, STATES)
        except TooLarge:
            return
        if counts["t"] > 0 or "t" not in program.counts:
            yield counts, fault
        if fault is not None:
            return


def _counted(program: Program) -> Program | None:
    """The program with the arrivals of its kernel, if its triggers have a number."""
    found = model_of(program)
    if found is None or not counts_arrivals(module_of(program)):
        return None
    return with_arrivals_of(program, found)


def test_tile_level() -> None:
    """Programs of at most three roles and three steps, under every policy."""
    seen = {True: 0, False: 0}

    def check(drawn: Program) -> None:
        program = _counted(drawn)
        if program is None:
            return
        kernel = load(program, "croq")
        for counts, fault in _explored(program):
            for policy in POLICIES:
                faults = faults_of(kernel, counts, policy)
                if fault is None:
                    assert not faults, f"at {counts} nothing is wrong, but {faults}"
                else:
                    assert faults, f"at {counts} the {policy} run is clean, but {fault}"
            seen[fault is None] += 1

    sample(programs(roles=3, arrivals=False), 100, check)
    assert min(seen.values()) > 20


def _mixed(program: Program) -> bool:
    """
    Whether a role both loads by TMA and reads stages.

    Its warps may lag behind the one that loads (`test_regressions`).
    """
    return any(
        any(isinstance(s, Load) for s in walk(role.body))
        and any(isinstance(s, Read | Move | Multiply) for s in walk(role.body))
        for role in program.roles
    )


def test_hardware_level() -> None:
    """Right programs, after the whole lowering, one policy after the other."""
    runs = 0

    def check(drawn: Program) -> None:
        nonlocal runs
        program = _counted(drawn)
        if program is None or _mixed(program):
            return
        explored = list(_explored(program))
        if not explored or any(fault is not None for _, fault in explored):
            return
        try:
            kernel = load(program, "nvvm")
        except CompileError as error:
            # What goes wrong at larger counts only is refuted on the way.
            if "croq.wait" in str(error) or "may" in str(error):
                return
            raise
        for number, (counts, _) in enumerate(explored):
            policy = POLICIES[number % len(POLICIES)]
            faults = faults_of(kernel, counts, policy)
            assert not faults, f"at {counts} nothing is wrong, but {faults}"
            runs += 1

    sample(programs(roles=3, arrivals=False, most=1), 40, check)
    assert runs > 40
