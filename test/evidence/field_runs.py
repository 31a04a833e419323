"""Runs that have gone wrong in other compilers, of kernels that are right here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evidence.corpus import CASES


@dataclass(frozen=True)
class FieldRun:
    """A run that somebody has seen go wrong somewhere, of a kernel that is right."""

    field: str
    """What it is about, as in reports from the field."""

    name: str
    params: Mapping[str, int]
    dims: Mapping[str, int]

    def __str__(self) -> str:
        numbers = {**self.params, **self.dims}
        return " ".join(
            [self.field, self.name, *(f"{n}={v}" for n, v in numbers.items())]
        )


def _field_runs() -> Iterator[FieldRun]:
    for stages in (1, 2, 4):
        for depth in (64, 16):
            dims = {"M": 64, "N": 64, "K": depth}
            yield FieldRun("F02 one step", "plain_product", {"S": stages}, dims)
    for name in ("plain_product", "prologue_in_producer", "ahead_by_two"):
        for steps in range(4):
            dims = CASES[name].sizes(steps)
            yield FieldRun("F03 ring deeper than the row", name, {"S": 4}, dims)
    for name in ("plain_product", "ready_ring", "one_stage"):
        yield FieldRun("F04 one slot", name, {"S": 1}, CASES[name].sizes(7))
    for stages in (2, 3, 4):
        for tiles in (1, 2, 3):
            for steps in (3, 4, 5):
                dims = {"M": 64 * tiles, "N": 64, "K": 64 * steps}
                params = {"S": stages, "B": 1}
                yield FieldRun("F05 several waves", "persistent_orders", params, dims)
    for steps in (1, 2, 5):
        sizes = CASES["shared_operand"].sizes(steps)
        yield FieldRun("F10 operand of two groups", "shared_operand", {"S": 1}, sizes)


FIELD_RUNS = tuple(_field_runs())
"""F02, F03, F04, F05 and F10; what must be refused is in `faulty`."""
