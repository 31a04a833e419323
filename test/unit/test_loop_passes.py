"""
Random scalar kernels do the same after `--unswitch-loops`, at the hardware level and at
the ptx level.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from support.scalar_machines import HardwareMachine, ScalarRegisterMachine
from support.scalar_programs import Program
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.ptx.structure import EntryOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes


@dataclass
class GuardedProgram(Program):
    """Half of its loops do what they do in one conditional."""

    silent: bool = False

    def define(self, scope: dict[str, list[str]], kind: str, text: str) -> None:
        if self.silent:
            scope[kind].append(self.fresh(text))
        else:
            super().define(scope, kind, text)

    def store(self, scope: dict[str, list[str]], depth: int) -> None:
        if not self.silent:
            super().store(scope, depth)

    def loop(self, scope: dict[str, list[str]], depth: int) -> None:
        # Used in the loop, only behind it, or not at all.
        known = len(scope["i32"])
        self.quietly(scope)
        made = scope["i32"][known:]
        if self.silent or self.random.random() < 0.3:
            super().loop(scope, depth)
        else:
            self.guarded_loop(scope, depth)
        if made and not self.silent:
            value = self.random.choice(made)
            self.lines.append(f"llvm.store {value}, %out : i32, !llvm.ptr<1>")

    def guarded_loop(self, scope: dict[str, list[str]], depth: int) -> None:
        """Arithmetic, perhaps a loop of its own kind, a conditional, arithmetic."""
        condition = self.value(scope, "i1")
        low, one = (self.fresh(f"arith.constant {n} : i32") for n in (0, 1))
        three = self.fresh("arith.constant 3 : i32")
        high = self.fresh(f"arith.andi {self.value(scope, 'i32')}, {three} : i32")
        index, carried, result = self.name(), self.name(), self.name()
        self.lines.append(
            f"{result} = scf.for {index} = {low} to {high} step {one} "
            f"iter_args({carried} = {self.value(scope, 'i32')}) -> (i32) : i32 {{"
        )
        inner = {kind: list(values) for kind, values in scope.items()}
        inner["i32"] += [index, carried]
        self.quietly(inner)
        if depth < 3 and self.random.random() < 0.4:
            self.guarded_loop(inner, depth + 1)
        else:
            # Mostly from outside of the loop.
            if self.random.random() < 0.2:
                condition = self.value(inner, "i1")
            self.lines.append(f"scf.if {condition} {{")
            inside = {kind: list(values) for kind, values in inner.items()}
            self.body(inside, 2, depth + 1)
            self.finish(inside, [])
            if self.random.random() < 0.1:
                self.lines[-1] += " else {"
                self.body({k: list(v) for k, v in inner.items()}, 1, depth + 1)
                self.finish(inner, [])
        if self.random.random() < 0.1:
            self.store(inner, depth)
        self.quietly(inner)
        self.finish(inner, ["i32"])
        if self.random.random() < 0.3:
            scope["i32"].append(result)

    def quietly(self, scope: dict[str, list[str]]) -> None:
        """Arithmetic that nothing stores by itself."""
        self.silent, before = True, self.silent
        for _ in range(self.random.randrange(4)):
            self.random.choice((self.binary, self.logic, self.select))(scope, 0)
        self.silent = before


def kernel_of(module: ModuleOp) -> llvm.FuncOp:
    return next(op for op in module.walk() if isinstance(op, llvm.FuncOp))


def stored(module: ModuleOp, arguments: list[int]) -> list[int]:
    machine = HardwareMachine()
    machine.run(kernel_of(module), arguments)
    return machine.trace


def shape(module: ModuleOp) -> list[tuple[str, str]]:
    """The ops and what they are in, in order."""
    found: list[tuple[str, str]] = []
    for op in module.walk():
        parent = op.parent_op()
        found.append((op.name, "" if parent is None else parent.name))
    return found


def check(seed: int, size: int) -> bool:
    """Whether the pass changed a kernel, which does the same."""
    chance = random.Random(seed)
    text = GuardedProgram(chance).text(size)
    number = chance.choice((0, 1, 2, 3, chance.getrandbits(32), 2**32 - 1))
    arguments = [number, chance.getrandbits(64), 0]
    ctx = new_context()
    module = parse_text(ctx, text, "random.mlir")
    expected = stored(module, arguments)
    before = shape(module)
    run_passes(ctx, module, parse_passes("unswitch-loops"))
    changed = shape(module) != before
    assert stored(module, arguments) == expected, f"seed {seed}"
    run_passes(ctx, module, parse_passes("convert-to-ptx,assign-registers"))
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    machine = ScalarRegisterMachine()
    assert machine.run(entry, arguments, 100_000), f"seed {seed}"
    assert machine.trace == expected, f"seed {seed}"
    return changed


@pytest.mark.parametrize("size", [6, 12])
def test_random_kernels(size: int) -> None:
    """The pass has something to do in many of them."""
    assert sum(check(seed, size) for seed in range(120)) > 10
