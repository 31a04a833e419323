"""
Whether the ops of a scope are sequential, or ordered by barriers only.

Where a kernel is written, the ops of one scope are sequential for all its threads. The
pass that makes barriers replaces this meaning: from then on program order orders the
accesses of one thread only. The same goes for fences between the two proxies. Passes
say so by attributes of the kernel.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.dialects.croq import BarrierOp, KernelOp, WaitOp, event_type

EXPLICIT_BARRIERS = "explicit_barriers"
"""Only `croq.barrier` orders the threads of a scope; set by `--insert-barriers`."""

EXPLICIT_FENCES = "explicit_fences"
"""Only fences order the proxies; set by `--insert-fences`."""


COOPERATIVE = "cooperative"
"""Blocks wait for each other; set by `--lower-grid-barriers`, `--lower-grid-events`."""


def is_cooperative(kernel: KernelOp) -> bool:
    """Whether blocks of the grid wait for each other, so that all must run at once."""
    return COOPERATIVE in kernel.attributes or any(map(_waits, kernel.walk()))


def _waits(op: Operation) -> bool:
    """Whether an op waits for other blocks of the grid."""
    match op:
        case BarrierOp():
            return op.grid is not None
        case WaitOp():
            return event_type(op.event).is_of_grid
        case _:
            return False


def has_explicit_barriers(kernel: KernelOp) -> bool:
    """Whether only barriers order the threads of a scope."""
    if EXPLICIT_BARRIERS in kernel.attributes:
        return True
    return any(op.name.startswith("nvvm.") for op in kernel.walk())


def has_explicit_fences(kernel: KernelOp) -> bool:
    """Whether only fences order the generic and the asynchronous proxy."""
    return EXPLICIT_FENCES in kernel.attributes
