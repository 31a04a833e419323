"""Matrix statements and operations on fragments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from croqtile_mlir.frontends.croqtile.ast.expressions import Expr, Ref, ViewLike
from croqtile_mlir.frontends.croqtile.ast.nodes import ElementType, Major, Name, Node
from croqtile_mlir.frontends.croqtile.ast.statements import Block


@dataclass(frozen=True, slots=True)
class MmaFill(Node):
    """
    `name = mma.fill.f16 v`, or of what is declared `mma.fill frag, v` (then `name` is
    None and `target` the fragment).
    """

    name: Name | None
    target: Ref | None
    element: ElementType | None
    value: Expr


@dataclass(frozen=True, slots=True)
class MmaLoad(Node):
    """`name = mma.load.frag.swiz<128> view`, or `mma.load view, frag` (`target`)."""

    name: Name | None
    target: Ref | None
    source: ViewLike
    to_fragment: bool = False
    """`.frag`: to registers."""
    swizzle: int | None = None
    """Bytes; 128 where `.swiz` has no number."""
    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class Scaling(Node):
    """What `.scale` multiplies with: a view for A and a scalar for B."""

    a_scale: ViewLike
    b_scale: Expr


@dataclass(frozen=True, slots=True)
class MmaExec(Node):
    """`name = mma.row.col.async acc, a, b`; the name only with `.async`."""

    accumulator: Ref
    a: ViewLike
    b: ViewLike
    a_major: Major
    b_major: Major
    name: Name | None = None
    asynchronous: bool = False
    scaling: Scaling | None = None
    sparse: bool = False
    metadata: Ref | None = None
    schedule: tuple[int, ...] | None = None
    """The `k_tiles` of a `[[schedule]]`."""


@dataclass(frozen=True, slots=True)
class MmaScale(Node):
    """`mma.scale acc, view, e`."""

    accumulator: Ref
    scaling: Scaling


@dataclass(frozen=True, slots=True)
class MmaStore(Node):
    """`mma.store acc, view`; `.mask` gives the rows, and maybe columns, to write."""

    accumulator: Ref
    destination: ViewLike
    asynchronous: bool = False
    transposed: bool = False
    mask: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class MmaCommit(Node):
    """`mma.commit`: all products so far are complete."""


@dataclass(frozen=True, slots=True)
class MmaWait(Node):
    """`mma.wait<depth>`: at most `depth` batches are still in flight."""

    depth: int


@dataclass(frozen=True, slots=True)
class FragmentReduce(Node):
    """`reduce_sum(dst, src, dim)`, `reduce_max(..)`; `operation` is sum or max."""

    operation: str
    target: Ref
    source: Ref
    dim: int


@dataclass(frozen=True, slots=True)
class FragmentAllReduce(Node):
    """`all_reduce_sum(frag)`."""

    target: Ref


@dataclass(frozen=True, slots=True)
class FragmentCopy(Node):
    """`copy(dst, src)`."""

    target: Ref
    source: Ref


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`apply {i, j} in frag.span { }`."""

    names: tuple[Name, ...]
    fragment: Name
    body: Block


MatrixStatement: TypeAlias = (
    MmaFill
    | MmaLoad
    | MmaExec
    | MmaScale
    | MmaStore
    | MmaCommit
    | MmaWait
    | FragmentReduce
    | FragmentAllReduce
    | FragmentCopy
    | Apply
)
