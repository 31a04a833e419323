"""
An MLIR parser that knows where everything is.

Every op gets the place it was read from; an undefined value is reported at its first
use, and what an attribute or op rejects is reported where it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnregisteredAttr,
)
from xdsl.ir import (
    AttributeInvT,
    Block,
    BlockArgument,
    Data,
    Operation,
    ParametrizedAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.parser import Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import (
    MultipleSpansParseError,
    ParseError,
    VerifyException,
)
from xdsl.utils.frontend import Frontend
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRTokenKind,
    PunctuationSpelling,
)

from croqtile_mlir.frontends.lexer import QuickLexer

_Parsed = UnregisteredAttr | ParametrizedAttribute | Data[Any]

_FLAT_BODY = re.compile(r"<[^<>]*>")
"""What follows the name of a type, where it may be read up to the first `>`."""


class LocatedParser(Parser):
    """The xDSL parser with a location for every op and every error."""

    def __init__(self, ctx: Context, text: str, name: str):
        super().__init__(ctx, text, name)
        self._parser_state = ParserState(QuickLexer(Input(text, name)))
        self._name = StringAttr(name)
        self._line_starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
        self._first_use: dict[str, Span[str]] = {}
        self._operation_start: Span[str] = self._current_token.span
        self._types: dict[tuple[str, str], _Parsed] = {}
        """By name and body: a struct of all registers of an accumulator is long, and
        there are many ops with it."""
        self._numbers: dict[str, TypeAttribute] = {}
        """Types of numbers, by name."""
        self._places: dict[int, IntAttr] = {}
        """Lines and columns."""

    def _parse_dialect_type_or_attribute_body(
        self,
        attr_name: str,
        is_type: bool,
        is_opaque: bool,
        starting_opaque_pos: Position | None,
    ) -> _Parsed:
        def parse() -> _Parsed:
            return super(LocatedParser, self)._parse_dialect_type_or_attribute_body(
                attr_name, is_type, is_opaque, starting_opaque_pos
            )

        text, start = self.lexer.input.content, self._current_token.span.start
        body = _FLAT_BODY.match(text, start) if is_type and not is_opaque else None
        if body is None:
            return parse()
        key = attr_name, body[0]
        known = self._types.get(key)
        if known is not None:
            self._resume_from(body.end())
            return known
        found = parse()
        if text[start : self._current_token.span.start].rstrip() == body[0]:
            self._types[key] = found
        return found

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        token = self._current_token
        if token.kind is not MLIRTokenKind.BARE_IDENT:
            return None
        known = self._numbers.get(token.text)
        if known is not None:
            self._consume_token()
            return known
        found = super()._parse_optional_integer_or_float_type()
        if found is not None:
            self._numbers[token.text] = found
        return found

    def parse_optional_punctuation(
        self, punctuation: PunctuationSpelling
    ) -> PunctuationSpelling | None:
        if self._current_token.kind is not KIND_BY_PUNCTUATION_SPELLING[punctuation]:
            return None
        self._consume_token()
        return punctuation

    def parse_punctuation(
        self, punctuation: PunctuationSpelling, context_msg: str = ""
    ) -> PunctuationSpelling:
        if self.parse_optional_punctuation(punctuation) is None:
            self.raise_error(f"Expected '{punctuation}'" + context_msg)
        return punctuation

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._name, self._place(line), self._place(column))

    def _place(self, number: int) -> IntAttr:
        found = self._places.get(number)
        if found is None:
            found = self._places[number] = IntAttr(number)
        return found

    def parse_operation(self) -> Operation:
        self._operation_start = self._current_token.span
        start = self._operation_start.start
        try:
            op = super().parse_operation()
        except MultipleSpansParseError as error:
            if "missing block declarations" not in error.msg:
                raise
            # xDSL points behind the region.
            use = error.refs[0][0]
            raise ParseError(use, f"use of undefined block {use.text}") from error
        except (VerifyException, ValueError) as error:
            # An attribute or a constructor refused what the text says.
            text = " ".join(str(error).split())
            here = self._current_token.span
            raise ParseError(
                Span(start, max(start + 1, here.start), here.input), text
            ) from error
        if op.location == UNKNOWN_LOC:
            op.location = self._location(start)
        return op

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span
    ) -> None:
        for value in values:
            if isinstance(value, BlockArgument) and value.location == UNKNOWN_LOC:
                value.location = self._location(span.start)
        super()._register_ssa_definition(name, values, span)
        # Another region may use the name without defining it.
        self._first_use.pop(name, None)

    def _parse_block(self) -> Block:
        if self._current_token.kind is not MLIRTokenKind.CARET_IDENT:
            self.raise_error("expected an op, a block label or the end of the region")
        return super()._parse_block()

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            # xDSL points behind the name.
            raise ParseError(self._operation_start, error.msg) from error

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self._first_use.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        start = self._current_token.span.start
        if allow_implicit_module and self._current_token.kind is MLIRTokenKind.EOF:
            # xDSL has no empty module, mlir-opt does.
            module = ModuleOp([])
            module.location = self._location(0)
            return module
        try:
            module = super().parse_module(allow_implicit_module)
            if module.location == UNKNOWN_LOC:
                module.location = self._location(start)
            return module
        except ParseError as error:
            for name in self.forward_ssa_references:
                if name in self._first_use and "used but not defined" in error.msg:
                    raise ParseError(
                        self._first_use[name], f"use of undefined value %{name}"
                    ) from error
            raise


@dataclass(frozen=True)
class LocatedMLIRFrontend(Frontend):
    """MLIR text in, a module whose ops know their places out."""

    name = "mlir"

    no_implicit_module: bool = False

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        """
        Parse a module.

        Raises:
            ParseError: with the place in the file.
        """
        return parse_text(
            ctx, input.read().decode(), input_name, implicit=not self.no_implicit_module
        )


def parse_text(
    ctx: Context, text: str, name: str, *, implicit: bool = True
) -> ModuleOp:
    """Parse MLIR text; `name` is the file that locations name."""
    return LocatedParser(ctx, text, name).parse_module(implicit)
