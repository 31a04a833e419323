"""Named barriers at which some threads only arrive, and others wait."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException


class SplitBarrierOp(IRDLOperation, ABC):
    """An op of all threads of a scope at a named barrier of the block."""

    identity = prop_def(StringAttr, prop_name="barrier")
    threads = prop_def(IntegerAttr[I64])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$barrier `threads` $threads attr-dict"

    def __init__(self, barrier: str, threads: int):
        super().__init__(
            properties={
                "barrier": StringAttr(barrier),
                "threads": IntegerAttr(threads, i64),
            }
        )

    def verify_(self) -> None:
        threads = self.threads.value.data
        if threads <= 0 or threads % 32:
            raise VerifyException(
                f"threads must be a positive multiple of 32, got {threads}"
            )


@irdl_op_definition
class BarrierArriveOp(SplitBarrierOp):
    """
    All threads of the scope arrive at a barrier, and go on.

    A generation of the barrier is complete when so many threads of the block have
    arrived or wait. What they did to shared memory before is visible to those that
    wait for it; another arrival must come after that (PTX ISA, bar.arrive).

    ```mlir
    croq.barrier_arrive "filled" threads 160
    ```
    """

    name = "croq.barrier_arrive"


@irdl_op_definition
class BarrierWaitOp(SplitBarrierOp):
    """
    All threads of the scope arrive at a barrier, and wait until it is complete.

    ```mlir
    croq.barrier_wait "filled" threads 160
    ```
    """

    name = "croq.barrier_wait"
