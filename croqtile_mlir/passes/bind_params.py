"""
`--bind-params{S=3}`: parameters of a kernel become integers.

    croq.kernel @k dims(M) params(S = 4) (..) {     croq.kernel @k dims(M) (..) {
      %e = croq.event : !croq.event<[S]>        ->    %e = croq.event : !croq.event<3>
      croq.trigger %e at %k + S                       croq.trigger %e at %k + 3

A parameter that the options don't name keeps its default value. Arithmetic of constants
is folded, and constants become integers in the operands of `croq` ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.lowering.bind_names import bind_names, require_bound


def check_values(kernel: KernelOp, values: Mapping[str, int]) -> None:
    """A located error when a value does not suit the kernel's parameters."""
    known = kernel.param_names
    for name, value in values.items():
        if name not in known:
            fail(
                kernel,
                f"must have a parameter of the name that is bound, got {name} = "
                f"{value} (parameters: {', '.join(known) or 'none'})",
            )
        if value < 1:
            fail(kernel, f"parameter {name} must be a positive integer, got {value}")


def bind_params(kernel: KernelOp, values: Mapping[str, int]) -> None:
    """
    Bind the parameters of a kernel: those in `values`, the others to their defaults.

    A name that is no parameter, or a value below 1, is a located error.
    """
    check_values(kernel, values)
    require_bound(kernel, values)
    bind_names(kernel, {**kernel.param_values, **values})
    kernel.properties["params"] = DictionaryAttr({})


def named_integers(spec: ArgSpec, what: str) -> tuple[tuple[str, int], ...]:
    """The options of a pass whose options are names; `what` says of what."""
    values: list[tuple[str, int]] = []
    for name, given in spec.parameters.items():
        match given:
            case (int() as value,) if not isinstance(value, bool) and value > 0:
                values.append((name, value))
            case _:
                text = ",".join(str(item) for item in given) or "nothing"
                fail(
                    None,
                    f"{spec.name}: {what} {name} must be a positive integer, "
                    f"got {text}",
                )
    return tuple(values)


@dataclass(frozen=True)
class BindParamsPass(ModulePass):
    """
    Replace the parameters of every kernel by integers.

    The options are the parameters: `--bind-params{S=3 T=2}`; each must be one of some
    kernel of the module.
    """

    name = "bind-params"

    values: tuple[tuple[str, int], ...] = ()
    """Names of parameters and what they are bound to."""

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """Take any option of one positive integer."""
        return cls(named_integers(spec, "parameter"))

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        """The options as on the command line."""
        return ArgSpec(self.name, {name: (value,) for name, value in self.values})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [kernel for kernel in op.walk() if isinstance(kernel, KernelOp)]
        known = {name for kernel in kernels for name in kernel.param_names}
        stray = {name: value for name, value in self.values if name not in known}
        for kernel in kernels:
            check_values(kernel, stray)
            own = kernel.param_names
            bind_params(kernel, {n: v for n, v in self.values if n in own})
