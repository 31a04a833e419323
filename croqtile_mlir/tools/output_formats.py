"""What `croq-opt -t` prints: MLIR, the text of a target, or what the driver loads."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.target import Target

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.pass_manager.options import from_spec
from croqtile_mlir.printing import module_text
from croqtile_mlir.targets import get_all_targets

Emitter = Callable[[Context, ModuleOp], bytes]

BINARY_FORMATS = ("cubin", "fatbin")


def is_binary(target: str) -> bool:
    """Whether an output format is no text."""
    return parse_spec(target).name in BINARY_FORMATS


def make_emitter(target: str, generic: bool, debuginfo: bool) -> Emitter:
    """
    What prints a module in an output format; `target` may carry options.

    Raises:
        CompileError: for an unknown format or option.
        ArgSpecParseError: for text that names no format.
    """
    spec = parse_spec(target)
    targets = get_all_targets()
    known = ("mlir", *targets, *BINARY_FORMATS)
    if spec.name not in known:
        fail(
            None,
            f"target must be one of {', '.join(known)}, got '{spec.name}'",
            hint="it is the format of the output; --set-target{target=sm_80} names an "
            "architecture",
        )

    def emit_mlir(ctx: Context, module: ModuleOp) -> bytes:
        text = module_text(module, generic=generic, debuginfo=debuginfo)
        return (text + "\n").encode()

    def emit_binary(ctx: Context, module: ModuleOp) -> bytes:
        from croqtile_mlir.tools.binary_formats import emit_binary

        return emit_binary(spec.name, ctx, module)

    if spec.name not in targets:
        if spec.parameters:
            options = ", ".join(spec.parameters)
            fail(None, f"target '{spec.name}' has no options, got {options}")
        return emit_mlir if spec.name == "mlir" else emit_binary

    backend = from_spec("target", targets[spec.name](), spec)
    assert isinstance(backend, Target)

    def emit(ctx: Context, module: ModuleOp) -> bytes:
        text = StringIO()
        backend.emit(ctx, module, text)
        return text.getvalue().encode()

    return emit
