"""The context that our tools and the Python API compile in."""

from __future__ import annotations

from croqtile_mlir.diagnostics import Diagnostics, ReportingContext
from croqtile_mlir.dialects import get_all_dialects, get_replaced_dialects


def new_context(
    diagnostics: Diagnostics | None = None, *, allow_unregistered: bool = False
) -> ReportingContext:
    """
    A context that knows xDSL's dialects and ours, each loaded when first used.

    `gpu` and `llvm` are ours: xDSL's lack ops that the hardware level needs.
    """
    from xdsl.dialects import get_all_dialects as get_xdsl_dialects

    ctx = ReportingContext(
        allow_unregistered=allow_unregistered,
        diagnostics=diagnostics or Diagnostics(),
    )
    factories = {
        **get_xdsl_dialects(),
        **get_replaced_dialects(),
        **get_all_dialects(),
    }
    for name, factory in factories.items():
        ctx.register_dialect(name, factory)
    return ctx
