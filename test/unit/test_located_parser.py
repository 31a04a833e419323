"""Every op, argument and error has the place it was read from."""

from __future__ import annotations

from io import BytesIO

import pytest
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import from_exception, location_of
from croqtile_mlir.frontends.located import LocatedMLIRFrontend, parse_text

GOOD = """\
func.func @f(%a: i32,
             %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
    %t = arith.constant true
  scf.if %t {
    %d = "arith.muli"(%c, %c) : (i32, i32) -> i32
  }
  cf.br ^end(%c : i32)
^end(%e: i32):
  func.return %e : i32 loc("elsewhere.py":7:2)
}
"""


def parse(text: str) -> ModuleOp:
    return parse_text(new_context(), text, "k.mlir")


def error_of(text: str) -> str:
    with pytest.raises(ParseError) as caught:
        parse(text)
    return str(from_exception(caught.value))


def test_every_op_has_its_place():
    places = {type(op): str(location_of(op)) for op in parse(GOOD).walk()}
    assert places[ModuleOp] == "k.mlir:1:1"
    assert places[func.FuncOp] == "k.mlir:1:1"
    assert places[arith.AddiOp] == "k.mlir:3:3"
    assert places[arith.ConstantOp] == "k.mlir:4:5"
    assert places[scf.IfOp] == "k.mlir:5:3"
    assert places[arith.MuliOp] == "k.mlir:6:5"
    assert places[func.ReturnOp] == "elsewhere.py:7:2"


def test_every_argument_has_its_place():
    function = next(op for op in parse(GOOD).walk() if isinstance(op, func.FuncOp))
    entry, end = function.body.blocks
    places = [str(location_of(arg)) for arg in (*entry.args, *end.args)]
    assert places == ["k.mlir:1:14", "k.mlir:2:14", "k.mlir:9:6"]


def test_places_survive_text():
    """What `--print-debuginfo` prints is read back."""
    from io import StringIO

    from xdsl.printer import Printer

    text = StringIO()
    Printer(stream=text, print_debuginfo=True).print_op(parse(GOOD))
    again = parse_text(new_context(), text.getvalue(), "again.mlir")
    add = next(op for op in again.walk() if isinstance(op, arith.AddiOp))
    assert str(location_of(add)) == "k.mlir:3:3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo.bar", "k.mlir:1:1: error: Operation foo.bar is not registered"),
        ("\n  arith.nope", "k.mlir:2:3: error: Operation arith.nope is not registered"),
        (
            "%a = arith.constant 1 : i32\n%b = arith.addi %a, %x : i32",
            "k.mlir:2:21: error: use of undefined value %x",
        ),
        (
            "%a = arith.constant 1 : i32\n%a = arith.constant 1 : i32",
            "k.mlir:2:1: error: SSA value %a is already defined",
        ),
        (
            "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i64",
            "k.mlir:2:17: error: operand is used with type i64, but has been "
            "previously used or defined with type i32",
        ),
        (
            "func.func @f() {\n  cf.br ^nowhere\n}",
            "k.mlir:2:9: error: use of undefined block ^nowhere",
        ),
        (
            '\n%v = "test.op"() : () -> vector<-1xf32>',
            "k.mlir:2:",
        ),
        ("\n%v = arith.constant 300 : i8", "k.mlir:2:"),
        ("module {\n  func.func @f() {\n", "k.mlir:3:1: error: "),
    ],
)
def test_errors_have_their_place(text: str, message: str):
    assert error_of(text).startswith(message)


def test_an_undefined_value_is_reported_in_its_own_region():
    """Another function may use the same name before its definition, and define it."""
    text = """\
func.func @forward() {
  cf.br ^late
^early:
  "test.op"(%x) : (i32) -> ()
  func.return
^late:
  %x = arith.constant 1 : i32
  cf.br ^early
}
func.func @undefined() {
  "test.op"(%x) : (i32) -> ()
  func.return
}
"""
    assert error_of(text) == "k.mlir:11:13: error: use of undefined value %x"


def test_the_first_of_several_undefined_values_is_reported():
    text = '"test.op"(%b) : (i32) -> ()\n"test.op"(%a, %b) : (i32, i32) -> ()'
    assert error_of(text) == "k.mlir:1:11: error: use of undefined value %b"


@pytest.mark.parametrize("text", ["", "  \n", "// nothing\n"])
def test_nothing_is_an_empty_module(text: str):
    module = parse(text)
    assert not module.body.block.ops
    assert str(location_of(module)) == "k.mlir:1:1"


def test_the_frontend_reads_bytes():
    frontend = LocatedMLIRFrontend()
    module = frontend.parse(new_context(), BytesIO(GOOD.encode()), "stdin")
    assert str(location_of(module)) == "stdin:1:1"
    strict = LocatedMLIRFrontend(no_implicit_module=True)
    with pytest.raises(ParseError, match=r"builtin\.module operation expected"):
        strict.parse(new_context(), BytesIO(GOOD.encode()), "stdin")


TYPES = """\
%0 = "test.op"() : () -> !llvm.struct<(f32, f32, !llvm.ptr<3>)>
%1 = "test.op"() : () -> !llvm.struct<(f32, f32, !llvm.ptr<3>)>
%2 = "test.op"() : () -> !llvm.struct<(f32, i1)>
%3:2 = "test.op"() : () -> (!llvm.struct<(f32, i1)> , !llvm.struct<(f32, i1)>)
%4 = "test.op"() : () -> !llvm<struct<(f32, i1)>>
"""


def test_a_type_is_read_again():
    """What was read before is known by its text, however it goes on."""
    context = new_context()
    context.allow_unregistered = True
    ops = list(parse_text(context, TYPES, "k.mlir").ops)
    types = [str(result.type) for op in ops for result in op.results]
    three, pair = "!llvm.struct<(f32, f32, !llvm.ptr<3>)>", "!llvm.struct<(f32, i1)>"
    assert types == [three, three, pair, pair, pair, pair]


def test_a_type_that_does_not_end():
    """It begins like one that was read before."""
    text = TYPES.replace("test.op", "llvm.mlir.zero").replace(":2", "")
    text = text.splitlines()[2] + '\n%5 = "llvm.mlir.zero"() : () -> !llvm.struct<(f32,'
    assert error_of(text).startswith("k.mlir:2:")
