"""Conversions of PTX text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from croqtile_mlir.simulator.ptx.machine import TYPES, Machine, Run, Threads, unknown
from croqtile_mlir.simulator.ptx.text import Instruction
from croqtile_mlir.simulator.warp_matrices import tf32_words


def convert(ins: Instruction) -> Run:
    """`cvt.to.from`; `cvt.rn.f16x2.f32 d, high, low`."""
    source, target = ins.opcode[-1], ins.opcode[-2]
    out = ins.register(0)
    if target in ("f16x2", "bf16x2"):
        dtype: Any = np.float16 if target == "f16x2" else ml_dtypes.bfloat16

        def halves(machine: Machine, threads: Threads) -> None:
            high, low = (
                machine.read(ins.register(index), source, threads).astype(dtype)
                for index in (1, 2)
            )
            both = np.stack([low, high], axis=1).view(np.uint32).ravel()
            machine.write(out, both, threads)

        return halves
    if target == "tf32":
        if ins.opcode[1:] != ("rna", "tf32", "f32"):
            return unknown(ins)

        def rounded(machine: Machine, threads: Threads) -> None:
            value = machine.read(ins.register(1), "f32", threads)
            machine.write(out, tf32_words(value), threads)

        return rounded
    narrow: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}

    def run(machine: Machine, threads: Threads) -> None:
        raw = machine.read(
            ins.register(1), "b16" if source in narrow else source, threads
        )
        value = raw.view(narrow[source]) if source in narrow else raw
        converted = value.astype(narrow.get(target, TYPES.get(target)))
        machine.write(out, converted, threads)

    return run


CONVERSIONS: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {"cvt": convert}
)
"""What makes the step of an instruction, by the first part of its opcode."""
