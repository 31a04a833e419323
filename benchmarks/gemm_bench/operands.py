"""Operands on the device, and the check of a product against float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .shapes import Shape

CHECKED_ELEMENTS = 16 << 20
"""The check holds so many elements in float64 at a time."""

TOLERANCE = 1e-3
"""Relative error in the Frobenius norm; rounding to f16 alone is 2.1e-4."""


@dataclass(frozen=True)
class Operands:
    """The sets that launches rotate over; number i is A[i], B[i] and D[i]."""

    torch: Any
    shape: Shape
    lhs: tuple[Any, ...]
    """[M, K], f16."""

    rhs: tuple[Any, ...]
    """[N, K], f16."""

    out: tuple[Any, ...]
    """[M, N], f16."""

    wanted: Any
    """[M, N]: the product of the first set in float64, kept in float32."""

    stream: Any
    """Everything is launched here: a torch stream, which may be captured."""


@dataclass(frozen=True)
class Check:
    """How far a product is from the reference."""

    relative: float
    """In the Frobenius norm."""

    worst: float
    """The largest error of an element, in units of what it may be."""

    @property
    def correct(self) -> bool:
        """NaN is not."""
        return self.relative <= TOLERANCE and self.worst <= 1

    def __str__(self) -> str:
        return f"relative error {self.relative:.2e}, worst element {self.worst:.2f}"


def make_operands(torch: Any, shape: Shape, seed: int, sets: int | None) -> Operands:
    """Normal random operands; `sets` of them, else as many as the shape asks for."""
    generator = torch.Generator(device="cuda")
    generator.manual_seed(seed)

    def random(rows: int, columns: int) -> Any:
        return torch.randn(
            rows, columns, device="cuda", dtype=torch.float16, generator=generator
        )

    count = shape.sets if sets is None else sets
    lhs = tuple(random(shape.m, shape.k) for _ in range(count))
    rhs = tuple(random(shape.n, shape.k) for _ in range(count))
    out = tuple(
        torch.empty(shape.m, shape.n, dtype=torch.float16, device="cuda")
        for _ in range(count)
    )
    wanted = reference(torch, lhs[0], rhs[0])
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    return Operands(torch, shape, lhs, rhs, out, wanted, stream)


def reference(torch: Any, lhs: Any, rhs: Any) -> Any:
    """A B^T, multiplied and summed in float64, rounded once to float32."""
    m, n = lhs.shape[0], rhs.shape[0]
    wanted = torch.empty(m, n, dtype=torch.float32, device="cuda")
    wide = rhs.double().T
    step = max(1, CHECKED_ELEMENTS // max(n, lhs.shape[1]))
    for row in range(0, m, step):
        wanted[row : row + step] = lhs[row : row + step].double() @ wide
    return wanted


def compare(torch: Any, out: Any, wanted: Any) -> Check:
    """A product beside its reference.

    An element may be off by the rounding of f16 (2^-11 of it, twice for a tie broken
    elsewhere) and by 1e-3 of the root mean square for the sums in float32.
    """
    m, n = wanted.shape
    step = max(1, CHECKED_ELEMENTS // n)
    off = torch.zeros((), dtype=torch.float64, device="cuda")
    size, worst = torch.zeros_like(off), torch.zeros_like(off)
    scale = torch.linalg.norm(wanted) / (m * n) ** 0.5
    for row in range(0, m, step):
        want = wanted[row : row + step].double()
        error = (out[row : row + step].double() - want).abs()
        off += (error * error).sum()
        size += (want * want).sum()
        allowed = want.abs() * 2**-10 + 1e-3 * scale
        # A maximum of torch is NaN where an element is.
        worst = torch.maximum(worst, (error / allowed).max())
    return Check(float((off / size).sqrt()), float(worst))


def poison(operands: Operands) -> None:
    """Fill every output with NaN, and wait until it is."""
    for out in operands.out:
        out.fill_(float("nan"))
    operands.torch.cuda.synchronize()


def check_outputs(operands: Operands, launched: int) -> Check:
    """The first output against the reference; no NaN in the others that were launched.

    Call `poison` before the launches.
    """
    torch = operands.torch
    torch.cuda.synchronize()
    check = compare(torch, operands.out[0], operands.wanted)
    for out in operands.out[1:launched]:
        if not bool(torch.isfinite(out).all()):
            return Check(float("nan"), check.worst)
    return check
