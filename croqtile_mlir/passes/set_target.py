"""`--set-target{target=sm_80}`: name the architecture that a module is compiled for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.target import TARGET_ATTRIBUTE, target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.targets.architecture import UnknownArchitectureError, architecture


def set_target(module: ModuleOp, target: str | None) -> None:
    """
    Set the target of a module; None leaves the one that it names, or the default.

    Raises:
        CompileError: when there is no such target; the message lists those there are.
    """
    try:
        name = architecture(target).name if target else target_of(module).name
    except UnknownArchitectureError as error:
        fail(module, str(error))
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(name)


@dataclass(frozen=True)
class SetTargetPass(ModulePass):
    """
    Set the attribute `croq.target` of the module, which other passes read.

    Without the option the attribute stays as it is, or becomes the default target.
    """

    name = "set-target"

    target: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_target(op, self.target)
