"""Checks a Croqtile program and lowers it to croq."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.functions import function
from croqtile_mlir.frontends.croqtile.lowering.tables import STATEMENTS
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.frontends.croqtile.reporting import Reporter

__all__ = ["lower"]


def lower(
    program: ast.Program, reporter: Reporter, options: FrontendOptions
) -> ModuleOp:
    """
    A module with a kernel for each function.

    What is wrong goes to the reporter; the module is then not complete.

    Raises:
        CompileError: an op that was made does not verify.
    """
    kernels: list[Operation] = []
    for each in program.functions:
        kernel = function(Lowering(reporter, options, program, each, STATEMENTS))
        if kernel is not None:
            kernels.append(kernel)
    module = ModuleOp(kernels)
    if not reporter.has_errors:
        _verify(module)
    return module


def _verify(module: ModuleOp) -> None:
    for op in module.walk(reverse=True):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            fail(op, str(error))
