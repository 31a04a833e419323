"""
What a kernel of hardware level does, op by op, for all of its threads together.

The tree between the IR and the model: its expressions have the warp, the lane and what
the launch decides as variables. `agents` makes one body a warp of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.model import Expr, Variable


class Kind(Enum):
    """What an event is; its expressions in brackets."""

    INIT = auto()
    """`mbarrier.init` [address, count]."""

    WAIT = auto()
    """Blocks until a phase is complete [address, parity], or [address] by state."""

    ARRIVE = auto()
    """[address, count, announced bytes], and [bits of the blocks it reaches]."""

    READ = auto()
    """A load of `size` bytes a lane [address]."""

    WRITE = auto()
    """A store of `size` bytes a lane [address]."""

    UPDATE = auto()
    """An access of `size` bytes a lane that synchronises [address]."""

    LOAD = auto()
    """
    A bulk copy to shared memory [address, bytes, barrier], and [bits of the blocks it
    reaches].
    """

    STORE = auto()
    """A bulk copy from shared memory [address, bytes]; `queue`."""

    CP_ASYNC = auto()
    """`cp.async` of `size` bytes a lane [address]; `queue`."""

    CP_ARRIVE = auto()
    """
    Arrivals of each lane [address, count], when the operations of `queue` so far are
    complete; until then the phase is not.
    """

    PRODUCT = auto()
    """`wgmma` [descriptor of A, descriptor of B]; `queue`."""

    COMMIT = auto()
    """Closes the open group of `queue`."""

    WAIT_GROUP = auto()
    """Blocks until `size` groups of `queue` are in flight; `reads_only`."""

    FENCE = auto()
    """A proxy fence."""

    INIT_FENCE = auto()
    """`fence.mbarrier.init`."""

    WARP_SYNC = auto()
    """[mask]."""

    WARP = auto()
    """All lanes of a warp, or of [mask], must execute it; it orders nothing."""

    BARRIER = auto()
    """[identity, threads]; `reads_only` where it only arrives."""

    CLUSTER = auto()
    """The barrier of all blocks of the cluster."""

    EXIT = auto()
    """The thread ends."""


MEMORY = frozenset({Kind.READ, Kind.WRITE, Kind.UPDATE, Kind.INIT, Kind.CP_ASYNC})


@dataclass(frozen=True, eq=False)
class Event:
    """One op."""

    op: Operation
    kind: Kind
    exprs: tuple[Expr, ...] = ()
    size: int = 0
    queue: str = ""
    reads_only: bool = False
    lanes: int = 0
    """Of what whole warps execute: the address is that of the first so many lanes."""


@dataclass(frozen=True, eq=False)
class For:
    """A counted loop; `carried` as in the model's `Loop`."""

    op: Operation
    counter: Variable
    lower: Expr
    upper: Expr
    step: Expr
    body: tuple[Step, ...]
    carried: tuple[tuple[Variable, Expr, Expr], ...] = ()
    results: tuple[Variable, ...] = ()


@dataclass(frozen=True, eq=False)
class If:
    """A conditional; `results` as in the model's `Branch`."""

    op: Operation
    condition: Expr
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()
    results: tuple[tuple[Variable, Expr, Expr], ...] = ()


Step = Event | For | If


def is_memory(step: Step, divergent: bool = False) -> bool:
    """
    Whether all that a step does is loads and stores, and what orders nothing.

    `divergent`: where lanes may go different ways, none of whole warps.
    """
    match step:
        case Event():
            of_warps = step.kind is Kind.WARP or bool(step.lanes)
            return (step.kind in MEMORY or of_warps) and not (divergent and of_warps)
        case For():
            return all(is_memory(inner, divergent) for inner in step.body)
        case If():
            inside = (*step.then, *step.otherwise)
            return all(is_memory(inner, divergent) for inner in inside)


def walk(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, also those inside."""
    for step in steps:
        yield step
        if isinstance(step, For):
            yield from walk(step.body)
        elif isinstance(step, If):
            yield from walk(step.then)
            yield from walk(step.otherwise)


def rewritten(
    steps: Sequence[Step], change: Callable[[Expr], Expr]
) -> tuple[Step, ...]:
    """The same steps with other expressions."""
    return tuple(_rewritten(step, change) for step in steps)


def _rewritten(step: Step, change: Callable[[Expr], Expr]) -> Step:
    match step:
        case Event():
            return replace(step, exprs=tuple(map(change, step.exprs)))
        case For():
            return replace(
                step,
                lower=change(step.lower),
                upper=change(step.upper),
                step=change(step.step),
                body=rewritten(step.body, change),
                carried=tuple((v, change(a), change(b)) for v, a, b in step.carried),
            )
        case If():
            return replace(
                step,
                condition=change(step.condition),
                then=rewritten(step.then, change),
                otherwise=rewritten(step.otherwise, change),
                results=tuple((v, change(a), change(b)) for v, a, b in step.results),
            )
