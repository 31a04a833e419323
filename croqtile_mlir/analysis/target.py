"""The architecture that a module is compiled for."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.targets.architecture import (
    DEFAULT_TARGET,
    Architecture,
    UnknownArchitectureError,
    architecture,
)

TARGET_ATTRIBUTE = "croq.target"
"""The attribute of a module that names its target."""


def target_of(module: ModuleOp) -> Architecture:
    """The architecture that a module names, or the default; else a located error."""
    name = module.attributes.get(TARGET_ATTRIBUTE, StringAttr(DEFAULT_TARGET))
    if not isinstance(name, StringAttr):
        fail(module, f"attribute {TARGET_ATTRIBUTE} must be a string, got {name}")
    try:
        return architecture(name.data)
    except UnknownArchitectureError as error:
        fail(module, str(error))
