"""
Which bytes of shared memory `wgmma` reads: its descriptors, decoded.

PTX ISA, "Matrix Descriptor Format" and "Strides".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.hardware.events import Event
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import (
    Constant,
    Expr,
    Interval,
    Start,
    Statement,
    Unknown,
)
from croqtile_mlir.dialects import nvvm

_FIELD = (1 << 14) - 1
_WIDTHS = (16, 128, 64, 32)
"""Bytes of a row of a panel, by the layout bits."""

_CORE_ROWS = 8
_K_BYTES = 32
"""Bytes of K that one wgmma takes of each row."""

_SAMPLES = (0, 1, 6)
"""Values of the variables with which the constant part of a descriptor is read."""


@dataclass
class Matrices:
    """Decodes descriptors."""

    values: Values
    upper: dict[Expr, int | None] = field(default_factory=dict[Expr, int | None])
    """What stands above the start address, by descriptor."""

    known: dict[tuple[Operation, tuple[Expr, ...]], list[Interval]] = field(
        default_factory=dict[tuple[Operation, tuple[Expr, ...]], list[Interval]]
    )

    def operands(self, event: Event, exprs: tuple[Expr, ...]) -> list[Interval]:
        """The bytes of A and of B; `exprs` are the descriptors in a warp."""
        found = self.known.get((event.op, exprs))
        if found is None:
            found = self.known[event.op, exprs] = self._read(event, exprs)
        return found

    def _read(self, event: Event, exprs: tuple[Expr, ...]) -> list[Interval]:
        op = event.op
        assert isinstance(op, nvvm.WgmmaMmaAsyncOp)
        _, n, k = op.shape.extents
        row, col = nvvm.MMALayout.Row, nvvm.MMALayout.Col
        wanted = (
            (64, op.layout_a.data is row),
            (n, op.layout_b.data is col),
        )
        return [
            self._interval(general, expr, extent, k, k_major, event)
            for general, expr, (extent, k_major) in zip(
                event.exprs, exprs, wanted, strict=True
            )
        ]

    def _interval(
        self,
        general: Expr,
        descriptor: Expr,
        extent: int,
        k: int,
        k_major: bool,
        event: Event,
    ) -> Interval:
        """`extent` is M or N; k is in elements."""
        fields = self._fields(general)
        if fields is None:
            # For warps of other roles the arithmetic may be beyond the field.
            fields = self._fields(descriptor)
        if fields is None:
            unknown = Unknown("the descriptor of a wgmma", event.op)
            return Interval(unknown, unknown)
        leading = (fields & _FIELD) * 16
        stride = (fields >> 16 & _FIELD) * 16
        width = _WIDTHS[fields >> 46 & 3]
        groups = extent // _CORE_ROWS
        if k_major and width == 16:
            size = (groups - 1) * stride + (_K_BYTES // 16 - 1) * leading + 128
        elif k_major:
            size = (groups - 1) * stride + _CORE_ROWS * width
        elif width == 16:
            size = (groups - 1) * stride + (k // 8 - 1) * leading + 128
        else:
            panels = -(-extent * 2 // width)
            size = (panels - 1) * leading + (k // 8 - 1) * stride
            size += _CORE_ROWS * width
        make = self.values.make
        units = make.apply("and", descriptor, Constant(_FIELD))
        start = make.apply("mul", units, Constant(16))
        if width > 16:
            rows = make.apply("floordiv", start, Constant(width))
            start = make.apply("mul", rows, Constant(width))
        return Interval(start, make.apply("add", start, Constant(size)))

    def _fields(self, descriptor: Expr) -> int | None:
        """The bits above the start address, if they are constant."""
        if descriptor not in self.upper:
            self.upper[descriptor] = self._sampled(descriptor)
        return self.upper[descriptor]

    def _sampled(self, descriptor: Expr) -> int | None:
        make = self.values.make
        found: set[int] = set()
        for sample in _SAMPLES:
            at = {v: Constant(sample) for v in make.variables(descriptor)}
            value = make.substitute(descriptor, at, {})
            if any(isinstance(v, Unknown) for v in at):
                return None
            if not isinstance(value, Constant):
                return None
            found.add(value.value >> 16 & ((1 << 48) - 1))
        return found.pop() if len(found) == 1 else None


def joined_products(made: list[Statement], actions: list[Statement]) -> list[Statement]:
    """Products that follow each other are one operation: they run in order."""
    last, following = made[-1] if made else None, actions[0]
    if not isinstance(last, Start) or not isinstance(following, Start):
        return actions
    if last.queue != "wgmma" or following.queue != "wgmma":
        return actions
    del made[-1]
    accesses = dict.fromkeys((*last.accesses, *following.accesses))
    return [replace(last, accesses=tuple(accesses))]
