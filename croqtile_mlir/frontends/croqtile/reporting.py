"""The diagnostics of a source file: several in one run, each with a stable name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from croqtile_mlir.diagnostics import CompileError, Diagnostics
from croqtile_mlir.frontends.croqtile.source import SourceText, Span
from croqtile_mlir.messages import UNKNOWN_LOCATION, Diagnostic, Note, Severity

MAX_ERRORS = 20
"""Errors after which a file is given up."""


class Kind(StrEnum):
    """The stable name of a rule; most are errors, see the severity given with each."""

    Lexical = "lexical"
    Syntax = "syntax"
    Preprocessor = "preprocessor-error"
    RemovedSyntax = "removed-syntax"
    OldSpelling = "old-spelling"
    MixedGenerations = "mixed-generations"
    SurprisingPrecedence = "surprising-precedence"
    SwizzleSpelling = "swizzle-spelling"
    ModifierOrder = "modifier-order"
    UndefinedName = "undefined-name"
    ImplicitParam = "implicit-param"
    Redeclaration = "redeclaration"
    ImmutableAssign = "immutable-assign"
    TypeMismatch = "type-mismatch"
    RankMismatch = "rank-mismatch"
    ShapeMismatch = "shape-mismatch"
    Divisibility = "divisibility"
    ChunkatFactor = "chunkat-factor"
    ChunkatAsSubspan = "chunkat-as-subspan"
    OutOfBounds = "out-of-bounds"
    StorageScope = "storage-scope"
    SpacePair = "space-pair"
    ShapeCoupling = "shape-coupling"
    SymbolicShared = "symbolic-shared"
    RangeVariable = "range-variable"
    ThreadCount = "thread-count"
    LevelNesting = "level-nesting"
    RolePredicate = "role-predicate"
    BarrierScope = "barrier-scope"
    FutureLifecycle = "future-lifecycle"
    PlaceholderRead = "placeholder-read"
    FutureScope = "future-scope"
    EventOperand = "event-operand"
    UnsupportedEvent = "unsupported-event"
    InlineEventWithoutTrigger = "inline-event-without-trigger"
    ImplicitZeroInit = "implicit-zero-init"
    UninitialisedAccumulate = "uninitialised-accumulate"
    F16Accumulator = "f16-accumulator"
    MmaShape = "mma-shape"
    LayoutConflict = "layout-conflict"
    PerWarpgroupTile = "per-warpgroup-tile"
    ReturnInParallel = "return-in-parallel"
    MultiLaunch = "multi-launch"
    UnsupportedEscape = "unsupported-escape"
    Unsupported = "unsupported"
    Ignored = "ignored"
    PrintDropped = "print-dropped"
    LossyConversion = "lossy-conversion"


class TooManyErrors(Exception):
    """The file is given up; `Reporter.finish` says what was wrong until then."""


@dataclass
class Reporter:
    """
    Collects what there is to say about a file; each part of the front end goes on after
    an error as well as it can. `finish` hands it all over, in the order of the text.
    """

    source: SourceText
    collected: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _seen: set[tuple[Kind, int, str]] = field(
        default_factory=set[tuple[Kind, int, str]]
    )

    @property
    def has_errors(self) -> bool:
        """Whether the file is refused."""
        return any(d.severity is Severity.Error for d in self.collected)

    def error(
        self,
        kind: Kind,
        span: Span,
        message: str,
        *,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> None:
        """
        The input breaks a rule.

        Raises:
            TooManyErrors: after `MAX_ERRORS`.
        """
        self._report(Severity.Error, kind, span, message, hint, notes)
        errors = sum(d.severity is Severity.Error for d in self.collected)
        if errors >= MAX_ERRORS:
            raise TooManyErrors

    def warning(
        self,
        kind: Kind,
        span: Span,
        message: str,
        *,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> None:
        """The input is accepted but probably not what was meant."""
        self._report(Severity.Warning, kind, span, message, hint, notes)

    def remark(
        self,
        kind: Kind,
        span: Span,
        message: str,
        *,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> None:
        """Something was decided for the user."""
        self._report(Severity.Remark, kind, span, message, hint, notes)

    def finish(self, sink: Diagnostics) -> None:
        """
        Hand over warnings and remarks.

        Raises:
            CompileError: with all errors, if there are any.
        """
        ordered = sorted(self.collected, key=_place)
        self.collected.clear()
        errors = [d for d in ordered if d.severity is Severity.Error]
        if len(errors) >= MAX_ERRORS:
            end = Note(
                UNKNOWN_LOCATION, f"after {MAX_ERRORS} errors the rest is left out"
            )
            errors[-1] = replace(errors[-1], notes=(*errors[-1].notes, end))
        for diagnostic in ordered:
            if diagnostic.severity is not Severity.Error:
                sink.report(diagnostic)
        if errors:
            raise CompileError(errors[0], errors[1:])

    def _report(
        self,
        severity: Severity,
        kind: Kind,
        span: Span,
        message: str,
        hint: str | None,
        notes: Iterable[tuple[Span, str]],
    ) -> None:
        # A macro or a recovery may lead to the same place twice.
        if (kind, span.start, message) in self._seen:
            return
        self._seen.add((kind, span.start, message))
        expanded = tuple(
            Note(self.source.position(each.start), f"expanded from macro {each.macro}")
            for each in span.expansions
        )
        others = tuple(Note(self.source.location(at), text) for at, text in notes)
        self.collected.append(
            Diagnostic(
                severity,
                self.source.location(span),
                message,
                (*expanded, *others),
                hint,
                kind.value,
            )
        )


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return diagnostic.location.line, diagnostic.location.col
