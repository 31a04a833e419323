"""A program as the model that the verifier decides on."""

from __future__ import annotations

from xdsl.dialects.test import TestOp
from xdsl.ir import Operation

from croqtile_mlir.analysis.sync import model
from properties.programs import (
    Action,
    At,
    Bound,
    Cell,
    Commit,
    Load,
    Loop,
    Move,
    Multiply,
    Order,
    Program,
    Read,
    Retire,
    Role,
    Statement,
    Trigger,
    Wait,
    Write,
)

_BYTES = 2048
_THREADS = 128


def to_model(program: Program) -> model.Program:
    """The model; its counts are called `n` and `t`."""
    return _Translation(program).run()


def _add(a: model.Expr, b: model.Expr) -> model.Expr:
    match a, b:
        case model.Constant(x), model.Constant(y):
            return model.Constant(x + y)
        case _, model.Constant(0):
            return a
        case model.Constant(0), _:
            return b
        case _:
            return model.Apply("add", (a, b))


class _Translation:
    def __init__(self, program: Program):
        self.program = program
        self.counts = {name: model.Variable(name) for name in program.counts}
        self.barriers = {
            e.name: model.Barrier(f"%{e.name}", e.slots, e.arrivals, _place(), e.ready)
            for e in program.events
        }
        self.buffers = {
            b.name: model.Buffer(f"%{b.name}", b.slots, _place())
            for b in program.buffers
        }

    def run(self) -> model.Program:
        return model.Program(
            _place(),
            tuple(self._agent(role) for role in self.program.roles),
            tuple(self.counts.values()),
            barriers=tuple(self.barriers.values()),
            buffers=tuple(self.buffers.values()),
        )

    def _agent(self, role: Role) -> model.Agent:
        return model.Agent(
            f'role "{role.name}"', _THREADS, self._body(role.body, {}), _place()
        )

    def _body(
        self, body: tuple[Statement, ...], counters: dict[str, model.Variable]
    ) -> tuple[model.Statement, ...]:
        return tuple(
            each for statement in body for each in self._statement(statement, counters)
        )

    def _statement(
        self, statement: Statement, counters: dict[str, model.Variable]
    ) -> tuple[model.Statement, ...]:
        if not isinstance(statement, Loop):
            return self._action(statement, counters)
        counter = model.Variable(statement.counter)
        return (
            model.Loop(
                counter,
                self._bound(statement.lower),
                self._bound(statement.upper),
                model.Constant(1),
                self._body(statement.body, {**counters, statement.counter: counter}),
                _place(),
            ),
        )

    def _action(
        self, action: Action, counters: dict[str, model.Variable]
    ) -> tuple[model.Action, ...]:
        place = _place()
        match action:
            case Wait(at):
                slot, which = self._at(at, counters, 0)
                return (model.Wait(place, slot, which),)
            case Trigger(at):
                return (model.Arrive(place, *self._arrive(at, counters)),)
            case Load(cell, at):
                slot, which = self._arrive(at, counters)
                size = model.Constant(_BYTES)
                write = self._access(cell, counters, True, model.Proxy.ASYNC)
                return (
                    model.Start(place, (write,), completes=slot, bytes=size),
                    model.Arrive(_place(), slot, which, announced_bytes=size),
                )
            case Write(cell):
                return (model.Touch(place, (self._access(cell, counters, True),)),)
            case Read(cell):
                return (model.Touch(place, (self._access(cell, counters, False),)),)
            case Move(source, target):
                read = self._access(source, counters, False)
                write = self._access(target, counters, True)
                return (model.Touch(place, (read, write)),)
            case Multiply(cell):
                read = self._access(cell, counters, False, model.Proxy.ASYNC)
                return (model.Start(place, (read,), queue="wgmma"),)
            case Commit():
                return (model.Commit(place, "wgmma"),)
            case Retire(in_flight):
                return (model.WaitGroup(place, "wgmma", in_flight),)

    def _arrive(
        self, at: At, counters: dict[str, model.Variable]
    ) -> tuple[model.SlotOf, model.Which]:
        return self._at(at, counters, int(self.program.event(at.event).ready))

    def _at(
        self, at: At, counters: dict[str, model.Variable], later: int
    ) -> tuple[model.SlotOf, model.Which]:
        barrier = self.barriers[at.event]
        order = self._order(at.order, counters)
        slots = model.Constant(barrier.slots)
        slot = model.SlotOf(barrier, model.Apply("mod", (order, slots)))
        if at.by_slot:
            return slot, model.Next()
        generation = model.Apply("floordiv", (order, slots))
        return slot, model.Generation(_add(generation, model.Constant(later)))

    def _access(
        self,
        cell: Cell,
        counters: dict[str, model.Variable],
        write: bool,
        proxy: model.Proxy = model.Proxy.GENERIC,
    ) -> model.Access:
        buffer = self.buffers[cell.buffer]
        slots = model.Constant(buffer.slots)
        order = self._order(cell.order, counters)
        region = model.Region(buffer, model.Apply("mod", (order, slots)))
        return model.Access(region, write, proxy)

    def _order(self, order: Order, counters: dict[str, model.Variable]) -> model.Expr:
        total: model.Expr = model.Constant(0)
        for term in order.terms:
            value: model.Expr = counters[term.counter]
            if term.factor != 1:
                value = model.Apply("mul", (value, model.Constant(term.factor)))
            if term.times_n:
                value = model.Apply("mul", (value, self.counts["n"]))
            total = _add(total, value)
        return _add(total, model.Constant(order.plus))

    def _bound(self, bound: Bound) -> model.Expr:
        if bound.count is None:
            return model.Constant(bound.value({}))
        value: model.Expr = self.counts[bound.count]
        if bound.factor != 1:
            value = model.Apply("mul", (value, model.Constant(bound.factor)))
        value = _add(value, model.Constant(bound.plus))
        if bound.at_most is not None:
            value = model.Apply("min", (value, model.Constant(bound.at_most)))
        if bound.plus < 0:
            value = model.Apply("max", (value, model.Constant(0)))
        return value


def _place() -> Operation:
    return TestOp()
