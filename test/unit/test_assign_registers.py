"""
Registers are assigned right: random programs do the same, run on values before the pass
and on registers after it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ptx_programs import Generator, RegisterMachine, ValueMachine
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.ptx.structure import EntryOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import verify_module
from croqtile_mlir.passes.assign_registers import AssignRegistersPass


def _entry(module: BuiltinModuleOp) -> EntryOp:
    return next(op for op in module.walk() if isinstance(op, EntryOp))


def _assign_and_compare(module: BuiltinModuleOp) -> None:
    verify_module(module)
    before = ValueMachine()
    ended = before.run(_entry(module), 400, 400)
    AssignRegistersPass().apply(Context(), module)
    verify_module(module)
    after = RegisterMachine()
    # Moves add steps, at most a few for each of the original's.
    assert after.run(_entry(module), 40_000, len(before.trace) + ended) == ended
    assert after.trace == before.trace


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 12))
def test_random_programs(seed: int, blocks: int, ops: int) -> None:
    _assign_and_compare(Generator(seed, blocks, ops, accumulate=False).module())


def _accumulating(count: int) -> Iterator[Generator]:
    for seed in range(count):
        yield Generator(seed, 2 + seed % 6, 1 + seed % 11, accumulate=True)


def test_random_programs_that_accumulate() -> None:
    """Those that would move an accumulator in a loop are refused, the others right."""
    refusals: list[str] = []
    for generator in _accumulating(200):
        try:
            _assign_and_compare(generator.module())
        except CompileError as error:
            refusals.append(str(error))
    assert 0 < len(refusals) < 100
    rule = "must not need a move of an accumulator in a loop"
    assert all(rule in refusal for refusal in refusals)


_HEAD = """
ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %at = ptx.mov b32 0 : !ptx.reg<b32>
    %one = ptx.mov b32 1 : !ptx.reg<b32>
    %two = ptx.mov b32 2 : !ptx.reg<b32>
    %d = ptx.mov b64 3 : !ptx.reg<b64>
    %less = ptx.setp lt.u32 %one, 50 : !ptx.pred
"""

_PROGRAMS = {
    "swap": """
    ptx.fallthrough ^loop(%one, %two)
  ^loop(%a: !ptx.reg<b32>, %b: !ptx.reg<b32>):
    ptx.label "loop"
    ptx.st shared b32 [%at], %a
    %more = ptx.setp lt.u32 %b, 50 : !ptx.pred
    ptx.bra_if %more, ^loop(%b, %a), ^exit
  ^exit:
    ptx.ret
""",
    "used after its update": """
    ptx.fallthrough ^loop(%one)
  ^loop(%a: !ptx.reg<b32>):
    ptx.label "loop"
    %next = ptx.add s32 %a, %two : !ptx.reg<b32>
    ptx.st shared b32 [%at], %a
    %more = ptx.setp lt.u32 %next, 50 : !ptx.pred
    ptx.bra_if %more, ^loop(%next), ^exit
  ^exit:
    ptx.st shared b32 [%at], %a
    ptx.ret
""",
    # The copy of the accumulator must not overwrite the other operand, whose registers
    # the result shares.
    "result shares with an operand": """
    %a = ptx.fill_group 1 : !ptx.group<b32 x 4>
    %c = ptx.fill_group 2 : !ptx.group<b32 x 4>
    ptx.bra_if not %less, ^last(%a), ^mma
  ^mma:
    %r = ptx.wgmma.mma_async "m64n8k32.s32.s8.s8" %c, %a, %d scale 1
      : !ptx.group<b32 x 4>
    ptx.stmatrix [%at], %c
    ptx.fallthrough ^last(%r)
  ^last(%x: !ptx.group<b32 x 4>):
    ptx.label "last"
    ptx.stmatrix [%at], %x
    ptx.ret
""",
    # %x is still needed when %y, which would go into the same lane, is made.
    "two lanes of one web": """
    %x = ptx.add s32 %one, %two : !ptx.reg<b32>
    ptx.bra_if not %less, ^first, ^second
  ^second:
    %y = ptx.add s32 %two, %two : !ptx.reg<b32>
    ptx.st shared b32 [%at], %x
    %j = ptx.join %y, %one, %one, %one : !ptx.group<b32 x 4>
    ptx.bra ^last(%j)
  ^first:
    ptx.label "first"
    %i = ptx.join %x, %two, %two, %two : !ptx.group<b32 x 4>
    ptx.fallthrough ^last(%i)
  ^last(%g: !ptx.group<b32 x 4>):
    ptx.label "last"
    ptx.stmatrix [%at], %g
    ptx.ret
""",
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_program(name: str) -> None:
    module = parse_text(new_context(), f"{_HEAD}{_PROGRAMS[name]}}}\n}}", name)
    _assign_and_compare(module)


def test_assigned_twice() -> None:
    module = Generator(1, 3, 4, accumulate=False).module()
    AssignRegistersPass().apply(Context(), module)
    with pytest.raises(CompileError, match="must not have registers assigned yet"):
        AssignRegistersPass().apply(Context(), module)
