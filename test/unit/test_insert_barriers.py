"""`--insert-barriers` on random programs, against the traces they run."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.barrier_places import barriers_of
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.croq import (
    AllocOp,
    BarrierOp,
    CopyOp,
    Engine,
    ForeachOp,
    Level,
    MmaExecOp,
    MmaStoreOp,
    ParallelOp,
    SlotOp,
    Space,
    root_of,
    tile_type,
)
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.passes.insert_barriers import InsertBarriersPass

_HEAD = """
croq.kernel @k dims(N) (%g: !croq.tile<[N]x64xf16, global>,
    %h: !croq.tile<[N]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %a0 = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %a1 = croq.alloc : !croq.tile<3x64x64xf16, shared, swizzle<128>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %from = croq.subspan %g [64, 64] tile (%b, 0)
    %other = arith.constant true
"""


@dataclass
class _Writer:
    """Writes random statements; `indices` are the loops around."""

    choose: random.Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def loop_of_accesses(self) -> None:
        """A loop that touches one ring twice or three times."""
        self.lines.append(f"croq.foreach %k in {self.choose.randint(2, 5)} {{")
        ring = self.choose.choice(["%a0", "%a1"])
        for _ in range(self.choose.randint(2, 3)):
            self.access(["%k", "%k", "%k"], ring)
        self.lines.append("}")

    def statements(self, depth: int, indices: list[str]) -> None:
        """Up to three statements, loops and conditions among them."""
        for _ in range(self.choose.randint(1, 3)):
            kind = self.choose.choice(["access", "access", "access", "loop", "if"])
            if kind == "access" or depth == 0:
                self.access(indices)
            elif kind == "loop":
                index = self.name()
                trips = self.choose.randint(0, 4)
                step = self.choose.choice(["", " step 2"])
                self.lines.append(f"croq.foreach {index} in {trips}{step} {{")
                self.statements(depth - 1, [*indices, index])
                self.lines.append("}")
            else:
                self.lines.append("scf.if %other {")
                self.statements(depth - 1, indices)
                self.lines.append("} else {")
                self.statements(depth - 1, indices)
                self.lines.append("}")

    def output(self) -> str:
        """A tile of the output that nothing else stores to."""
        name = self.name()
        place = f"tile ({self.count}, 0)"
        self.lines.append(f"{name} = croq.subspan %h [64, 64] {place}")
        return name

    def access(self, indices: list[str], ring: str | None = None) -> None:
        stage = self.name()
        ring = ring or self.choose.choice(["%a0", "%a1"])
        base = self.choose.choice([*indices, "0", "1"])
        offset = self.choose.choice(["", " + 1", " + 2"])
        self.lines.append(f"{stage} = croq.slot {ring} at {base}{offset}")
        match self.choose.randint(0, 5):
            case 0:
                self.lines.append(f"croq.copy %from => {stage} engine(threads)")
            case 1:
                to = self.output()
                self.lines.append(f"croq.copy {stage} => {to} engine(threads)")
            case 2:
                self.lines.append(f"croq.copy %from => {stage} engine(tma)")
            case 3:
                to = self.output()
                self.lines.append(f"croq.copy {stage} => {to} engine(tma)")
            case 4:
                self.lines.append(f"croq.mma.store %zero => {stage}")
            case _:
                c1, c2, c3 = self.name(), self.name(), self.name()
                self.lines += [
                    f"{c1} = croq.mma.exec row.row %zero, {stage}, {stage}",
                    f"{c2} = croq.mma.commit {c1}",
                    f"{c3} = croq.mma.wait {c2} in_flight 0",
                ]


@dataclass(frozen=True)
class _Event:
    """One access as it happened; `mapping` says how elements fall to threads."""

    op: Operation
    buffer: tuple[SSAValue, int]
    writes: bool
    elected: bool
    mapping: object


@dataclass
class _Run:
    """Executes a block of ops, and looks for conflicts that no barrier orders."""

    choose: random.Random
    open: list[_Event] = field(default_factory=list[_Event])
    races: list[tuple[Operation, Operation]] = field(
        default_factory=list[tuple[Operation, Operation]]
    )

    def block(self, block: Block, values: dict[SSAValue, int]) -> None:
        for op in block.ops:
            match op:
                case BarrierOp():
                    self.open = []
                case ForeachOp():
                    assert isinstance(op.upper, int)
                    assert isinstance(op.step, int)
                    for index in range(0, op.upper, op.step):
                        self.block(op.body.block, {**values, op.induction: index})
                case scf.IfOp():
                    region = self.choose.choice([op.true_region, op.false_region])
                    self.block(region.block, values)
                case CopyOp():
                    elected = op.engine.data is Engine.Tma
                    # Copies by threads all have tiles and vectors of one size.
                    by = op if elected else "vectors"
                    self.access(op, op.source, values, False, elected, by)
                    self.access(op, op.destination, values, True, elected, by)
                case MmaStoreOp():
                    self.access(op, op.tile, values, True, False, "mma.store")
                case MmaExecOp():
                    self.access(op, op.a, values, False, False, None)
                case _:
                    pass

    def access(
        self,
        op: Operation,
        tile: SSAValue,
        values: dict[SSAValue, int],
        writes: bool,
        elected: bool,
        mapping: object,
    ) -> None:
        if tile_type(tile).memory_space is not Space.Shared:
            return
        slot = tile.owner
        assert isinstance(slot, SlotOp)
        base, offset = slot.position.base, slot.position.offset
        assert isinstance(slot.stages, int)
        assert isinstance(offset, int)
        order = values[base] if isinstance(base, SSAValue) else base
        assert isinstance(order, int)
        root = root_of(tile)
        assert isinstance(root.owner, AllocOp)
        new = _Event(
            op, (root, (order + offset) % slot.stages), writes, elected, mapping
        )
        self.races += [(old.op, op) for old in self.open if self._race(old, new)]
        if not (elected and writes):
            self.open.append(new)

    @staticmethod
    def _race(old: _Event, new: _Event) -> bool:
        if old.buffer != new.buffer or not (old.writes or new.writes):
            return False
        if old.elected and new.elected:
            return False
        return old.mapping is None or old.mapping != new.mapping


def _block(module: ModuleOp) -> ParallelOp:
    for op in module.walk():
        if isinstance(op, ParallelOp) and op.level.data is Level.Block:
            return op
    raise AssertionError("no block")


def _races(module: ModuleOp, seed: int) -> list[tuple[Operation, Operation]]:
    found: list[tuple[Operation, Operation]] = []
    for attempt in range(4):
        run = _Run(random.Random(seed * 31 + attempt))
        run.block(_block(module).body.block, {})
        found += run.races
    return found


def _program(seed: int) -> str:
    writer = _Writer(random.Random(seed))
    if seed % 3:
        writer.loop_of_accesses()
    else:
        writer.statements(3, [])
    return _HEAD + "\n".join(writer.lines) + "}}"


@pytest.mark.parametrize("group", range(10))
def test_no_race_is_left(group: int) -> None:
    for seed in range(group * 20, group * 20 + 20):
        text = _program(seed)
        context = new_context()
        module = parse_text(context, text, "random.mlir")
        InsertBarriersPass().apply(context, module)
        module.verify()
        assert not _races(module, seed), text
        # What is there already is enough: nothing to add.
        assert not barriers_of(_block(module)), text


def test_no_barrier_is_spare_in_a_loop() -> None:
    """In a loop that runs often, each barrier keeps a race away."""
    for seed in (seed for seed in range(200) if seed % 3):
        context = new_context()
        text = re.sub(r"%k in \d", "%k in 9", _program(seed))
        module = parse_text(context, text, "random.mlir")
        InsertBarriersPass().apply(context, module)
        barriers = [op for op in module.walk() if isinstance(op, BarrierOp)]
        for barrier in barriers:
            place = barrier.next_op
            assert place is not None
            block = barrier.parent
            assert block is not None
            barrier.detach()
            assert _races(module, seed), text
            block.insert_op_before(barrier, place)


def test_the_programs_have_races() -> None:
    racy = sum(
        bool(_races(parse_text(new_context(), _program(seed), "random.mlir"), seed))
        for seed in range(60)
    )
    assert racy > 20
