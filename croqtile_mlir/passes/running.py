"""Making passes from their text and running them, with everything checked between."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from croqtile_mlir.analysis.dominance import check_dominance
from croqtile_mlir.diagnostics import CompileError, fail
from croqtile_mlir.passes import get_all_passes

Observer = Callable[[ModulePass, ModuleOp, bool], None]
"""Called with a pass, the module, and whether the pass has run (False: before it)."""


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
    """
    return [make_pass(spec) for spec in parse_pipeline(text)]


def make_pass(spec: ArgSpec) -> ModulePass:
    """A pass from its specification; errors as in `parse_passes`."""
    factory = available_passes().get(spec.name)
    if factory is None:
        close = get_close_matches(spec.name, available_passes(), n=3)
        fail(
            None,
            f"unknown pass '{spec.name}'",
            hint=f"did you mean {' or '.join(close)}?"
            if close
            else "croq-opt --show-passes lists the passes",
        )
    cls = factory()
    try:
        return cls.from_pass_spec(_bare_flags_are_true(cls, spec))
    except ValueError as error:
        options = [f.name.replace("_", "-") for f in dataclasses.fields(cls) if f.init]
        fail(
            None,
            f"bad options for pass '{spec.name}': {error}",
            hint=f"its options are {', '.join(options)}"
            if options
            else f"'{spec.name}' has no options",
        )


def _bare_flags_are_true(cls: type[ModulePass], spec: ArgSpec) -> ArgSpec:
    flags = {f.name for f in dataclasses.fields(cls) if f.type in ("bool", bool)}
    return ArgSpec(
        spec.name,
        {
            key: (True,) if not value and key.replace("-", "_") in flags else value
            for key, value in spec.parameters.items()
        },
    )


def verify_module(module: ModuleOp) -> None:
    """
    Verify a module and the dominance of its values.

    Raises:
        CompileError: at the op that does not verify.
    """
    try:
        module.verify()
    except CompileError:
        raise
    except (VerifyException, DiagnosticException, ValueError) as error:
        culprit, reason = _culprit(module, error)
        fail(culprit, reason)
    check_dominance(module)


def _culprit(module: ModuleOp, error: Exception) -> tuple[Operation, str]:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except (VerifyException, DiagnosticException, ValueError) as own:
            return op, _reason(own)
    return module, _reason(error)


def _reason(error: Exception) -> str:
    text = str(error).strip()
    headline, _, rest = text.partition(":")
    if headline == "Operation does not verify":
        text = rest.strip()
    return " ".join(text.split())


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
    """
    if verify:
        verify_module(module)
    for each in passes:
        for observer in observers:
            observer(each, module, False)
        failed = True
        try:
            _apply(each, ctx, module)
            failed = False
        finally:
            if failed:
                for observer in observers:
                    observer(each, module, True)
        for observer in observers:
            observer(each, module, True)
        if verify:
            verify_module(module)


def _apply(each: ModulePass, ctx: Context, module: ModuleOp) -> None:
    try:
        each.apply(ctx, module)
    except CompileError:
        raise
    except (VerifyException, DiagnosticException) as error:
        fail(None, f"pass '{each.name}': {_reason(error)}")
