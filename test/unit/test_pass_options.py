"""Options of passes: spellings that are accepted, messages for those that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_pipeline

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.pass_manager.options import from_spec
from croqtile_mlir.pass_manager.running import make_pass, parse_passes


@dataclass(frozen=True)
class Example(ModulePass):
    name = "example"

    fast: bool = False
    ratio: float = 1.0
    stages: int = 4
    max_slots: int | None = None
    target: str = "sm_90a"
    tile: tuple[int, ...] = (1,)
    mode: Literal["near", "far"] = "near"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx, op


@dataclass(frozen=True)
class Strict(ModulePass):
    name = "strict"

    stages: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx, op


def made(cls: type[ModulePass], options: str) -> ModulePass:
    (spec,) = parse_pipeline(f"{cls.name}{{{options}}}" if options else cls.name)
    result = from_spec("pass", cls, spec)
    assert isinstance(result, ModulePass)
    return result


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", Example()),
        ("fast", Example(fast=True)),
        ("fast=true", Example(fast=True)),
        ("fast=True", Example(fast=True)),
        ("fast=1", Example(fast=True)),
        ("fast=0", Example(fast=False)),
        ("fast=off", Example(fast=False)),
        ("ratio=2", Example(ratio=2.0)),
        ("ratio=0.5", Example(ratio=0.5)),
        ("stages=3 fast", Example(stages=3, fast=True)),
        ("stages=-1", Example(stages=-1)),
        ("max-slots=5", Example(max_slots=5)),
        ("max_slots=5", Example(max_slots=5)),
        ("target=sm-80", Example(target="sm-80")),
        ("target=90", Example(target="90")),
        ("target=true", Example(target="true")),
        ('target="a.b/c"', Example(target="a.b/c")),
        ("tile=128,64", Example(tile=(128, 64))),
        ("mode=far", Example(mode="far")),
    ],
)
def test_spellings(options: str, expected: Example):
    assert made(Example, options) == expected


OPTIONS = "its options are fast, ratio, stages, max-slots, target, tile, mode"


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ("fast=3", "fast must be true or false, got 3", OPTIONS),
        ("fast=maybe", "fast must be true or false, got maybe", OPTIONS),
        ("ratio=wide", "ratio must be a number, got wide", OPTIONS),
        ("stages=many", "stages must be an integer, got many", OPTIONS),
        ("stages=1,2", "stages must be an integer, got 1,2", OPTIONS),
        ("stages", "stages must be an integer, got nothing", OPTIONS),
        ("max-slots=x", "max-slots must be an integer, got x", OPTIONS),
        ("target", "target must be a word, got nothing", OPTIONS),
        ("tile=a", "tile must be a list such as 1,2, got a", OPTIONS),
        ("mode=beside", "mode must be near or far, got beside", OPTIONS),
        ("staegs=3", "it has no option 'staegs'", f"did you mean stages? {OPTIONS}"),
        ("x=3", "it has no option 'x'", OPTIONS),
    ],
)
def test_messages(options: str, message: str, hint: str):
    with pytest.raises(CompileError) as caught:
        made(Example, options)
    assert caught.value.message == f"bad options for pass 'example': {message}"
    assert caught.value.hint == hint


def test_an_option_without_a_default_is_compulsory():
    assert made(Strict, "stages=2") == Strict(2)
    with pytest.raises(CompileError, match='requires argument "stages"'):
        made(Strict, "")


def test_pipelines_keep_their_order():
    names = [each.name for each in parse_passes("cse,check-level{level=croq},dce,cse")]
    assert names == ["cse", "check-level", "dce", "cse"]
    assert parse_passes("") == []


def test_an_unknown_pass_is_named():
    (spec,) = parse_pipeline("no-such-pass")
    with pytest.raises(CompileError, match="unknown pass 'no-such-pass'"):
        make_pass(spec)
