"""
A program as a croq kernel of tile level.

A stage is a 64x16 tile of f16, each role a warpgroup. Counts come from the extents of
the argument `%counts`, four elements a step; its elements are not used.
"""

from __future__ import annotations

from types import MappingProxyType

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
    walk,
)

UNIT = 4
"""Elements of `%counts` a step."""

COUNTS = MappingProxyType({f"ceil(N / {UNIT})": "n", f"ceil(T / {UNIT})": "t"})
"""Counts by the names that the verifier gives them."""

_ACC = "!croq.acc<64x64xf32>"
_DIMS = MappingProxyType({"n": "N", "t": "T"})


def to_croq(program: Program) -> str:
    """The text of the kernel, `@program`."""
    lines = [
        "croq.kernel @program dims(N, T) (",
        "    %counts: !croq.tile<[N]x[T]xf16, global>,",
        "    %src: !croq.tile<64x16xf16, global>) {",
        *(f"  %{c} = croq.cdiv {_DIMS[c]}, {UNIT}" for c in program.counts),
        "  croq.parallel (%block) in (1) : block {",
    ]
    for event in program.events:
        ready = " ready" if event.ready else ""
        lines.append(
            f"    %{event.name} = croq.event{ready} : !croq.event<{event.slots}>"
        )
    for buffer in program.buffers:
        lines.append(
            f"    %{buffer.name} = croq.alloc : "
            f"!croq.tile<{buffer.slots}x64x16xf16, shared>"
        )
    for role in program.roles:
        if any(isinstance(s, Read) for s in walk(role.body)):
            lines.append(
                f"    %own_{role.name} = croq.alloc : !croq.tile<64x16xf16, shared>"
            )
    for number, role in enumerate(program.roles):
        lines.append(
            f'    croq.role "{role.name}" warpgroups [{number}, {number + 1}) {{'
        )
        lines += _Printer(program, role).lines()
        lines.append("    }")
    return "\n".join([*lines, "  }", "}", ""])


class _Printer:
    """Prints a role; every value gets a name of its own."""

    def __init__(self, program: Program, role: Role):
        self.program = program
        self.role = role
        self.text: list[str] = []
        self.values = 0
        self.acc: str | None = None

    def lines(self) -> list[str]:
        if _multiplies(self.role.body):
            self.acc = self._set(f"croq.mma.fill 0.0 : {_ACC}", 3)
        self._body(self.role.body, {}, 3)
        return self.text

    def _put(self, text: str, depth: int) -> None:
        self.text.append("  " * depth + text)

    def _name(self) -> str:
        self.values += 1
        return f"%{self.role.name}_{self.values}"

    def _set(self, text: str, depth: int) -> str:
        name = self._name()
        self._put(f"{name} = {text}", depth)
        return name

    def _body(
        self, body: tuple[Statement, ...], counters: dict[str, str], depth: int
    ) -> None:
        for statement in body:
            if isinstance(statement, Loop):
                self._loop(statement, counters, depth)
            else:
                self._action(statement, counters, depth)

    def _loop(self, loop: Loop, counters: dict[str, str], depth: int) -> None:
        upper = self._bound(loop.upper, depth)
        lower = self._bound(loop.lower, depth)
        counter, first = self._name(), "" if lower == "0" else f"{lower} to "
        head = f"croq.foreach {counter} in {first}{upper}"
        inner = {**counters, loop.counter: counter}
        if self.acc is None or not _multiplies(loop.body):
            self._put(f"{head} {{", depth)
            self._body(loop.body, inner, depth + 1)
        else:
            result, carried = self._name(), self._name()
            self._put(f"{result} = {head} iter({carried} = {self.acc}) {{", depth)
            self.acc = carried
            self._body(loop.body, inner, depth + 1)
            self._put(f"croq.yield {self.acc} : {_ACC}", depth + 1)
            self.acc = result
        self._put("}", depth)

    def _action(self, action: Action, counters: dict[str, str], depth: int) -> None:
        match action:
            case Wait(at):
                self._put(f"croq.wait {self._at(at, counters, depth)}", depth)
            case Trigger(at):
                self._put(f"croq.trigger {self._at(at, counters, depth)}", depth)
            case Load(cell, at):
                position = self._at(at, counters, depth)
                stage = self._stage(cell, counters, depth)
                future = self._set(
                    f"croq.copy_async %src => {stage} engine(tma)", depth
                )
                self._put(f"croq.trigger {position} after {future}", depth)
            case Write(cell):
                stage = self._stage(cell, counters, depth)
                self._put(f"croq.copy %src => {stage} engine(threads)", depth)
            case Read(cell):
                stage = self._stage(cell, counters, depth)
                own = f"%own_{self.role.name}"
                self._put(f"croq.copy {stage} => {own} engine(threads)", depth)
            case Move(source, target):
                read = self._stage(source, counters, depth)
                write = self._stage(target, counters, depth)
                self._put(f"croq.copy {read} => {write} engine(threads)", depth)
            case Multiply(cell):
                stage = self._stage(cell, counters, depth)
                self.acc = self._set(
                    f"croq.mma.exec row.row {self.acc}, {stage}, {stage}", depth
                )
            case Commit():
                self.acc = self._set(f"croq.mma.commit {self.acc}", depth)
            case Retire(in_flight):
                text = f"croq.mma.wait {self.acc} in_flight {in_flight}"
                self.acc = self._set(text, depth)

    def _at(self, at: At, counters: dict[str, str], depth: int) -> str:
        if at.by_slot:
            slots = self.program.event(at.event).slots
            return f"%{at.event}[{self._slot(at.order, slots, counters, depth)}]"
        base = self._terms(at.order, counters, depth)
        if base is None:
            return f"%{at.event} at {at.order.plus}"
        plus = f" + {at.order.plus}" if at.order.plus else ""
        return f"%{at.event} at {base}{plus}"

    def _slot(
        self, order: Order, slots: int, counters: dict[str, str], depth: int
    ) -> str:
        base = self._terms(order, counters, depth)
        if base is None:
            return str(order.plus % slots)
        whole = self._plus(base, order.plus, depth)
        ring = self._constant(slots, depth)
        return self._set(f"arith.remui {whole}, {ring} : index", depth)

    def _stage(self, cell: Cell, counters: dict[str, str], depth: int) -> str:
        order = cell.order
        base = self._terms(order, counters, depth)
        if base is None:
            at = str(order.plus)
        else:
            at = self._plus(base, order.plus, depth)
        return self._set(f"croq.slot %{cell.buffer} at {at}", depth)

    def _terms(self, order: Order, counters: dict[str, str], depth: int) -> str | None:
        total: str | None = None
        for term in order.terms:
            value = counters[term.counter]
            if term.times_n:
                value = self._set(f"arith.muli {value}, %n : index", depth)
            if term.factor != 1:
                factor = self._constant(term.factor, depth)
                value = self._set(f"arith.muli {value}, {factor} : index", depth)
            if total is not None:
                value = self._set(f"arith.addi {total}, {value} : index", depth)
            total = value
        return total

    def _bound(self, bound: Bound, depth: int) -> str:
        if bound.count is None:
            return str(bound.value({}))
        value = f"%{bound.count}"
        if bound.factor != 1:
            factor = self._constant(bound.factor, depth)
            value = self._set(f"arith.muli {value}, {factor} : index", depth)
        value = self._plus(value, bound.plus, depth)
        if bound.at_most is not None:
            most = self._constant(bound.at_most, depth)
            value = self._set(f"arith.minsi {value}, {most} : index", depth)
        if bound.plus < 0:
            least = self._constant(0, depth)
            value = self._set(f"arith.maxsi {value}, {least} : index", depth)
        return value

    def _plus(self, value: str, plus: int, depth: int) -> str:
        if plus == 0:
            return value
        number = self._constant(plus, depth)
        return self._set(f"arith.addi {value}, {number} : index", depth)

    def _constant(self, number: int, depth: int) -> str:
        return self._set(f"arith.constant {number} : index", depth)


def _multiplies(body: tuple[Statement, ...]) -> bool:
    return any(isinstance(s, Multiply | Commit | Retire) for s in walk(body))
