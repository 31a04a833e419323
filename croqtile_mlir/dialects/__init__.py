"""The dialects, by name; each is imported when first asked for."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from xdsl.ir import Dialect

_OWN: Mapping[str, str] = MappingProxyType(
    {"croq": "croq:Croq", "nvvm": "nvvm:NVVM", "ptx": "ptx:PTX"}
)
_REPLACED: Mapping[str, str] = MappingProxyType(
    {"gpu": "gpu_ext:GPU", "llvm": "llvm_ext:LLVM"}
)
"""Dialects of xDSL that lack ops we need; ours stand in for them in our own tools."""


def _factories(table: Mapping[str, str]) -> dict[str, Callable[[], Dialect]]:
    def factory(path: str) -> Callable[[], Dialect]:
        module, name = path.split(":")
        return lambda: getattr(import_module(f"{__name__}.{module}"), name)

    return {name: factory(path) for name, path in table.items()}


def get_all_dialects() -> dict[str, Callable[[], Dialect]]:
    """The factories of this project's own dialects."""
    return _factories(_OWN)


def get_replaced_dialects() -> dict[str, Callable[[], Dialect]]:
    """The factories of the dialects that replace xDSL's of the same name."""
    return _factories(_REPLACED)
