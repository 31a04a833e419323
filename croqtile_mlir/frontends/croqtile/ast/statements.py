"""Control flow, copies, events and the other statements without declarations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from croqtile_mlir.frontends.croqtile.ast.expressions import (
    AnyCall,
    Arg,
    Element,
    Expr,
    Select,
    ViewLike,
)
from croqtile_mlir.frontends.croqtile.ast.nodes import (
    Engine,
    Level,
    Name,
    Node,
    Storage,
)

if TYPE_CHECKING:
    from croqtile_mlir.frontends.croqtile.ast.program import Statement


@dataclass(frozen=True, slots=True)
class Block(Node):
    """Statements with a scope of their own, in braces or one alone."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`x = e`, `x.at(i) += e`, `x++`; `operator` is one of `+ - * / %` or nothing."""

    target: Name | Element
    operator: str | None
    value: Expr


@dataclass(frozen=True, slots=True)
class CallStatement(Node):
    """A call whose value, if any, is not used."""

    call: AnyCall


@dataclass(frozen=True, slots=True)
class Return(Node):
    """`return e;`, `return;`."""

    value: Expr | None


@dataclass(frozen=True, slots=True)
class Break(Node):
    """`break;`."""


@dataclass(frozen=True, slots=True)
class Continue(Node):
    """`continue;`."""


@dataclass(frozen=True, slots=True)
class Yield(Node):
    """`yield;`."""


# Control flow.


@dataclass(frozen=True, slots=True)
class ParallelAxis(Node):
    """
    `{a, b} by bound : level`: `names` are the parts of a tuple in braces (empty without
    braces), `name` is the one name, or that of the tuple, if it has one.
    """

    name: Name | None
    names: tuple[Name, ...]
    bound: Expr
    level: Level | None


@dataclass(frozen=True, slots=True)
class Parallel(Node):
    """`parallel axis, axis { }`; the comma form nests from left to right."""

    axes: tuple[ParallelAxis, ...]
    body: Block
    asynchronous: bool = False
    stream: Name | None = None
    launch_bounds: tuple[Expr, ...] | None = None
    max_registers: Expr | None = None


@dataclass(frozen=True, slots=True)
class Within(Node):
    """`name = {a, b} in domain`; names as of `ParallelAxis`."""

    name: Name | None
    names: tuple[Name, ...]
    domain: Expr


@dataclass(frozen=True, slots=True)
class With(Node):
    """`with x in domain, .. where a <-> b { }`."""

    bindings: tuple[Within, ...]
    where: tuple[tuple[Name, Name], ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`alias = variable(lower : upper : step)`; `upper` is added to the bound."""

    alias: Name | None
    variable: Name
    lower: Expr | None = None
    upper: Expr | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Unroll(Node):
    """`: unroll(n)`; fully without a factor."""

    factor: int | None


@dataclass(frozen=True, slots=True)
class Vectorize(Node):
    """`: vectorize(variable, width)`."""

    variable: Name
    width: Expr


@dataclass(frozen=True, slots=True)
class Foreach(Node):
    """`foreach axis, .. : hint, .. { }`; all axes are of one of the two forms."""

    axes: tuple[Within, ...] | tuple[Range, ...]
    hints: tuple[Unroll | Vectorize, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class InThreads(Node):
    """`inthreads (p) { }`; `.async` makes it a role."""

    asynchronous: bool
    predicate: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class While(Node):
    """`while (c) { }`."""

    condition: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if (c) { } else { }`."""

    condition: Expr
    then: Block
    otherwise: Block | None


# Copies and futures.


@dataclass(frozen=True, slots=True)
class StorageTarget(Node):
    """`=> shared`: an implicit buffer."""

    storage: Storage


@dataclass(frozen=True, slots=True)
class Padding(Node):
    """The `<{low}, {high}, {mid}, value>` of `dma.pad`."""

    low: tuple[Arg, ...]
    high: tuple[Arg, ...]
    mid: tuple[Arg, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class CopyModifier(Node):
    """
    `name` is swiz, zfill, multicast, evict_first, evict_last, promote or sp; `values`
    are what stands in its angle brackets: for swiz the bytes, 32, 64 or 128.
    """

    name: str
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EventRef(Node):
    """`e`, `e[s]`, `e.at(o)`; in `wait` also a future."""

    name: Name
    subscripts: tuple[Expr, ...] = ()
    generation: Expr | None = None
    """The argument of `.at`."""


@dataclass(frozen=True, slots=True)
class Copy(Node):
    """`name = dma.verb .async<event> .modifiers source => destination after future`."""

    name: Name | None
    engine: Engine
    verb: str
    """copy, load (of tma), pad or transp."""
    source: ViewLike
    destination: ViewLike | StorageTarget | Select
    asynchronous: bool = False
    event: EventRef | None = None
    modifiers: tuple[CopyModifier, ...] = ()
    padding: Padding | None = None
    permutation: tuple[int, ...] | None = None
    after: Name | None = None

    def modifier(self, name: str) -> CopyModifier | None:
        """The modifier of that name."""
        return next((m for m in self.modifiers if m.name == name), None)


@dataclass(frozen=True, slots=True)
class Placeholder(Node):
    """`name = dma.any`."""

    name: Name
    engine: Engine


@dataclass(frozen=True, slots=True)
class Rotate(Node):
    """`swap(a, b)`, `rotate(a, b, c)`: each name takes what the next one has."""

    names: tuple[Name, ...]
    is_swap: bool


# Events and barriers.


@dataclass(frozen=True, slots=True)
class Wait(Node):
    """`wait e, f`: events and futures."""

    operands: tuple[EventRef, ...]


@dataclass(frozen=True, slots=True)
class Trigger(Node):
    """`trigger e after f`, `trigger.cluster e`."""

    events: tuple[EventRef, ...]
    cluster: bool = False
    after: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncStorage(Node):
    """`sync.shared`."""

    storage: Storage


@dataclass(frozen=True, slots=True)
class SyncBarrier(Node):
    """`sync.barrier : level`."""

    level: Level


@dataclass(frozen=True, slots=True)
class SyncFence(Node):
    """`sync.fence : level <storage>`."""

    level: Level
    storage: Storage | None


ControlFlow: TypeAlias = Parallel | With | Foreach | InThreads | While | If
Synchronisation: TypeAlias = Wait | Trigger | SyncStorage | SyncBarrier | SyncFence
