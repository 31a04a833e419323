"""
Diagnostics: what went wrong, where, and what to do about it.

A pass refuses its input with `fail`, and tells something less serious with `warn` or
`remark`. Tools print a diagnostic in the form compilers agree on:

    kernel.mlir:12:5: error: 'croq.copy' op shapes must agree, got 128x64 and 64x64
        croq.copy %a => %b
        ^
    kernel.mlir:7:10: note: the destination is allocated here
    hint: ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
)
from xdsl.dialects.builtin import UnregisteredOp as _UnregisteredOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    MultipleSpansParseError,
    ParseError,
)
from xdsl.utils.hints import isa
from xdsl.utils.lexer import Span

from croqtile_mlir.messages import (
    UNKNOWN_LOCATION,
    Diagnostic,
    Location,
    Note,
    Severity,
    render,
)


class CompileError(DiagnosticException):
    """
    The input is refused; the one exception that passes raise for user input.

    A front end that goes on after an error gives the `others`, too.
    """

    def __init__(self, diagnostic: Diagnostic, others: Sequence[Diagnostic] = ()):
        super().__init__("\n".join(str(each) for each in (diagnostic, *others)))
        self.diagnostic = diagnostic
        self.others = tuple(others)

    @property
    def severity(self) -> Severity:
        """Always `Severity.Error`, unless a caller made it otherwise."""
        return self.diagnostic.severity

    @property
    def location(self) -> Location:
        """Where the refused construct is."""
        return self.diagnostic.location

    @property
    def message(self) -> str:
        """The rule that is broken, and the offending value."""
        return self.diagnostic.message

    @property
    def notes(self) -> tuple[Note, ...]:
        """Further places that matter."""
        return self.diagnostic.notes

    @property
    def hint(self) -> str | None:
        """What the user can do about it."""
        return self.diagnostic.hint


Place: TypeAlias = Operation | Block | SSAValue | Location | Attribute | None
"""What a diagnostic can point at; an attribute must be a location."""


def _of_attribute(loc: Attribute) -> Location:
    """The first file position inside a location attribute."""
    match loc:
        case FileLineColLoc():
            return Location(loc.filename.data, loc.line.data, loc.column.data)
        case CallSiteLoc():
            callee = _of_attribute(loc.callee)
            return callee if callee.is_known else _of_attribute(loc.caller)
        case NameLoc():
            return _of_attribute(loc.location)
        case FusedLoc() if isa(loc.locations, ArrayAttr[Attribute]):
            for part in loc.locations:
                found = _of_attribute(part)
                if found.is_known:
                    return found
        case _:
            pass
    return UNKNOWN_LOCATION


def location_of(place: Place) -> Location:
    """
    Where something was written: an op that has no location of its own takes the one of
    the nearest op around it that does.
    """
    match place:
        case None:
            return UNKNOWN_LOCATION
        case Location():
            return place
        case Attribute():
            return _of_attribute(place)
        case BlockArgument():
            own = _of_attribute(place.location)
            return own if own.is_known else location_of(place.block)
        case SSAValue():
            return location_of(place.owner)
        case Block():
            return location_of(place.parent_op())
        case Operation():
            op: Operation | None = place
            while op is not None:
                found = _of_attribute(op.location)
                if found.is_known:
                    return found
                op = op.parent_op()
            return UNKNOWN_LOCATION


def op_name(op: Operation) -> str:
    """The name of an op as the user wrote it, unregistered ops included."""
    return op.op_name.data if isinstance(op, _UnregisteredOp) else op.name


def diagnostic(
    severity: Severity,
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    notes: Iterable[tuple[Place, str]] = (),
) -> Diagnostic:
    """
    A diagnostic at `place`; when that is an op, its name leads the message:
    `'croq.copy' op <message>`.
    """
    if isinstance(place, Operation):
        message = f"'{op_name(place)}' op {message}"
    return Diagnostic(
        severity,
        location_of(place),
        message,
        tuple(Note(location_of(where), text) for where, text in notes),
        hint,
    )


def fail(
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    notes: Iterable[tuple[Place, str]] = (),
) -> NoReturn:
    """
    Refuse the input: `message` is `<what> must be <rule>, got <value>`.

    Raises:
        CompileError: always.
    """
    raise CompileError(
        diagnostic(Severity.Error, place, message, hint=hint, notes=notes)
    )


def _print_to_stderr(diag: Diagnostic) -> None:
    print(render(diag), file=sys.stderr)


@dataclass
class Diagnostics:
    """
    What the passes of one compilation had to say, in order; `on_report` is called with
    each diagnostic as it comes.
    """

    collected: list[Diagnostic] = field(default_factory=list[Diagnostic])
    on_report: Callable[[Diagnostic], None] | None = None

    def report(self, diag: Diagnostic) -> None:
        """Add a diagnostic."""
        self.collected.append(diag)
        if self.on_report is not None:
            self.on_report(diag)


@dataclass
class ReportingContext(Context):
    """An xDSL context that carries the diagnostics of the compilation it serves."""

    diagnostics: Diagnostics = field(default_factory=Diagnostics)

    def clone(self) -> ReportingContext:
        base = super().clone()
        return ReportingContext(
            **{name: getattr(base, name) for name in vars(base)},
            diagnostics=self.diagnostics,
        )


def diagnostics_of(ctx: Context) -> Diagnostics:
    """
    The collector of a context; in a plain xDSL context (`xdsl-opt`) one that prints to
    stderr.
    """
    if isinstance(ctx, ReportingContext):
        return ctx.diagnostics
    return Diagnostics(on_report=_print_to_stderr)


def warn(
    ctx: Context,
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    notes: Iterable[tuple[Place, str]] = (),
) -> None:
    """Warn about something that compiles but is probably not meant."""
    diagnostics_of(ctx).report(
        diagnostic(Severity.Warning, place, message, hint=hint, notes=notes)
    )


def remark(
    ctx: Context,
    place: Place,
    message: str,
    *,
    hint: str | None = None,
    notes: Iterable[tuple[Place, str]] = (),
) -> None:
    """Tell the user of a decision, and of the reason for it."""
    diagnostics_of(ctx).report(
        diagnostic(Severity.Remark, place, message, hint=hint, notes=notes)
    )


def too_deep(file: str) -> Diagnostic:
    """What a `RecursionError` in the compiler means to the user."""
    return Diagnostic(
        Severity.Error, Location(file), "regions are nested too deeply to process"
    )


def _of_span(span: Span[str] | Span[bytes]) -> Location:
    found = span.get_location()
    return Location(found.file, found.line, found.col)


def all_from_exception(error: BaseException) -> tuple[Diagnostic, ...]:
    """All that an exception means to the user, in order."""
    others = error.others if isinstance(error, CompileError) else ()
    return (from_exception(error), *others)


def from_exception(error: BaseException, place: Place = None) -> Diagnostic:
    """
    What an exception of ours or of xDSL means to the user; `place` is where to point
    when the exception does not say.
    """
    match error:
        case CompileError():
            return error.diagnostic
        case ParseError():
            notes = list[Note]()
            if isinstance(error, MultipleSpansParseError):
                notes = [
                    Note(_of_span(span), text or error.ref_text or "see here")
                    for span, text in error.refs
                ]
            message = " ".join(error.msg.split())
            return Diagnostic(
                Severity.Error, _of_span(error.span), message, tuple(notes)
            )
        case ArgSpecParseError():
            # xDSL keeps only the text: headline, position, pipeline, caret, message.
            _, _, *quoted = str(error).rstrip().split("\n")
            reason = quoted[-1].strip() if quoted else str(error)
            return Diagnostic(
                Severity.Error,
                location_of(place),
                f"malformed pass pipeline: {reason}",
                tuple(Note(UNKNOWN_LOCATION, text) for text in quoted[:1]),
            )
        case _:
            return diagnostic(Severity.Error, place, str(error).strip())
