"""Conditions that the counts do not decide: equal ones have equal keys."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.expressions import Environment, Reading
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown, Variable


def condition_key(
    reading: Reading, env: Environment, compiled: CompiledProgram
) -> object:
    """
    What makes two conditions the same: structure, unknowns, and the values of variables
    that change in the course of an execution.
    """
    return _key(reading.expr, env, compiled)


def _key(expr: Expr, env: Environment, compiled: CompiledProgram) -> object:
    match expr:
        case Constant():
            return expr.value
        case Variable():
            at = compiled.place(expr)
            if at in compiled.fixed or at in compiled.counts:
                return expr
            value = env[at]
            return value if isinstance(value, int) else value.tobytes()
        case Apply():
            return expr.function, *(_key(o, env, compiled) for o in expr.operands)
        case Unknown():
            return expr
        case _:
            return expr
