"""Kernels for which a pass of the lowering is left out: what does it bring?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from croqtile_mlir import compiler
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.pipeline import Lowering

if TYPE_CHECKING:
    from croqtile_mlir.compiler import Source


class PartialLowering(Lowering):
    """The lowering, without some passes."""

    def __init__(self, source: Source, without: tuple[str, ...]):
        self.without = without
        super().__init__(source)
        known = {text.split("{")[0] for _, text in super()._all_passes()}
        if unknown := sorted(set(without) - known):
            raise ValueError(f"the pipeline has no pass '{unknown[0]}'")

    def _all_passes(self) -> Iterator[tuple[str, str]]:
        for level, text in super()._all_passes():
            if text.split("{")[0] not in self.without:
                yield level, text


def compile_without(
    plain: Path,
    schedule: str,
    without: tuple[str, ...],
    params: Mapping[str, int] = MappingProxyType({}),
) -> Kernel:
    """The kernel of a schedule, down to PTX text, without passes of the lowering.

    Raises ValueError for a pass that the pipeline does not have.
    """
    source = compiler.source_of(plain, params=params, schedule=schedule)
    lowering = PartialLowering(source, without)
    level = lowering.level
    lowering.run()
    entry, plan = lowering.launch()
    return Kernel(entry, source, lowering.ptx(), plan, lowering.diagnostics, level)
