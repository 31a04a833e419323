"""
Random kernels of which the scopes share buffers: copies of all engines, events, groups.

Up to three roles of a warp, or a block of two warps, fill, copy, compute and read tiles
of shared memory, in loops and under conditions, and synchronise now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

ROWS, COLS = 2, 16
"""Extents of a stage; what 32 threads cover."""

_Statement = Callable[["_Scopes", tuple[str, ...]], None]


@dataclass
class _Scopes:
    random: Random
    roles: int
    buffers: dict[str, int]
    """How many stages each has; 0: it is no ring."""

    events: list[str]
    lines: list[str] = field(default_factory=list[str])
    role: int = 0
    number: int = 0
    pending: list[str] = field(default_factory=list[str])
    """The futures of loads that nothing awaits yet."""

    nested: int = 0

    def put(self, text: str) -> None:
        """Write a line."""
        self.lines.append(text)

    def set(self, text: str) -> str:
        """Write the definition of a value; its name."""
        self.number += 1
        self.put(f"%v{self.number} = {text}")
        return f"%v{self.number}"

    def order(self, loops: tuple[str, ...]) -> str:
        """An order: most often the counter of the innermost loop."""
        pick = self.random
        if not loops or pick.random() < 0.1:
            return str(pick.randrange(3))
        base = pick.choice(loops) if pick.random() < 0.3 else loops[-1]
        return base + pick.choice(("",) * 6 + (" + 1", " + 2"))

    def stage(self, loops: tuple[str, ...]) -> str:
        """A stage of a buffer: of a role most often of its own."""
        names = list(self.buffers)
        own = names[self.role : self.role + 1] if self.roles else []
        pick = self.random
        name = own[0] if own and pick.random() < 0.6 else pick.choice(names)
        if self.buffers[name] == 0:
            return name
        return self.set(f"croq.slot {name} at {self.order(loops)}")

    def outside(self, name: str, loops: tuple[str, ...]) -> str:
        """A tile of a global one: that of the innermost loop, most often."""
        at = "0"
        if loops and self.random.random() < 0.85:
            at = self.set(f"arith.remui {loops[-1]}, %eight : index")
        return self.set(f"croq.subspan {name} [{ROWS}, {COLS}] tile ({at}, 0)")

    def source(self, loops: tuple[str, ...]) -> str:
        """A tile to load."""
        return self.outside("%x", loops)

    def result(self, loops: tuple[str, ...]) -> str:
        """A tile to store to, of the own output."""
        return self.outside(f"%y{self.role}", loops)

    def statement(self, loops: tuple[str, ...]) -> None:
        """Any statement."""
        weights = [weight for weight, _ in _STATEMENTS]
        ((_, write),) = self.random.choices(_STATEMENTS, weights)
        write(self, loops)

    def block(self, loops: tuple[str, ...], size: int) -> None:
        """Statements; what they load is awaited at the end, most often."""
        around, self.pending = self.pending, []
        self.nested += 1
        for _ in range(size):
            self.statement(loops)
        for future in self.pending:
            if self.random.random() < 0.9:
                self.put(f"croq.await {future}")
        self.nested -= 1
        self.pending = around

    def scope(self) -> None:
        """What a role does, or a block without roles."""
        pick = self.random
        self.block((), pick.randrange(3))
        if pick.random() < 0.8:
            _loop(self, ())
        self.block((), pick.randrange(3))
        self.put("croq.await_loads in_flight 0")
        self.put("croq.await_stores in_flight 0")


def _wait(to: _Scopes, loops: tuple[str, ...]) -> None:
    if to.events:
        to.put(f"croq.wait {to.random.choice(to.events)} at {to.order(loops)}")


def _trigger(to: _Scopes, loops: tuple[str, ...]) -> None:
    if not to.events:
        return
    after = ""
    if to.pending and to.random.random() < 0.6:
        after = f" after {to.pending.pop()}"
    event = to.random.choice(to.events)
    to.put(f"croq.trigger {event} at {to.order(loops)}{after}")


def _load(to: _Scopes, loops: tuple[str, ...]) -> None:
    engine = to.random.choice(("auto", "tma", "threads", "cp_async"))
    to.put(f"croq.copy {to.source(loops)} => {to.stage(loops)} engine({engine})")


def _load_async(to: _Scopes, loops: tuple[str, ...]) -> None:
    engine = to.random.choice(("tma", "tma", "cp_async"))
    copy = f"croq.copy_async {to.source(loops)} => {to.stage(loops)} engine({engine})"
    to.pending.append(to.set(copy))


def _await(to: _Scopes, loops: tuple[str, ...]) -> None:
    if to.pending:
        at = to.random.randrange(len(to.pending))
        to.put(f"croq.await {to.pending.pop(at)}")


def _store(to: _Scopes, loops: tuple[str, ...]) -> None:
    engine = to.random.choice(("tma", "threads"))
    to.put(f"croq.copy {to.stage(loops)} => {to.result(loops)} engine({engine})")


def _store_async(to: _Scopes, loops: tuple[str, ...]) -> None:
    copy = f"croq.copy_async {to.stage(loops)} => {to.result(loops)} engine(tma)"
    future = to.set(copy)
    if to.random.random() < 0.5:
        _body(to, loops)
        to.put(f"croq.await {future}{to.random.choice((' read', ''))}")


def _await_stores(to: _Scopes, loops: tuple[str, ...]) -> None:
    read = to.random.choice((" read", ""))
    to.put(f"croq.await_stores in_flight {to.random.randrange(2)}{read}")


def _load_group(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.set(f"croq.copy_async {to.source(loops)} => {to.stage(loops)} engine(cp_async)")
    if to.random.random() < 0.8:
        to.put("croq.commit_loads")


def _await_groups(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put(f"croq.await_loads in_flight {to.random.choice((0, 0, 1, 2))}")


def _fill(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put(f"croq.fill {to.stage(loops)}, 1.0")


def _move(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put(f"croq.copy {to.stage(loops)} => {to.stage(loops)} engine(threads)")


def _compute(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put(f"croq.elementwise (%each = {to.stage(loops)}) => {to.stage(loops)} {{")
    to.put("%twice = arith.addf %each, %each : f32\ncroq.yield %twice : f32\n}")


def _reduce(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put(f"croq.reduce add {to.stage(loops)} dim 1 => %sum{to.role}")


def _barrier(to: _Scopes, loops: tuple[str, ...]) -> None:
    to.put("croq.barrier")


def _body(to: _Scopes, loops: tuple[str, ...]) -> None:
    source, target = to.stage(loops), to.stage(loops)
    target = to.random.choice((target, f"%y{to.role}"))
    to.put(f"croq.parallel (%r, %c) in ({ROWS}, {COLS}) : thread {{")
    value = to.set(f"croq.load {source}[%r, %c]")
    value = to.set(f"arith.addf {value}, {value} : f32")
    to.put(f"croq.store {value}, {target}[%r, %c]\n}}")


def _branch(to: _Scopes, loops: tuple[str, ...]) -> None:
    if not loops or to.nested > 2:
        return
    pick = to.random
    limit = pick.choice(("%zero", "%one", "%two"))
    predicate = pick.choice(("ult", "eq", "uge"))
    condition = to.set(f"arith.cmpi {predicate}, {loops[-1]}, {limit} : index")
    to.put(f"scf.if {condition} {{")
    to.block(loops, pick.randrange(1, 3))
    if pick.random() < 0.4:
        to.put("} else {")
        to.block(loops, pick.randrange(1, 3))
    to.put("}")


def _loop(to: _Scopes, loops: tuple[str, ...]) -> None:
    if to.nested > 2:
        return
    pick = to.random
    to.number += 1
    counter = f"%v{to.number}"
    first = pick.choice(("", "", "", "1 to "))
    step = pick.choice(("", "", "", " step 2"))
    end = pick.choice(("%steps", "%steps", "3"))
    to.put(f"croq.foreach {counter} in {first}{end}{step} {{")
    to.block((*loops, counter), pick.randrange(1, 5))
    to.put("}")


_STATEMENTS: tuple[tuple[float, _Statement], ...] = (
    (3, _wait),
    (3, _trigger),
    (3, _load),
    (3, _load_async),
    (2, _await),
    (2, _store),
    (1, _store_async),
    (1, _await_stores),
    (1.5, _load_group),
    (1.5, _await_groups),
    (1, _fill),
    (1, _move),
    (2, _compute),
    (1, _reduce),
    (0.5, _barrier),
    (3, _body),
    (1.5, _branch),
    (2, _loop),
)


def random_scopes(seed: int) -> str:
    """The text of a kernel; equal for equal seeds."""
    pick = Random(seed)
    buffers = {"%a": pick.choice((0, 0, 2, 3))}
    for name, stages in (("%p", 0), ("%q", pick.choice((0, 2)))):
        if pick.random() < 0.6:
            buffers[name] = stages
    roles = pick.choice((0, 0, 1, 2, 2, 3))
    events: dict[str, str] = {}
    for name in ("%e", "%f"):
        if pick.random() < 0.7:
            ready = pick.choice(("ready ", ""))
            events[name] = f"{ready}: !croq.event<{pick.choice((1, 2, 2, 3))}>"
    to = _Scopes(pick, roles, buffers, list(events))
    for name, stages in buffers.items():
        to.put(f"{name} = croq.alloc : {_tile(f'{stages}x' if stages else '')}")
        if stages:
            to.put(f"croq.foreach %s{name[1:]} in {stages} {{")
            slot = to.set(f"croq.slot {name} at %s{name[1:]}")
            to.put(f"croq.fill {slot}, 0.0\n}}")
        else:
            to.put(f"croq.fill {name}, 0.0")
    for number in range(max(1, roles)):
        to.put(f"%sum{number} = croq.alloc : !croq.tile<{ROWS}xf32, shared>")
    for name, event in events.items():
        to.put(f"{name} = croq.event {event}")
    for number, name in enumerate(("%zero", "%one", "%two")):
        to.put(f"{name} = arith.constant {number} : index")
    to.put("%eight = arith.constant 8 : index\n%steps = croq.dim N")
    for to.role in range(roles):
        to.put(f'croq.role "r{to.role}" warps [{to.role}, {to.role + 1}) {{')
        to.scope()
        to.put("}")
    if not roles:
        to.scope()
    outer = "!croq.tile<64x16xf32, global>"
    threads = "" if roles else " threads 64"
    text = "\n".join(to.lines)
    return f"""
croq.kernel @scopes dims(N) (%steps_of: !croq.tile<[N]xi32, global>,
    %x: {outer}, %y0: {outer}, %y1: {outer}, %y2: {outer}) {{
  croq.parallel (%b) in (1) : block{threads} {{
{text}
  }}
}}
"""


def _tile(stages: str) -> str:
    return f"!croq.tile<{stages}{ROWS}x{COLS}xf32, shared>"
