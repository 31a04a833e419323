"""The elements of a buffer that an access touches, thread by thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.flags import is_strong
from croqtile_mlir.analysis.sync.places.body_accesses import Visit, is_write
from croqtile_mlir.analysis.sync.places.body_places import scaled, sum_of
from croqtile_mlir.analysis.sync.places.index_maps import Column, Form, Symbol
from croqtile_mlir.dialects.croq import root_of, tile_type


@dataclass(frozen=True)
class Table:
    """The elements that an access touches."""

    visit: Visit
    threads: Column
    residues: tuple[Column, ...]
    """Of the symbols that are gone through; equal in two threads at one time."""

    dims: tuple[Form | None, ...]
    """For each dim of the buffer, over all instances; None: anything."""

    free: frozenset[Symbol]
    """Symbols that differ between threads: counters of loops that each runs alone."""

    certain: bool
    """Whether all of the instances surely come to be in each launch."""

    joined: bool = False
    """Whether it is of a tile of another shape than the buffer: dims may run over."""

    @property
    def root(self) -> SSAValue:
        """The buffer."""
        return root_of(self.visit.op.tile)

    @property
    def write(self) -> bool:
        """Whether it changes memory."""
        return is_write(self.visit.op)

    @property
    def strong(self) -> bool:
        """Whether it synchronises: two such do not conflict."""
        return is_strong(self.visit.op)

    @property
    def signature(self) -> object:
        """Equal for tables of which all instances can be compared at once."""
        return tuple(
            None if form is None else frozenset(form.terms.items())
            for form in self.dims
        )

    @property
    def flat(self) -> Table:
        """The same with one position, counted along the rows of the buffer."""
        extents = tile_type(self.root).dims
        known = [e for e in extents if isinstance(e, int) and e > 0]
        if len(known) < len(extents):
            return replace(self, dims=(None,))
        steps = [prod(known[n + 1 :]) for n in range(len(known))]
        forms = [scaled(f, s) for f, s in zip(self.dims, steps, strict=True)]
        return replace(self, dims=(sum_of(forms),))
