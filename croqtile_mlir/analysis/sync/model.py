"""
What a kernel does to synchronise, free of data: what `--verify-sync` decides on.

A `Program` has *agents*, things with a program order of their own. At tile level an
agent is a role (the ops of one scope are sequential); below it is a warp, because there
program order is that of one thread only. The body of an agent is a tree of loops,
branches and actions. Counters, slots, generations, parities and addresses are
expressions over loop counters, dims and lanes, which are evaluated, never guessed: the
slot `order mod 4` of tile level and the address `smem + 163840 + 8 * (k & 3)` of
hardware level are the same to the verifier.

Two extractions make programs: `tiles` (croq, and modules between the levels) and
`hardware` (L2). Decisions are in `verdicts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import Operation


class Expr:
    """An integer, or one for each lane of a warp."""


@dataclass(frozen=True)
class Constant(Expr):
    """A number."""

    value: int


@dataclass(frozen=True, eq=False)
class Variable(Expr):
    """
    A number that a loop, a launch or the lane gives; each is an object of its own.

    `lanes` says that it differs between the lanes of a warp.
    """

    name: str
    lanes: bool = False


@dataclass(frozen=True, eq=False)
class Apply(Expr):
    """
    A function of expressions; shared subexpressions are one object.

    `function` is one of `add sub mul floordiv ceildiv mod min max and or xor shl shr`
    (shr is of the unsigned number), `eq ne lt le gt ge` (signed), `ult ule` (unsigned)
    and `select`; `bits` is the width that the result wraps at, None for an index.
    """

    function: str
    operands: tuple[Expr, ...]
    bits: int | None = None


@dataclass(frozen=True, eq=False)
class Unknown(Expr):
    """What is not known of it: a value loaded from memory, a function not modelled."""

    reason: str
    place: Operation


# Objects that agents meet at


@dataclass(frozen=True, eq=False)
class Barrier:
    """
    A ring of mbarriers, or an event of tile level, one for each slot.

    `arrivals` completes a generation of a slot, together with the announced bytes. At
    hardware level it is what `mbarrier.init` says. `ready` events start with generation
    0 complete.
    """

    name: str
    slots: int
    arrivals: int
    place: Operation
    ready: bool = False
    rank: int = 0
    """The block of the cluster that it is of."""

    owner: str = ""
    """The block in messages: ` of rank 1`; empty where there is only one."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """A shared buffer of `slots` stages, or a range of shared or global memory."""

    name: str
    slots: int
    place: Operation
    shared: bool = True
    rank: int = 0
    owner: str = ""
    extents: tuple[int, ...] = ()
    """Of the dims that a box is in; empty where they are not known."""


@dataclass(frozen=True)
class Interval:
    """Numbers from `lower` up to, and without, `upper`."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True)
class Region:
    """
    A part of a buffer: a slot, and in it a box; what is not known counts as all of it.

    The box is in rows and columns at tile level, and one interval of bytes at hardware
    level. `lanes` in an interval: every lane touches an interval of its own.
    """

    buffer: Buffer
    slot: Expr | None = None
    box: tuple[Interval | None, ...] = ()


class Proxy(StrEnum):
    """The path that an access takes to memory (PTX ISA, Async proxy)."""

    GENERIC = "generic"
    ASYNC = "async"


@dataclass(frozen=True)
class Access:
    """A read or write of a region."""

    region: Region
    write: bool
    proxy: Proxy = Proxy.GENERIC
    strong: bool = False
    """Atomic, or with an order: two such do not conflict."""


# Which generation of a slot an action is about


@dataclass(frozen=True)
class Generation:
    """This very generation of the slot, counted from 0 over the life of the block."""

    number: Expr


@dataclass(frozen=True)
class Parity:
    """
    The hardware's rule: a wait ends when the phase of this parity is complete.

    `generation & 1` for a wait that means a generation.
    """

    bit: Expr


@dataclass(frozen=True)
class Next:
    """
    The next generation of the slot that this agent has not waited for.

    Of an arrival: whichever generation is current.
    """


Which = Generation | Parity | Next


@dataclass(frozen=True)
class SlotOf:
    """One slot of a ring of barriers."""

    barrier: Barrier
    slot: Expr


# Actions


@dataclass(frozen=True, eq=False)
class Action:
    """One thing that an agent does; `place` is the op that says so."""

    place: Operation


@dataclass(frozen=True, eq=False)
class Wait(Action):
    """Block until a generation is complete."""

    at: SlotOf
    which: Which


@dataclass(frozen=True, eq=False)
class Arrive(Action):
    """
    Arrive `count` times on a slot, and announce bytes.

    `per_lane`: `count` for each active lane. At tile level `which` names the generation
    that the arrival is meant for; at hardware level it is always `Next`. `count` 0 with
    bytes is `mbarrier.expect_tx`. `ranks`: it goes to the blocks of the cluster whose
    bits are set, and not to the own block only.
    """

    at: SlotOf
    which: Which = Next()
    count: int = 1
    per_lane: bool = False
    announced_bytes: Expr = Constant(0)
    ranks: Expr | None = None


@dataclass(frozen=True, eq=False)
class Touch(Action):
    """
    Accesses that are over when the action is: loads and stores by the agent, to the
    shared memory of the blocks of the cluster in `ranks`, if not of its own.
    """

    accesses: tuple[Access, ...]
    ranks: Expr | None = None


@dataclass(frozen=True, eq=False)
class Start(Action):
    """
    Start an asynchronous operation: TMA, wgmma, cp.async, a bulk store.

    It runs concurrently from here on, its accesses at some later time. `completes`: it
    ends by delivering `bytes` to a slot of a barrier. `queue`: it belongs to the open
    group of that queue of the agent (`wgmma`, `bulk`, `cp_async`); operations of one
    wgmma queue run in order, of others in any order. `joint` names agents that execute
    one operation together (the warps of a warpgroup): it starts when all of them did,
    and their n-th joint starts at one place belong together.
    """

    accesses: tuple[Access, ...]
    completes: SlotOf | None = None
    bytes: Expr = Constant(0)
    queue: str | None = None
    after: str | None = None
    """A queue of the agent: it runs after the operations in there so far."""

    future: object | None = None
    """What a `Join` waits for at tile level: the SSA value of the future."""

    joint: tuple[str, ...] = ()
    ranks: Expr | None = None
    """Bits of the blocks of the cluster to whose shared memory a copy goes."""


@dataclass(frozen=True, eq=False)
class Commit(Action):
    """Close the open group of a queue."""

    queue: str


@dataclass(frozen=True, eq=False)
class WaitGroup(Action):
    """
    Block until at most `pending` closed groups of a queue are in flight.

    `reads_only`: only their reads are over (`bulk.wait_group.read`).
    """

    queue: str
    pending: int
    reads_only: bool = False


@dataclass(frozen=True, eq=False)
class Join(Action):
    """Block until an operation with a future is complete (or its reads are over)."""

    future: object
    reads_only: bool = False


@dataclass(frozen=True, eq=False)
class ProxyFence(Action):
    """Make earlier generic writes, its own and those it waited for, visible to the
    async proxy."""


@dataclass(frozen=True, eq=False)
class Rendezvous(Action):
    """
    A barrier of hardware: `bar.sync id, threads`, or `croq.barrier` of a scope.

    `threads` complete it; `members` are the agents that are meant to take part, where
    that is known. `arrive_only` does not block. `cluster`: those of all of its blocks.
    """

    identity: str
    threads: int
    members: frozenset[str] | None = None
    arrive_only: bool = False
    cluster: bool = False


@dataclass(frozen=True, eq=False)
class Exit(Action):
    """The agent ends here."""


# Structure


@dataclass(frozen=True, eq=False)
class Loop:
    """
    `for counter = lower to upper step step`.

    `carried`: variable, first value, value for the next iteration. After the loop
    `results` holds the last values.
    """

    counter: Variable
    lower: Expr
    upper: Expr
    step: Expr
    body: tuple[Statement, ...]
    place: Operation
    carried: tuple[tuple[Variable, Expr, Expr], ...] = ()
    results: tuple[Variable, ...] = ()


@dataclass(frozen=True, eq=False)
class Branch:
    """
    An `if`; a condition with lanes is taken by the lanes for which it holds.

    `results`: variable, its value in `then`, its value in `otherwise`.
    """

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    place: Operation
    results: tuple[tuple[Variable, Expr, Expr], ...] = ()


Statement = Action | Loop | Branch


@dataclass(frozen=True)
class Agent:
    """Something with a program order of its own, and what it does."""

    name: str
    """`role "producer"`; `warp 3 of role "consumer"`."""

    threads: int
    body: tuple[Statement, ...]
    place: Operation
    constants: Mapping[Variable, int] = field(default_factory=dict[Variable, int])
    """What differs between agents that share one body: the warp index."""

    rank: int = 0
    """The block of the cluster that it is of."""


@dataclass(frozen=True)
class Program:
    """
    One block of a kernel, or all `blocks` of a cluster.

    `counts` are what trip counts depend on and a launch decides, each at least 0: the
    dims, or better the number of tiles where it is all that matters. `fixed` are
    variables for which any value does (block indices). `explicit_fences` says that
    proxy fences are in the IR, so that a missing one is an error.
    """

    place: Operation
    agents: tuple[Agent, ...]
    counts: tuple[Variable, ...]
    fixed: Mapping[Variable, int] = field(default_factory=dict[Variable, int])
    barriers: tuple[Barrier, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    explicit_fences: bool = False
    blocks: int = 1
    general: Program | None = None
    """One of which this is an instance: if that is right, so is this."""
