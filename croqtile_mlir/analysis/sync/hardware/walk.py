"""Reads the body of a kernel of hardware level: loops, conditionals, events."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from croqtile_mlir.analysis.sync.hardware.events import Event, For, If, Kind, Step
from croqtile_mlir.analysis.sync.hardware.ops import Ops
from croqtile_mlir.analysis.sync.hardware.values import WARP_LANES, Values
from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.llvm_ext import ReturnOp

_NEVER_READ = (scf.YieldOp, scf.ConditionOp, ReturnOp, cf.BranchOp)


def _is_number(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType | IndexType | LLVMPointerType)


@dataclass
class Reader:
    """Reads the ops of a kernel in order."""

    values: Values
    ops: Ops
    around: list[tuple[Operation, Expr]] = field(
        default_factory=list[tuple[Operation, Expr]]
    )
    """The conditions around where we are."""

    def kernel(self) -> tuple[Step, ...]:
        """All that a kernel does."""
        blocks = self.values.function.body.blocks
        if len(blocks) != 1:
            last = blocks[0].last_op or self.values.function
            raise NotModelled(
                last, "control flow by branches", "use scf.for, scf.if and scf.while"
            )
        steps = list(self.block(blocks[0]))
        place = blocks[0].last_op or self.values.function
        return (*steps, Event(place, Kind.EXIT))

    def block(self, block: Block) -> tuple[Step, ...]:
        """What the ops of a block do."""
        steps: list[Step] = []
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                steps.append(self._loop(op))
            elif isinstance(op, scf.IfOp):
                steps.append(self._branch(op))
            elif isinstance(op, scf.WhileOp):
                steps.append(self.ops.wait(op))
            elif isinstance(op, _NEVER_READ):
                continue
            elif op.regions:
                raise NotModelled(op, op.name)
            else:
                elects = isinstance(op, nvvm.ElectSyncOp)
                self.values.visit(op, self._elected() if elects else Constant(0))
                step = self.ops.step(op)
                if step is not None:
                    steps.append(step)
        return tuple(step for step in steps if not _is_empty(step))

    def _loop(self, op: scf.ForOp) -> For:
        values, make = self.values, self.values.make
        lower, upper, step = (values.of(v) for v in (op.lb, op.ub, op.step))
        low, high = make.range(lower)[0], make.range(upper)[1] - 1
        block = op.body.block
        name = block.args[0].name_hint or "iteration"
        lanes = values.varies(lower) or values.varies(upper)
        counter = make.variable(name, (low, max(low, high)), lanes=lanes)
        values.known[block.args[0]] = counter
        firsts = [values.of(arg) for arg in op.iter_args]
        inside = [
            self._carrier(argument, first)
            for argument, first in zip(block.args[1:], firsts, strict=True)
        ]
        body = self.block(block)
        last = block.last_op
        yielded = [] if last is None else [values.of(v) for v in last.operands]
        carried: list[tuple[Variable, Expr, Expr]] = []
        results: list[Variable] = []
        for variable, first, value, result in zip(
            inside, firsts, yielded, op.results, strict=True
        ):
            if variable is None:
                continue
            after = make.variable(result.name_hint or "result", lanes=variable.lanes)
            values.known[result] = after
            if values.varies(value) and not variable.lanes:
                value = Unknown("a value that loops make differ between lanes", op)
            carried.append((variable, first, value))
            results.append(after)
        return For(
            op, counter, lower, upper, step, body, tuple(carried), tuple(results)
        )

    def _carrier(self, argument: SSAValue, first: Expr) -> Variable | None:
        if not _is_number(argument.type):
            return None
        name = argument.name_hint or "carried"
        width = argument.type
        limits = (-float("inf"), float("inf"))
        if isinstance(width, IntegerType) and width.bitwidth == 1:
            limits = (0, 1)
        lanes = self.values.varies(first)
        made = self.values.make.variable(name, limits, lanes=lanes)
        self.values.known[argument] = made
        return made

    def _branch(self, op: scf.IfOp) -> If:
        values, make = self.values, self.values.make
        condition = values.of(op.cond)
        self.around.append((op, condition))
        then = self.block(op.true_region.block)
        self.around[-1] = (op, make.apply("xor", condition, Constant(1)))
        otherwise: tuple[Step, ...] = ()
        if op.false_region.blocks:
            otherwise = self.block(op.false_region.block)
        self.around.pop()
        results: list[tuple[Variable, Expr, Expr]] = []
        for number, result in enumerate(op.results):
            if not _is_number(result.type):
                continue
            yes, no = (
                values.of(region.block.last_op.operands[number])
                if region.block.last_op is not None
                else Unknown("a result of scf.if", op)
                for region in (op.true_region, op.false_region)
            )
            if self._is_local(then, yes) or self._is_local(otherwise, no):
                made = make.variable(result.name_hint or "result")
                values.known[result] = made
                results.append((made, yes, no))
            else:
                values.known[result] = make.apply("select", condition, yes, no)
        return If(op, condition, then, otherwise, tuple(results))

    def _is_local(self, steps: tuple[Step, ...], value: Expr) -> bool:
        """Whether a value is only there when a branch has been executed."""
        made: set[Expr] = set()
        for step in steps:
            if isinstance(step, For):
                made |= set(step.results)
            elif isinstance(step, If):
                made |= {variable for variable, _, _ in step.results}
        return bool(made & self.values.make.variables(value))

    def _elected(self) -> Expr:
        """The lane that `elect.sync` takes where we are: the first active one."""
        elected: Expr = Constant(0)
        values = self.values
        for op, condition in self.around:
            if not values.varies(condition):
                continue
            holds: dict[int, Expr] = {}
            for lane in range(WARP_LANES):
                here: dict[Expr, Expr] = {values.lane: Constant(lane)}
                at = values.make.substitute(condition, here, {})
                if at != Constant(0):
                    holds[lane] = at
            # Either all of these lanes are active, or none is.
            if elected != Constant(0) or len(set(holds.values())) != 1:
                return Unknown("the lane that elect.sync takes", op)
            elected = Constant(min(holds))
        return elected


def _is_empty(step: Step) -> bool:
    match step:
        case If():
            return not (step.then or step.otherwise or step.results)
        case For():
            return not (step.body or step.results)
        case Event():
            return False
