"""The ops of integer arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

Maker = Callable[[SSAValue, SSAValue], Operation]

INTEGER_OPS: Mapping[str, tuple[Maker, Maker]] = MappingProxyType(
    {
        "+": (arith.AddiOp, arith.AddiOp),
        "-": (arith.SubiOp, arith.SubiOp),
        "*": (arith.MuliOp, arith.MuliOp),
        "/": (arith.DivSIOp, arith.DivUIOp),
        "%": (arith.RemSIOp, arith.RemUIOp),
        "&": (arith.AndIOp, arith.AndIOp),
        "|": (arith.OrIOp, arith.OrIOp),
        "^": (arith.XOrIOp, arith.XOrIOp),
        "<<": (arith.ShLIOp, arith.ShLIOp),
        ">>": (arith.ShRSIOp, arith.ShRUIOp),
        "min": (arith.MinSIOp, arith.MinUIOp),
        "max": (arith.MaxSIOp, arith.MaxUIOp),
    }
)
"""The op of signed integers and that of unsigned ones."""
