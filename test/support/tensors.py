"""Matrices on a device inside wider buffers, with guards that show stray accesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GUARD = 7.0
"""What stands around an output; no result of a test is ever exactly this far off."""


@dataclass(frozen=True)
class Guarded:
    """A matrix that is a view into a wider buffer."""

    view: Any
    buffer: Any
    top: int
    left: int

    def guards_untouched(self) -> bool:
        """Whether everything around the matrix is still the guard value."""
        rows, columns = self.view.shape
        inside = self.buffer[
            self.top : self.top + rows, self.left : self.left + columns
        ]
        kept = inside.clone()
        inside.fill_(GUARD)
        untouched = bool((self.buffer == GUARD).all())
        inside.copy_(kept)
        return untouched


def wide(
    torch: Any,
    rows: int,
    columns: int,
    *,
    dtype: str = "float16",
    unit: int = 8,
    around: float = float("nan"),
) -> Guarded:
    """An uninitialised matrix whose rows start at multiples of `unit` elements.

    With `unit` 8 and f16 elements address and pitch are multiples of 16 bytes; with 1
    they are not.
    """
    left = unit if unit > 1 else 1
    width = -(-(columns + 2 * left) // unit) * unit
    if unit == 1 and width % 8 == 0:
        width += 1
    kind = getattr(torch, dtype)
    buffer = torch.full((rows + 4, width), around, dtype=kind, device="cuda")
    return Guarded(buffer[2 : 2 + rows, left : left + columns], buffer, 2, left)


def operand(
    torch: Any,
    rows: int,
    columns: int,
    scale: float,
    unit: int = 8,
    dtype: str = "float16",
) -> Any:
    """A normal random matrix; NaN stands around it."""
    made = wide(torch, rows, columns, dtype=dtype, unit=unit).view
    made.copy_(torch.randn(rows, columns, device="cuda") * scale)
    return made


def output(
    torch: Any, rows: int, columns: int, unit: int = 8, dtype: str = "float16"
) -> Guarded:
    """A matrix of NaN inside guards."""
    made = wide(torch, rows, columns, dtype=dtype, unit=unit, around=GUARD)
    made.view.fill_(float("nan"))
    return made


def product(torch: Any, lhs: Any, rhs: Any) -> Any:
    """lhs times rhs transposed, in float64."""
    return lhs.to(torch.float64) @ rhs.to(torch.float64).T


def relative_error(torch: Any, got: Any, wanted: Any) -> float:
    """The norm of the difference by the norm of what is wanted."""
    difference = float(torch.linalg.norm(got.to(torch.float64) - wanted))
    norm = float(torch.linalg.norm(wanted))
    return difference / norm if norm else difference
