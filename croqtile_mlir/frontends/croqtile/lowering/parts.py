"""What the lowering knows of threads, blocks, groups, roles, products and layouts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Block, SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.integers import Integer, Variable
from croqtile_mlir.frontends.croqtile.lowering.values import Bounded, Buffer, Cell
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

if TYPE_CHECKING:
    from croqtile_mlir.frontends.croqtile.lowering.accumulators import Fragment
    from croqtile_mlir.frontends.croqtile.lowering.launches import LaunchBounds
    from croqtile_mlir.frontends.croqtile.lowering.products import Batch

MAX_THREADS = 1024
"""Threads of a block (CUDA Programming Guide, compute capabilities)."""


@dataclass
class ThreadNest:
    """The indices of the threads of a block, of all thread levels around."""

    names: tuple[str, ...] = ()
    extents: tuple[int, ...] = ()
    variables: tuple[Variable, ...] = ()
    inside: bool = False
    """Whether the region of one thread is being built."""


@dataclass
class OpenBlock:
    """A block that is being built, with the integers that were computed in it."""

    block: Block
    is_conditional: bool = False
    """Whether it is executed by some threads only, or sometimes."""

    computed: dict[Integer, SSAValue] = field(default_factory=dict[Integer, SSAValue])
    data: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The buffers of handles of futures."""


@dataclass(frozen=True)
class Access:
    """A box of a buffer that something reads or writes."""

    buffer: Buffer
    origin: tuple[Integer, ...]
    extents: tuple[Integer, ...]
    span: Span


@dataclass(frozen=True)
class GroupLevel:
    """An index of the groups of a block: warpgroups, or warps."""

    bounded: Bounded
    extent: int
    unit: int
    """Threads for which the index is the same, next to each other."""


@dataclass(frozen=True)
class Group:
    """Groups that execute everything together, and the index that tells them apart."""

    variable: Variable
    extent: int
    unit: int
    """Threads of a group."""

    @property
    def name(self) -> str:
        """What a group is."""
        names = {WARPGROUP_THREADS: "warpgroup", WARP_THREADS: "warp"}
        return names.get(self.unit, "group")


@dataclass
class Role:
    """The role that is being built."""

    name: str
    span: Span
    first_thread: int
    threads: int
    registers: int | None = None
    """The budget of each thread, where the source states one."""


@dataclass
class Products:
    """What a role, or the block, has in flight."""

    fragments: list[Fragment] = field(default_factory=list["Fragment"])
    batches: list[Batch] = field(default_factory=list["Batch"])


@dataclass(frozen=True)
class LayoutRequest:
    """A swizzle of so many bytes for the buffer that a tile is of."""

    tile: SSAValue
    bytes: int
    span: Span


@dataclass
class Cluster:
    """The cluster that the blocks of the grid belong to."""

    axis: ast.ParallelAxis
    sizes: tuple[int, ...]
    """Blocks along the first indices of the grid."""

    ranks: tuple[Variable, ...] = ()
    """The place of a block in its cluster."""

    is_cut: bool = False
    """Whether the last clusters may have blocks beyond the end of the grid."""


@dataclass(frozen=True)
class WaitingAssertion:
    """A part of a condition before the block that its threads check."""

    node: ast.Assert
    part: ast.Expr
    scalars: list[Cell]
    """Those that it names,"""
    values: list[SSAValue]
    """and what they were."""


@dataclass
class Parts:
    """State of the lowering of one function, beyond names and ops."""

    role: Role | None = None
    group: Group | None = None
    """Of the scope that is being built, where several groups execute it."""
    groups: list[GroupLevel] = field(default_factory=list[GroupLevel])
    """The indices of groups of the block, the first one the slowest."""
    products: Products = field(default_factory=Products)
    accumulators: list[Fragment] = field(default_factory=list["Fragment"])
    """All of the function."""
    layouts: list[LayoutRequest] = field(default_factory=list[LayoutRequest])
    cluster: Cluster | None = None
    launch_bounds: LaunchBounds | None = None
    assertions: list[WaitingAssertion] = field(default_factory=list[WaitingAssertion])
    changed_in_roles: dict[object, Role] = field(default_factory=dict[object, Role])
    """Scalars, futures and accumulators from around a role that it has changed."""
    named_barriers: dict[int, tuple[int, Span]] = field(
        default_factory=dict[int, tuple[int, Span]]
    )
    """By number: the threads that complete a barrier, and where that is stated."""
    has_roles: bool = False
    is_cooperative: bool = False
    by_warps: bool = False
    """Whether warps make the products of the function."""
