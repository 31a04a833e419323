"""
Index values as linear forms, and what is known of them: divisors and bounds.

Addresses are sums of a few products. Knowing the constant part of a sum, what its rest
is a multiple of and how large it can get decides how much of an address is computed at
run time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.scopes import kernel_of, scope_of
from croqtile_mlir.dialects.croq import (
    DimOp,
    ForeachOp,
    ParallelOp,
    ThreadIdOp,
)
from croqtile_mlir.lowering.rewriting import constant_value


@dataclass(frozen=True)
class Linear:
    """A sum of integer multiples of SSA values, and a constant."""

    terms: tuple[tuple[SSAValue, int], ...] = ()
    constant: int = 0

    @property
    def is_constant(self) -> bool:
        """Whether nothing of it is computed at run time."""
        return not self.terms

    @property
    def dynamic(self) -> Linear:
        """The form without its constant."""
        return Linear(self.terms)

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        factors = dict(self.terms)
        for value, factor in other.terms:
            factors[value] = factors.get(value, 0) + factor
        return Linear(
            tuple((value, factor) for value, factor in factors.items() if factor),
            self.constant + other.constant,
        )

    def __mul__(self, factor: int) -> Linear:
        if not factor:
            return Linear()
        return Linear(
            tuple((value, own * factor) for value, own in self.terms),
            self.constant * factor,
        )

    def __floordiv__(self, divisor: int) -> Linear:
        """The form divided by a number that divides every factor and the constant."""
        return Linear(
            tuple((value, own // divisor) for value, own in self.terms),
            self.constant // divisor,
        )

    @property
    def multiple(self) -> int:
        """A number that divides every value of the form; 0 for the constant 0."""
        return gcd(
            self.constant, *(known_multiple(v) * factor for v, factor in self.terms)
        )

    @property
    def upper_bound(self) -> int | None:
        """The largest value, if known and if no term is negative."""
        total = self.constant
        for value, factor in self.terms:
            bound = known_bound(value)
            if bound is None or factor < 0:
                return None
            total += bound * factor
        return total


def linear(value: SSAValue | int) -> Linear:
    """The linear form of an index: sums and products with constants taken apart."""
    if isinstance(value, int):
        return Linear((), value)
    if (known := constant_value(value)) is not None:
        return Linear((), known)
    match value.owner:
        case arith.AddiOp(lhs=a, rhs=b):
            return linear(a) + linear(b)
        case arith.SubiOp(lhs=a, rhs=b):
            return linear(a) + linear(b) * -1
        case arith.MuliOp(lhs=a, rhs=b):
            left, right = linear(a), linear(b)
            if right.is_constant:
                return left * right.constant
            if left.is_constant:
                return right * left.constant
        case arith.ShLIOp(lhs=a, rhs=b):
            if (shift := constant_value(b)) is not None:
                return linear(a) * (1 << shift)
        case arith.IndexCastOp(input=source):
            # Extents fit 32 bits, so a sum may be taken apart on either side of a cast.
            return linear(source)
        case _:
            pass
    return Linear(((value, 1),))


def known_multiple(value: SSAValue) -> int:
    """A number that divides an integer value; 0 when it is the constant 0."""
    if (known := constant_value(value)) is not None:
        return abs(known)
    owner = value.owner
    if isinstance(owner, Block):
        return _multiple_of_argument(value, owner)
    match owner:
        case arith.AddiOp(lhs=a, rhs=b) | arith.SubiOp(lhs=a, rhs=b):
            return gcd(known_multiple(a), known_multiple(b))
        case arith.MuliOp(lhs=a, rhs=b):
            return known_multiple(a) * known_multiple(b)
        case arith.ShLIOp(lhs=a, rhs=b):
            return known_multiple(a) << (constant_value(b) or 0)
        case arith.AndIOp(lhs=a, rhs=b):
            return max(_low_zeros(known_multiple(a)), _low_zeros(known_multiple(b)))
        case arith.OrIOp(lhs=a, rhs=b) | arith.XOrIOp(lhs=a, rhs=b):
            return _low_zeros(gcd(known_multiple(a), known_multiple(b)))
        case arith.ShRUIOp(lhs=a, rhs=b):
            return _divided(known_multiple(a), 1 << (constant_value(b) or 0))
        case arith.DivUIOp(lhs=a, rhs=b):
            return _divided(known_multiple(a), constant_value(b) or 0)
        case arith.RemUIOp(lhs=a, rhs=b):
            return gcd(known_multiple(a), known_multiple(b))
        case arith.SelectOp(lhs=a, rhs=b):
            return gcd(known_multiple(a), known_multiple(b))
        case arith.IndexCastOp() | arith.ExtUIOp() | arith.ExtSIOp():
            return known_multiple(owner.operands[0])
        case DimOp():
            return _multiple_of_name(owner, owner.dim.data)
        case _:
            return 1


def _low_zeros(multiple: int) -> int:
    """The largest power of two in a multiple."""
    return multiple & -multiple if multiple else 1 << 62


def _divided(multiple: int, divisor: int) -> int:
    if not divisor or multiple % divisor:
        return 1
    return multiple // divisor


def _multiple_of_name(op: Operation, name: str) -> int:
    return kernel_of(op).dim_multiples.get(name, 1)


def _multiple_of_argument(value: SSAValue, block: Block) -> int:
    parent = block.parent_op()
    if isinstance(parent, ForeachOp) and value is parent.induction:
        steps: Iterable[SSAValue | int | str] = (parent.lower, parent.step)
    elif isinstance(parent, scf.ForOp) and value is parent.body.block.args[0]:
        steps = (parent.lb, parent.step)
    else:
        return 1
    return gcd(
        *(
            known_multiple(step)
            if isinstance(step, SSAValue)
            else step
            if isinstance(step, int)
            else _multiple_of_name(parent, step)
            for step in steps
        )
    )


def known_bound(value: SSAValue) -> int | None:
    """The largest value that a non-negative integer can have, if that is known."""
    if (known := constant_value(value)) is not None:
        return known if known >= 0 else None
    owner = value.owner
    if isinstance(owner, Block):
        return _bound_of_argument(value, owner)
    match owner:
        case arith.AndIOp(lhs=a, rhs=b):
            bounds = [x for x in (known_bound(a), known_bound(b)) if x is not None]
            return min(bounds, default=None)
        case arith.RemUIOp(rhs=b):
            divisor = known_bound(b)
            return divisor - 1 if divisor else None
        case arith.ShRUIOp(lhs=a, rhs=b):
            bound, shift = known_bound(a), constant_value(b)
            return None if bound is None or shift is None else bound >> shift
        case arith.DivUIOp(lhs=a, rhs=b):
            bound, divisor = known_bound(a), constant_value(b)
            return None if bound is None or not divisor else bound // divisor
        case arith.AddiOp(lhs=a, rhs=b):
            left, right = known_bound(a), known_bound(b)
            return None if left is None or right is None else left + right
        case arith.MuliOp(lhs=a, rhs=b):
            left, right = known_bound(a), known_bound(b)
            return None if left is None or right is None else left * right
        case arith.ShLIOp(lhs=a, rhs=b):
            bound, shift = known_bound(a), constant_value(b)
            return None if bound is None or shift is None else bound << shift
        case arith.IndexCastOp() | arith.ExtUIOp():
            return known_bound(owner.operands[0])
        case ThreadIdOp():
            return scope_of(owner).num_threads - 1
        case _:
            return 31 if owner.name == "nvvm.read.ptx.sreg.laneid" else None


def _bound_of_argument(value: SSAValue, block: Block) -> int | None:
    parent = block.parent_op()
    upper: SSAValue | int | str | None = None
    if isinstance(parent, ForeachOp) and value is parent.induction:
        upper = parent.upper
    elif isinstance(parent, scf.ForOp) and value is parent.body.block.args[0]:
        upper = parent.ub
    elif isinstance(parent, ParallelOp) and parent.level.data.divides_block:
        upper = parent.extent_values[block.args.index(value)]
    if isinstance(upper, SSAValue):
        upper = known_bound(upper)
    return upper - 1 if isinstance(upper, int) and upper > 0 else None
