"""A program with its expressions compiled and its statements numbered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm

from croqtile_mlir.analysis.sync.execution.rings import turning
from croqtile_mlir.analysis.sync.execution.toggles import words_of_bits
from croqtile_mlir.analysis.sync.expressions import Expressions, Reading
from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Agent,
    Arrive,
    Barrier,
    Branch,
    Buffer,
    Constant,
    Generation,
    Loop,
    Next,
    Parity,
    Program,
    SlotOf,
    Start,
    Statement,
    Touch,
    Variable,
    Wait,
    Which,
)

LARGEST_STRIDE = 16
"""Iterations of a loop in one round."""


@dataclass(frozen=True, eq=False, slots=True)
class AccessCode:
    """A read or write."""

    access: Access
    slot: Reading | None
    box: tuple[tuple[Reading, Reading] | None, ...]
    depends: tuple[int, ...]
    """Variables of its region that can differ between two executions of it."""

    readings: tuple[Reading, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ActionCode:
    """An action; what it does not use is None or empty."""

    ident: int
    action: Action
    slot: Reading | None = None
    which: Reading | None = None
    bytes: Reading | None = None
    accesses: tuple[AccessCode, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class LoopCode:
    """A loop; `symbolic` when its trip count is not the same in all instances."""

    ident: int
    loop: Loop
    counter: int
    lower: Reading
    upper: Reading
    step: Reading
    body: tuple[Code, ...]
    carried: tuple[tuple[int, Reading, Reading], ...]
    results: tuple[int, ...]
    symbolic: bool
    bounds: frozenset[int]
    """Counts of the program that its trip count depends on."""


@dataclass(frozen=True, eq=False, slots=True)
class BranchCode:
    """A branch; `open` when its condition is not decided by the counts."""

    ident: int
    branch: Branch
    condition: Reading
    then: tuple[Code, ...]
    otherwise: tuple[Code, ...]
    results: tuple[tuple[int, Reading, Reading], ...]
    open: bool


Code = ActionCode | LoopCode | BranchCode


def actions_in(statements: tuple[Statement, ...]) -> Iterator[Action]:
    """Every action below, in program order."""
    for statement in statements:
        match statement:
            case Loop():
                yield from actions_in(statement.body)
            case Branch():
                yield from actions_in(statement.then)
                yield from actions_in(statement.otherwise)
            case _:
                yield statement


def loops_in(block: tuple[Code, ...]) -> Iterator[LoopCode]:
    """Every loop below."""
    for code in block:
        match code:
            case LoopCode():
                yield code
                yield from loops_in(code.body)
            case BranchCode():
                yield from loops_in(code.then)
                yield from loops_in(code.otherwise)
            case ActionCode():
                pass


def _watched_buffers(program: Program) -> frozenset[Buffer]:
    """
    Buffers whose accesses can go wrong: those in shared memory, which start with
    nothing in them, and others that something writes.
    """
    found: set[Buffer] = set()
    for agent in program.agents:
        for action in actions_in(agent.body):
            if isinstance(action, Touch | Start):
                found.update(
                    a.region.buffer
                    for a in action.accesses
                    if a.write or a.region.buffer.shared
                )
    return frozenset(found)


def _touched(agent: Agent) -> frozenset[Buffer | Barrier]:
    found: set[Buffer | Barrier] = set()
    for action in actions_in(agent.body):
        if isinstance(action, Touch | Start):
            found.update(access.region.buffer for access in action.accesses)
        match action:
            case Wait() | Arrive():
                found.add(action.at.barrier)
            case Start(completes=at) if at is not None:
                found.add(at.barrier)
            case _:
                pass
    return frozenset(found)


def _is_idle(code: Code) -> bool:
    """Whether a statement does nothing at all."""
    match code:
        case ActionCode():
            return isinstance(code.action, Touch) and not code.accesses
        case LoopCode():
            return not code.body and not code.results
        case BranchCode():
            return not (code.then or code.otherwise or code.results)


class CompiledProgram:
    """A program that can be executed for any counts."""

    def __init__(self, program: Program):
        self.program = program
        self.expressions = Expressions()
        self._watched = _watched_buffers(program)
        self.counts = tuple(self.expressions.place(v) for v in program.counts)
        self.fixed = {self.expressions.place(v): n for v, n in program.fixed.items()}
        self._codes: dict[int, Code] = {}
        self._numbered = 0
        self._strides: dict[frozenset[int], int] = {}
        self._defined: dict[int, set[int]] = {}
        for agent in program.agents:
            self._define(agent.body)
        self._close()
        self.bodies = tuple(self._block(agent.body) for agent in program.agents)
        self.lane_variables = tuple(
            (variable, at)
            for variable, at in self.expressions.places.items()
            if variable.lanes and at not in self._defined
        )
        """Variables that hold the index of the lane."""

        self.words = frozenset(
            self.expressions.place(variable) for variable in words_of_bits(program)
        )
        """Variables that hold bits that flip."""

        self.turning = turning(program)
        """Rings whose slots follow from orders."""

        self.counted = frozenset(
            action.at.barrier
            for agent in program.agents
            for action in actions_in(agent.body)
            if isinstance(action, Wait) and isinstance(action.which, Next)
        )
        """Barriers of which agents count the generations that they waited for."""

        self.touched = tuple(_touched(agent) for agent in program.agents)
        """For each agent, the buffers and barriers that it may touch."""

    def stride(self, loop: LoopCode) -> int:
        """
        By how much the counter of a loop goes on in a round: as that of the loops with
        the largest step, of those over the same counts.
        """
        return self._strides.get(loop.bounds, 1)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents of the program."""
        return self.program.agents

    def place(self, variable: Variable) -> int:
        """Where an environment holds the variable."""
        return self.expressions.place(variable)

    def roots(self, reading: Reading) -> frozenset[int]:
        """Counts, fixed and lane variables that a value comes from."""
        found: set[int] = set()
        for at in reading.depends:
            found |= self._defined.get(at, {at})
        return frozenset(found)

    def _define(self, statements: tuple[Statement, ...]) -> None:
        """Note which variables each variable is computed from."""
        read, place = self.expressions.reading, self.expressions.place
        for statement in statements:
            match statement:
                case Loop():
                    counter = self._defined.setdefault(place(statement.counter), set())
                    bounds = (statement.lower, statement.upper, statement.step)
                    for bound in bounds:
                        counter |= read(bound).depends
                    for variable, first, following in statement.carried:
                        carried = self._defined.setdefault(place(variable), set())
                        carried |= read(first).depends | read(following).depends
                        carried |= counter
                    pairs = zip(statement.results, statement.carried, strict=True)
                    for result, (variable, _, _) in pairs:
                        self._defined.setdefault(place(result), set()).add(
                            place(variable)
                        )
                    self._define(statement.body)
                case Branch():
                    condition = read(statement.condition).depends
                    for variable, one, other in statement.results:
                        result = self._defined.setdefault(place(variable), set())
                        result |= condition | read(one).depends | read(other).depends
                    self._define(statement.then)
                    self._define(statement.otherwise)
                case _:
                    pass

    def _close(self) -> None:
        """Follow what variables are computed from to those that nothing defines."""
        changed = True
        while changed:
            changed = False
            for sources in self._defined.values():
                for at in tuple(sources):
                    if at in self._defined and not self._defined[at] <= sources:
                        sources |= self._defined[at]
                        changed = True
        for sources in self._defined.values():
            sources -= self._defined.keys()

    def _block(self, statements: tuple[Statement, ...]) -> tuple[Code, ...]:
        return tuple(
            code
            for code in (self._code(statement) for statement in statements)
            if not _is_idle(code)
        )

    def _code(self, statement: Statement) -> Code:
        found = self._codes.get(id(statement))
        if found is None:
            ident = self._numbered
            self._numbered += 1
            match statement:
                case Loop():
                    found = self._loop(ident, statement)
                case Branch():
                    found = self._branch(ident, statement)
                case _:
                    found = self._action(ident, statement)
            self._codes[id(statement)] = found
        return found

    def _loop(self, ident: int, loop: Loop) -> LoopCode:
        read, place = self.expressions.reading, self.expressions.place
        lower, upper, step = read(loop.lower), read(loop.upper), read(loop.step)
        roots = self.roots(lower) | self.roots(upper) | self.roots(step)
        bounds = roots & frozenset(self.counts)
        if isinstance(loop.step, Constant) and loop.step.value > 0:
            stride = lcm(self._strides.get(bounds, 1), loop.step.value)
            self._strides[bounds] = stride if stride <= LARGEST_STRIDE else 1
        return LoopCode(
            ident,
            loop,
            place(loop.counter),
            lower,
            upper,
            step,
            self._block(loop.body),
            tuple((place(v), read(a), read(b)) for v, a, b in loop.carried),
            tuple(place(v) for v in loop.results),
            bool(bounds),
            bounds,
        )

    def _branch(self, ident: int, branch: Branch) -> BranchCode:
        read, place = self.expressions.reading, self.expressions.place
        condition = read(branch.condition)
        free = not self.roots(condition).isdisjoint(self.fixed)
        return BranchCode(
            ident,
            branch,
            condition,
            self._block(branch.then),
            self._block(branch.otherwise),
            tuple((place(v), read(a), read(b)) for v, a, b in branch.results),
            condition.unknown is not None or free,
        )

    def _access(self, access: Access) -> AccessCode:
        read, region = self.expressions.reading, access.region
        slot = None if region.slot is None else read(region.slot)
        box = tuple(
            None if side is None else (read(side.lower), read(side.upper))
            for side in region.box
        )
        readings = [] if slot is None else [slot]
        for side in box:
            readings += () if side is None else side
        varying = self._defined.keys() | set(self.counts)
        depends = frozenset[int]().union(*(r.depends for r in readings)) & varying
        return AccessCode(access, slot, box, tuple(sorted(depends)), tuple(readings))

    def _accesses(self, accesses: tuple[Access, ...]) -> tuple[AccessCode, ...]:
        return tuple(
            self._access(a) for a in accesses if a.region.buffer in self._watched
        )

    def _slot(self, at: SlotOf) -> Reading:
        return self.expressions.reading(at.slot)

    def _which(self, which: Which) -> Reading | None:
        match which:
            case Generation():
                return self.expressions.reading(which.number)
            case Parity():
                return self.expressions.reading(which.bit)
            case _:
                return None

    def _action(self, ident: int, action: Action) -> ActionCode:
        read = self.expressions.reading
        match action:
            case Wait():
                return ActionCode(
                    ident, action, self._slot(action.at), self._which(action.which)
                )
            case Arrive():
                announced = read(action.announced_bytes)
                return ActionCode(
                    ident,
                    action,
                    self._slot(action.at),
                    self._which(action.which),
                    announced,
                )
            case Touch():
                return ActionCode(
                    ident, action, accesses=self._accesses(action.accesses)
                )
            case Start():
                return ActionCode(
                    ident,
                    action,
                    None if action.completes is None else self._slot(action.completes),
                    None,
                    read(action.bytes),
                    self._accesses(action.accesses),
                )
            case _:
                return ActionCode(ident, action)
