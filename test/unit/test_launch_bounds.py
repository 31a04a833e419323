"""What kernels state of registers and of blocks on a multiprocessor."""

from __future__ import annotations

import pytest
from multiprocessor_kernels import chains_kernel

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import find_ptxas

STEPS = 4096
NO_PTXAS = pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")


def stating(text: str) -> str:
    """A kernel with 32 values in each of 256 threads, and attributes."""
    kernel = chains_kernel(32, STEPS)
    return kernel.replace('src[i]"}', f'src[i]", {text}}}')


@NO_PTXAS
def test_blocks_that_have_to_fit():
    free = croq.compile(stating("note = 1 : i64"))
    held = croq.compile(stating("min_blocks = 5 : i64"))
    assert "\n.minnctapersm 1\n" in free.ptx
    assert "\n.minnctapersm 5\n" in held.ptx
    assert ".maxnreg" not in held.ptx
    assert (free.resources.blocks_per_multiprocessor or 0) < 5
    assert held.resources.blocks_per_multiprocessor == 5


@NO_PTXAS
@pytest.mark.parametrize("most", [64, 40, 32])
def test_registers_of_a_thread(most: int):
    kernel = croq.compile(stating(f"max_registers = {most} : i64"))
    assert f"\n.maxnreg {most}\n" in kernel.ptx
    found = kernel.resources
    assert found.registers is not None
    assert found.registers <= most
    assert found.occupancy is not None
    assert found.occupancy.limits["registers"] >= 65536 // 256 // most


@NO_PTXAS
def test_too_few_registers_are_told():
    kernel = croq.compile(stating("max_registers = 24 : i64"))
    assert kernel.resources.spill_bytes
    with pytest.raises(croq.CompileError, match=r"registers must suffice, got \d+"):
        kernel.refuse_spills()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min_blocks = 0 : i64", "min_blocks must be 1 to 8 with 256 threads .* got 0"),
        ("min_blocks = 9 : i64", "min_blocks must be 1 to 8 with 256 threads .* got 9"),
        ("max_registers = 8 : i64", "max_registers must be 16 to 255 .* got 8"),
        ('max_registers = "few"', 'max_registers must be 16 to 255 .* got "few"'),
        (
            "max_registers = 64 : i64, min_blocks = 2 : i64",
            "must have one of min_blocks and max_registers, got both",
        ),
    ],
)
def test_refused(text: str, message: str):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(stating(text))


def test_not_beside_budgets_of_roles():
    text = """
croq.kernel @k () attributes {max_registers = 64 : i64} {
  croq.parallel (%b) in (1) : block {
    croq.role "few" warpgroups [0, 1) registers 40 {
      croq.barrier
    }
    croq.role "many" warpgroups [1, 2) registers 232 {
      croq.barrier
    }
  }
}
"""
    with pytest.raises(croq.CompileError, match="max_registers where roles have budg"):
        croq.compile(text)
