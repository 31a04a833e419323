"""The machine code of scheduled kernels: what their main loops consist of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pytest
from support.sass import Loop, Program

from croqtile_mlir.ptx_tools import (
    AssemblyResult,
    assemble,
    disassemble,
    find_nvdisasm,
    find_ptxas,
)
from pipeline.lowering import EXAMPLES, TARGET, lower, parse, printed, run

pytestmark = pytest.mark.skipif(
    find_ptxas() is None or find_nvdisasm() is None,
    reason="needs ptxas and nvdisasm",
)

PLAIN = next(path for path in EXAMPLES if path.stem == "matmul").read_text()


@dataclass(frozen=True)
class Kernel:
    """A schedule of the plain product, and what its machine code may be."""

    passes: str
    products: int
    """wgmma instructions in an iteration of a consumer."""

    consumer: int
    """Most instructions of an iteration of a consumer."""

    producer: int = 0
    """Most instructions of an iteration of the producer; 0 where there is none."""

    loops: int = 1
    """Main loops: each role of consumers has one."""


def _roles(tile: str, options: str) -> str:
    return (
        f"bind-params{{{tile}}},persist{{order=grouped}},"
        f"warp-specialize{{in_flight=1 {options}}},overlap-epilogue"
    )


KERNELS = {
    "cooperative": Kernel(_roles("BN=256", "consumers=2 stages=4"), 4, 43, 26),
    "cooperative, five stages": Kernel(
        _roles("BN=176", "consumers=2 stages=5"), 4, 44, 27
    ),
    "tall": Kernel(_roles("BM=256 BN=128", "consumers=2 stages=3"), 8, 55, 27),
    "ping-pong": Kernel(_roles("BN=192", "mode=pingpong stages=4"), 8, 59, 26, loops=2),
    "ping-pong, five stages": Kernel(
        _roles("BN=128", "mode=pingpong stages=5"), 8, 56, 26, loops=2
    ),
    "one scope": Kernel(
        "bind-params{BN=256},persist{order=grouped},"
        "pipeline-loop{stages=4 in_flight=1},overlap-epilogue",
        4,
        66,
    ),
    "one scope, three stages": Kernel(
        "bind-params{BN=256},pipeline-loop{stages=3 in_flight=1}", 4, 66
    ),
}
"""Shapes are those of the launch: nothing is known of them here."""


@pytest.fixture(params=list(KERNELS.values()), ids=list(KERNELS))
def kernel(request: pytest.FixtureRequest) -> Kernel:
    found = request.param
    assert isinstance(found, Kernel)
    return found


@lru_cache
def assembled(kernel: Kernel) -> AssemblyResult:
    """What ptxas makes of a kernel; ping-pong ones are not proved for all shapes."""
    module = parse(PLAIN)
    run(module, kernel.passes)
    return assemble(lower(printed(module)), TARGET)


@lru_cache
def program(kernel: Kernel) -> Program:
    return Program.parse(disassemble(assembled(kernel).cubin))


def consumers(kernel: Kernel) -> list[Loop]:
    """The loops of products."""
    found = program(kernel).innermost("HGMMA")
    assert len(found) == kernel.loops
    return found


def producers(kernel: Kernel) -> list[Loop]:
    """The loop that only loads: that of the producer, or of loads before products."""
    loading = program(kernel).innermost("UTMALDG")
    found = [loop for loop in loading if not loop["HGMMA"]]
    assert len(found) == 1
    return found


def test_nothing_spills(kernel: Kernel):
    made = assembled(kernel)
    assert made.warnings == ()
    assert made.spill_bytes == made.stack_bytes == 0
    assert program(kernel)["STL"] == program(kernel)["LDL"] == 0


def test_register_budgets_take_effect(kernel: Kernel):
    """Each role changes its share; with no roles there is nothing to share."""
    roles = 1 + kernel.loops if kernel.producer else 0
    assert program(kernel)["USETMAXREG"] == roles
    if roles:
        assert assembled(kernel).registers == 168


def test_one_group_of_products_stays_in_flight(kernel: Kernel):
    for loop in consumers(kernel):
        assert loop["HGMMA"] == kernel.products
        waits = [i.text for i in loop.instructions if i.name.startswith("WARPGROUP.D")]
        assert len(waits) == 1
        assert "gsb0, 0x1" in waits[0]


def test_products_follow_each_other(kernel: Kernel):
    """Descriptors are in uniform registers, computed there; accumulators stay."""
    for loop in consumers(kernel):
        between = loop.between("HGMMA")
        moves = {"R2UR", "MOV", "S2R", "S2UR", "SHFL", "LDS", "LDC", "ULDC", "BAR"}
        assert not moves & set(between), loop.listing()
        assert loop["R2UR"] == 0, loop.listing()
        starts = {i.text.split()[1] for i in loop.instructions if i.opcode == "HGMMA"}
        # The rows of a warpgroup, 64 at a time: one block of registers each.
        assert len(starts) == kernel.products // 4, loop.listing()


def test_loops_do_not_divide(kernel: Kernel):
    """No division, however many stages there are; nothing is read from memory."""
    for loop in (*consumers(kernel), *producers(kernel)):
        slow = {"I2F", "F2I", "MUFU", "LDG", "LDL", "CALL", "MEMBAR"}
        assert not slow & set(loop.opcodes()), loop.listing()


def test_loops_are_short(kernel: Kernel):
    for loop in consumers(kernel):
        print(f"consumer: {len(loop.instructions)} of {kernel.consumer} instructions")
        assert len(loop.instructions) <= kernel.consumer, loop.listing()
    for loop in producers(kernel) if kernel.producer else ():
        print(f"producer: {len(loop.instructions)} of {kernel.producer} instructions")
        assert len(loop.instructions) <= kernel.producer, loop.listing()


def test_descriptors_take_few_instructions(kernel: Kernel):
    """From the wait to the first product: two sums, and what the slots need."""
    for loop in consumers(kernel):
        names = [i.opcode for i in loop.instructions]
        start = names.index("SYNCS")
        first = names[start : names.index("HGMMA")]
        assert sum(name == "ULOP3" for name in first) == 0, loop.listing()
        assert len(first) <= 16, loop.listing()


def test_one_barrier_in_an_iteration_of_one_scope(kernel: Kernel):
    for loop in consumers(kernel):
        assert loop["BAR"] == (0 if kernel.producer else 1), loop.listing()
