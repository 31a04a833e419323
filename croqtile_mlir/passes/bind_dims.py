"""
`--bind-dims{M=4096}`: dims of a kernel become integers.

    croq.kernel @k dims(M, N) (                     croq.kernel @k dims(N) (
        %x: !croq.tile<[M]x[N]xf16, global>) {  ->      %x: !croq.tile<4096x[N]xf16, ..
      %tiles = croq.cdiv M, 64
      croq.parallel (%b) in (%tiles) ..                croq.parallel (%b) in (64) ..

A kernel for one shape: what follows from its extents is computed here, and the launch
refuses arguments of others. Dims that the options don't name stay open. It comes before
all other passes, so that they see the constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from croqtile_mlir.analysis.launch_checks import CHECKS
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.launch.plan import MAX_EXTENT
from croqtile_mlir.lowering.bind_names import bind_names
from croqtile_mlir.passes.bind_params import named_integers


def check_dims(kernel: KernelOp, values: Mapping[str, int]) -> None:
    """A located error when an extent does not suit the kernel's dims."""
    multiples = kernel.dim_multiples
    for name, value in values.items():
        if name not in multiples:
            fail(
                kernel,
                f"must have a dim of the name that is bound, got {name} = {value} "
                f"(dims: {', '.join(multiples) or 'none'})",
            )
        if not 1 <= value <= MAX_EXTENT:
            fail(kernel, f"dim {name} must be in 1..{MAX_EXTENT}, got {value}")
        if value % multiples[name]:
            fail(
                kernel,
                f"dim {name} must be a multiple of {multiples[name]}, got {value}",
            )
    if values and CHECKS in kernel.attributes:
        fail(
            kernel,
            f"must have no attribute {CHECKS} yet, which names dims",
            hint="run --bind-dims before all other passes",
        )


def bind_dims(kernel: KernelOp, values: Mapping[str, int]) -> None:
    """
    Bind dims of a kernel to integers; those that `values` lacks stay.

    A name that is no dim, or an extent that breaks its `multiple_of`, is a located
    error.
    """
    check_dims(kernel, values)
    bind_names(kernel, values)
    left = {n: m for n, m in kernel.dim_multiples.items() if n not in values}
    kernel.properties["dims"] = ArrayAttr(StringAttr(name) for name in left)
    kernel.properties["multiples"] = ArrayAttr(IntAttr(by) for by in left.values())


@dataclass(frozen=True)
class BindDimsPass(ModulePass):
    """
    Replace dims of every kernel by integers.

    The options are the dims: `--bind-dims{M=4096 N=4096}`; each must be one of some
    kernel of the module.
    """

    name = "bind-dims"

    values: tuple[tuple[str, int], ...] = ()
    """Names of dims and their extents."""

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """Take any option of one positive integer."""
        return cls(named_integers(spec, "dim"))

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        """The options as on the command line."""
        return ArgSpec(self.name, {name: (value,) for name, value in self.values})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [kernel for kernel in op.walk() if isinstance(kernel, KernelOp)]
        known = {name for kernel in kernels for name in kernel.dim_names}
        stray = {name: value for name, value in self.values if name not in known}
        for kernel in kernels:
            check_dims(kernel, stray)
            own = kernel.dim_names
            bind_dims(kernel, {n: v for n, v in self.values if n in own})
