"""Making passes from their text and running them, with everything checked between."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.analysis.dominance import check_dominance
from croqtile_mlir.diagnostics import CompileError, fail
from croqtile_mlir.pass_manager.options import from_spec
from croqtile_mlir.passes import get_all_passes


class Moment(StrEnum):
    """When an observer is called."""

    Before = "before"
    After = "after"
    Failed = "failed"


Observer = Callable[[ModulePass, ModuleOp, Moment], None]
"""Called around each pass; after a pass that failed the module may not be valid."""


class PassCrash(Exception):
    """A pass ended with an exception that is no message to the user: a bug of ours."""

    def __init__(self, name: str, error: Exception):
        super().__init__(
            f"internal error in pass '{name}': {type(error).__name__}: {error}"
        )


class PipelinePass(ModulePass):
    """A pass that is a sequence of passes; observers see each of them."""

    @abstractmethod
    def passes(self) -> Sequence[ModulePass]:
        """The passes, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_passes(ctx, op, self.passes())


@cache
def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """All passes by name, xDSL's included; a pass is imported when first used."""
    from xdsl.transforms import get_all_passes as get_xdsl_passes

    return {**get_xdsl_passes(), **get_all_passes()}


def parse_passes(text: str) -> list[ModulePass]:
    """
    The passes of a pipeline text such as `bind-params{S=3},infer-layouts`.

    Raises:
        CompileError: for an unknown pass or option, with what there is instead.
        ArgSpecParseError: for text that is no pipeline.
    """
    return [make_pass(spec) for spec in parse_pipeline(text)]


def unknown_pass_hint(name: str) -> str:
    """What to say to someone who named a pass that does not exist."""
    close = get_close_matches(name, available_passes(), n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "croq-opt --show-passes lists the passes"


def make_pass(spec: ArgSpec) -> ModulePass:
    """A pass from its specification; errors as in `parse_passes`."""
    factory = available_passes().get(spec.name)
    if factory is None:
        fail(None, f"unknown pass '{spec.name}'", hint=unknown_pass_hint(spec.name))
    made = from_spec("pass", factory(), spec)
    assert isinstance(made, ModulePass)
    return made


def verify_module(module: ModuleOp) -> None:
    """
    Verify a module and the dominance of its values.

    Raises:
        CompileError: at the op that does not verify.
    """
    found: Exception | None = None
    try:
        module.verify()
    except CompileError:
        raise
    except (VerifyException, DiagnosticException, ValueError) as error:
        found = error
    if found is not None:
        # Not while it is handled: its text, the whole module, would be shown as well.
        culprit, reason = _culprit(module, found)
        fail(culprit, reason)
    check_dominance(module)


def verify_op(op: Operation) -> None:
    """
    Verify one op, as far as it says what is wrong without what is around it.

    Raises:
        CompileError: it does not verify.
    """
    reason = None
    try:
        op.verify_()
    except (VerifyException, DiagnosticException, ValueError) as error:
        reason = _reason(error, op)
    if reason is not None:
        fail(op, reason)


def _culprit(module: ModuleOp, error: Exception) -> tuple[Operation, str]:
    """The innermost op that does not verify: what is inside it does."""
    for op in module.walk(region_first=True):
        try:
            op.verify()
        except (VerifyException, DiagnosticException, ValueError) as own:
            return op, _reason(own, op)
    return module, _reason(error, module)


def _reason(error: Exception, op: Operation) -> str:
    """What xDSL says, without what the diagnostic says anyway."""
    text = " ".join(str(error).split())
    for known in ("Operation does not verify: ", f"Operation {op.name} "):
        text = text.removeprefix(known)
    return text


def _flatten(passes: Iterable[ModulePass]) -> Iterator[ModulePass]:
    for each in passes:
        if isinstance(each, PipelinePass):
            yield from _flatten(each.passes())
        else:
            yield each


def run_passes(
    ctx: Context,
    module: ModuleOp,
    passes: Iterable[ModulePass],
    *,
    verify: bool = True,
    observers: Sequence[Observer] = (),
) -> None:
    """
    Run passes in order; with `verify`, check the module before and after each.

    Raises:
        CompileError: what a pass refuses, or a module that does not verify.
        PassCrash: for a bug in a pass.
    """
    if verify:
        verify_module(module)
    for each in _flatten(passes):
        for observer in observers:
            observer(each, module, Moment.Before)
        try:
            _apply(each, ctx, module)
        except Exception:
            for observer in observers:
                observer(each, module, Moment.Failed)
            raise
        for observer in observers:
            observer(each, module, Moment.After)
        if verify:
            verify_module(module)


def _apply(each: ModulePass, ctx: Context, module: ModuleOp) -> None:
    try:
        each.apply(ctx, module)
    except CompileError:
        raise
    except DiagnosticException as error:
        fail(module, f"is refused by pass '{each.name}': {_reason(error, module)}")
    except RecursionError:
        raise
    except Exception as error:
        raise PassCrash(each.name, error) from error
