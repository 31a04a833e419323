"""Products of tiles, in accumulators."""

from __future__ import annotations

from math import isfinite

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from croqtile_mlir.building.checks import (
    caller,
    check_extents,
    check_integer_lists,
    check_integers,
    check_number,
    check_texts,
    check_values,
    element_type,
    refusing,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType, Dim


class Products(Building):
    """Accumulators are values: each op gives the new one."""

    def acc_type(self, rows: Dim, cols: Dim, dtype: str = "f32") -> AccType:
        """The type of an accumulator."""
        element = element_type(dtype)
        check_extents((rows, cols))
        with refusing():
            return AccType(rows, cols, element)

    def fill(self, value: float, rows: Dim, cols: Dim, dtype: str = "f32") -> SSAValue:
        """An accumulator whose elements are all `value`."""
        acc = self.acc_type(rows, cols, dtype)
        check_number(value, "value")
        if isinstance(acc.element_type, IntegerType) and not isfinite(value):
            fail(caller(), f"value must be an integer for sums of i32, got {value}")
        return self.add(croq.MmaFillOp(value, acc)).acc

    def mma(
        self, acc: SSAValue, a: SSAValue, b: SSAValue, form: str = "row.row"
    ) -> SSAValue:
        """Start acc + a * b. `form` says how a and b are stored (`croq.mma.exec`)."""
        check_values(acc, a, b)
        check_texts(form=form)
        return self.made(lambda: croq.MmaExecOp(form, acc, a, b)).results[0]

    def commit(self, acc: SSAValue) -> SSAValue:
        """Close the group of the products started before."""
        check_values(acc)
        return self.made(lambda: croq.MmaCommitOp(acc)).result

    def wait(self, acc: SSAValue, in_flight: int = 0) -> SSAValue:
        """Wait until at most `in_flight` groups are incomplete."""
        check_values(acc)
        check_integers(in_flight=in_flight)
        return self.made(lambda: croq.MmaWaitOp(acc, in_flight)).result

    def store(
        self, acc: SSAValue, tile: SSAValue, cols: tuple[int, int] | None = None
    ) -> None:
        """Store an accumulator, or some of its columns, to a shared or global tile."""
        check_values(acc, tile)
        check_integer_lists(cols=cols)
        if cols is not None and len(cols) != 2:
            fail(caller(), f"cols must be two numbers, got {len(cols)}")
        self.made(lambda: croq.MmaStoreOp(acc, tile, cols))
