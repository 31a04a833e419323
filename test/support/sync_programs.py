"""
Programs of the verifier's model, in a few words:

    with ProgramBuilder("K") as p:
        full = p.barrier("full", slots=4)
        with p.agent("producer"), p.loop("k", p.count("K")) as k:
            p.arrive(full, k, bytes=32)
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.test import TestOp

from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Agent,
    Apply,
    Arrive,
    Barrier,
    Branch,
    Buffer,
    Commit,
    Constant,
    Exit,
    Expr,
    Generation,
    Interval,
    Join,
    Loop,
    Next,
    Parity,
    Program,
    Proxy,
    ProxyFence,
    Region,
    Rendezvous,
    SlotOf,
    Start,
    Statement,
    Touch,
    Unknown,
    Variable,
    Wait,
    WaitGroup,
    Which,
)

Number = Expr | int


def number(value: Number) -> Expr:
    """An expression for a number."""
    return Constant(value) if isinstance(value, int) else value


def apply(function: str, *operands: Number, bits: int | None = None) -> Apply:
    """A function of numbers and expressions."""
    return Apply(function, tuple(number(o) for o in operands), bits)


def add(a: Number, b: Number) -> Apply:
    """The sum."""
    return apply("add", a, b)


def op(text: str) -> TestOp:
    """An op to point at."""
    return TestOp(attributes={"text": StringAttr(text), "at": IntegerAttr(0, 32)})


def text_of(place: object) -> str:
    """The text that an op was made with."""
    assert isinstance(place, TestOp)
    text = place.attributes["text"]
    assert isinstance(text, StringAttr)
    return text.data


@dataclass
class ProgramBuilder:
    """Builds a program; actions go to the innermost open agent, loop or branch."""

    explicit_fences: bool = False
    counts: dict[str, Variable] = field(default_factory=dict[str, Variable])
    fixed: dict[Variable, int] = field(default_factory=dict[Variable, int])
    agents: list[Agent] = field(default_factory=list[Agent])
    barriers: list[Barrier] = field(default_factory=list[Barrier])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    blocks: list[list[Statement]] = field(default_factory=list[list[Statement]])

    def program(self) -> Program:
        """What was built."""
        return Program(
            op("kernel"),
            tuple(self.agents),
            tuple(self.counts.values()),
            dict(self.fixed),
            tuple(self.barriers),
            tuple(self.buffers),
            self.explicit_fences,
        )

    # Declarations

    def count(self, name: str) -> Variable:
        """A trip count that the launch decides."""
        return self.counts.setdefault(name, Variable(name))

    def any_number(self, name: str) -> Variable:
        """A variable for which any value does."""
        variable = Variable(name)
        self.fixed[variable] = 0
        return variable

    def unknown(self, reason: str = "it is loaded from memory") -> Unknown:
        """A value that is not known."""
        return Unknown(reason, op(reason))

    def barrier(
        self, name: str, slots: int = 1, arrivals: int = 1, ready: bool = False
    ) -> Barrier:
        """A ring of barriers."""
        made = Barrier(f"%{name}", slots, arrivals, op(name), ready)
        self.barriers.append(made)
        return made

    def buffer(self, name: str, slots: int = 1, shared: bool = True) -> Buffer:
        """A buffer."""
        made = Buffer(f"%{name}", slots, op(name), shared)
        self.buffers.append(made)
        return made

    # Structure

    @contextmanager
    def agent(
        self,
        name: str,
        threads: int = 128,
        constants: dict[Variable, int] | None = None,
    ) -> Generator[None]:
        """An agent."""
        body: list[Statement] = []
        self.blocks.append(body)
        yield
        self.blocks.pop()
        self.agents.append(Agent(name, threads, tuple(body), op(name), constants or {}))

    def same_agent(
        self, name: str, like: str, constants: dict[Variable, int] | None = None
    ) -> None:
        """Another agent with the body of one that is there."""
        other = next(a for a in self.agents if a.name == like)
        self.agents.append(
            Agent(name, other.threads, other.body, op(name), constants or {})
        )

    @contextmanager
    def loop(
        self, name: str, upper: Number, lower: Number = 0, step: Number = 1
    ) -> Generator[Variable]:
        """A loop; gives its counter."""
        counter = Variable(name)
        body: list[Statement] = []
        self.blocks.append(body)
        yield counter
        self.blocks.pop()
        self._add(
            Loop(
                counter,
                number(lower),
                number(upper),
                number(step),
                tuple(body),
                op(f"loop {name}"),
            )
        )

    @contextmanager
    def carrying_loop(
        self,
        name: str,
        upper: Number,
        first: list[Number],
    ) -> Generator[tuple[Variable, list[Variable], list[Expr], list[Variable]]]:
        """
        A loop with carried values; gives counter, the values, a list for the values of
        the next iteration, and the results.
        """
        counter = Variable(name)
        carried = [Variable(f"{name}.carried{i}") for i in range(len(first))]
        results = [Variable(f"{name}.result{i}") for i in range(len(first))]
        following: list[Expr] = []
        body: list[Statement] = []
        self.blocks.append(body)
        yield counter, carried, following, results
        self.blocks.pop()
        self._add(
            Loop(
                counter,
                Constant(0),
                number(upper),
                Constant(1),
                tuple(body),
                op(f"loop {name}"),
                tuple(
                    (v, number(a), b)
                    for v, a, b in zip(carried, first, following, strict=True)
                ),
                tuple(results),
            )
        )

    @contextmanager
    def branch(self, condition: Number, name: str = "if") -> Generator[None]:
        """A branch with nothing otherwise."""
        body: list[Statement] = []
        self.blocks.append(body)
        yield
        self.blocks.pop()
        self._add(Branch(number(condition), tuple(body), (), op(name)))

    @contextmanager
    def otherwise(self) -> Generator[None]:
        """The other side of the branch before."""
        last = self.blocks[-1].pop()
        assert isinstance(last, Branch)
        body: list[Statement] = []
        self.blocks.append(body)
        yield
        self.blocks.pop()
        self._add(Branch(last.condition, last.then, tuple(body), last.place))

    def _add(self, statement: Statement) -> None:
        self.blocks[-1].append(statement)

    def _act(self, action: Action) -> None:
        self._add(action)

    # Actions

    def wait(self, barrier: Barrier, order: Number, name: str | None = None) -> None:
        """Wait for the generation that an order means."""
        name = name or f"wait {barrier.name}"
        self._act(Wait(op(name), _at(barrier, order), _generation(barrier, order)))

    def wait_slot(self, barrier: Barrier, slot: Number, which: Which = Next()) -> None:
        """Wait for a generation of a slot."""
        at = SlotOf(barrier, number(slot))
        self._act(Wait(op(f"wait {barrier.name}"), at, which))

    def wait_parity(self, barrier: Barrier, slot: Number, bit: Number) -> None:
        """Wait for the phase of a parity."""
        self.wait_slot(barrier, slot, Parity(number(bit)))

    def arrive(
        self,
        barrier: Barrier,
        order: Number,
        count: int = 1,
        bytes: Number = 0,
        name: str | None = None,
    ) -> None:
        """Arrive for the generation that an order means."""
        self._act(
            Arrive(
                op(name or f"arrive {barrier.name}"),
                _at(barrier, order),
                _generation(barrier, order),
                count,
                announced_bytes=number(bytes),
            )
        )

    def arrive_slot(
        self,
        barrier: Barrier,
        slot: Number,
        count: int = 1,
        bytes: Number = 0,
        per_lane: bool = False,
    ) -> None:
        """Arrive for the current generation of a slot."""
        self._act(
            Arrive(
                op(f"arrive {barrier.name}"),
                SlotOf(barrier, number(slot)),
                Next(),
                count,
                per_lane,
                number(bytes),
            )
        )

    def load(
        self,
        buffer: Buffer,
        slot: Number | None,
        barrier: Barrier | None = None,
        order: Number = 0,
        bytes: Number = 32,
        future: object | None = None,
        name: str | None = None,
    ) -> None:
        """Start a TMA load into a slot of a buffer."""
        self._act(
            Start(
                op(name or f"load {buffer.name}"),
                (Access(region(buffer, slot), True, Proxy.ASYNC),),
                None if barrier is None else _at(barrier, order),
                number(bytes) if barrier is not None else Constant(0),
                future=future,
            )
        )

    def store(
        self,
        buffer: Buffer,
        slot: Number | None,
        future: object | None = None,
        queue: str | None = "bulk",
    ) -> None:
        """Start a bulk store from a slot of a buffer, and close its group."""
        self._act(
            Start(
                op(f"store {buffer.name}"),
                (Access(region(buffer, slot), False, Proxy.ASYNC),),
                queue=queue,
                future=future,
            )
        )
        if queue is not None:
            self.commit(queue)

    def mma(
        self,
        *operands: tuple[Buffer, Number | None],
        accumulator: Buffer | None = None,
        joint: tuple[str, ...] = (),
    ) -> None:
        """Start wgmmas that read slots of buffers, and close their group."""
        accesses = [
            Access(region(buffer, slot), False, Proxy.ASYNC)
            for buffer, slot in operands
        ]
        if accumulator is not None:
            accesses.append(Access(region(accumulator, None), True, Proxy.ASYNC))
        self._act(Start(op("mma"), tuple(accesses), queue="wgmma", joint=joint))
        self.commit("wgmma")

    def commit(self, queue: str) -> None:
        """Close the open group of a queue."""
        self._act(Commit(op(f"commit {queue}"), queue))

    def wait_group(
        self, queue: str, pending: int = 0, reads_only: bool = False
    ) -> None:
        """Wait until at most `pending` groups are in flight."""
        self._act(WaitGroup(op(f"wait group {queue}"), queue, pending, reads_only))

    def join(self, future: object, reads_only: bool = False) -> None:
        """Wait for the operation of a future."""
        self._act(Join(op("join"), future, reads_only))

    def read(
        self,
        buffer: Buffer,
        slot: Number | None = None,
        box: tuple[Interval | None, ...] = (),
    ) -> None:
        """Read a part of a buffer."""
        access = Access(region(buffer, slot, box), False)
        self._act(Touch(op(f"read {buffer.name}"), (access,)))

    def write(
        self,
        buffer: Buffer,
        slot: Number | None = None,
        box: tuple[Interval | None, ...] = (),
    ) -> None:
        """Write a part of a buffer."""
        access = Access(region(buffer, slot, box), True)
        self._act(Touch(op(f"write {buffer.name}"), (access,)))

    def fence(self) -> None:
        """A proxy fence."""
        self._act(ProxyFence(op("fence")))

    def meet(
        self,
        identity: str,
        threads: int,
        members: frozenset[str] | None = None,
        arrive_only: bool = False,
    ) -> None:
        """A hardware barrier."""
        self._act(
            Rendezvous(
                op(f"barrier {identity}"), identity, threads, members, arrive_only
            )
        )

    def exit(self) -> None:
        """The agent ends."""
        self._act(Exit(op("exit")))


def region(
    buffer: Buffer, slot: Number | None, box: tuple[Interval | None, ...] = ()
) -> Region:
    """A part of a buffer; `slot` is an order, taken modulo the number of slots."""
    where = None if slot is None else apply("mod", slot, buffer.slots)
    return Region(buffer, where, box)


def interval(lower: Number, upper: Number) -> Interval:
    """From `lower` up to, and without, `upper`."""
    return Interval(number(lower), number(upper))


def _at(barrier: Barrier, order: Number) -> SlotOf:
    return SlotOf(barrier, apply("mod", order, barrier.slots))


def _generation(barrier: Barrier, order: Number) -> Generation:
    return Generation(apply("floordiv", order, barrier.slots))
