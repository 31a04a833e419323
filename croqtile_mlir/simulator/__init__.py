"""
A CPU simulator of the asynchronous Hopper machine (`docs/simulator.md`).

`run`, `load`, `Options`, `Report` and `Trace` are resolved when they are first used.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croqtile_mlir.simulator.faults import Fault, FaultKind, SimulationError
    from croqtile_mlir.simulator.simulate import Options, Report, load, run
    from croqtile_mlir.simulator.trace import Trace

__all__ = [
    "Fault",
    "FaultKind",
    "Options",
    "Report",
    "SimulationError",
    "Trace",
    "load",
    "run",
]

_HOMES: Mapping[str, str] = MappingProxyType(
    {
        "Fault": "faults",
        "FaultKind": "faults",
        "SimulationError": "faults",
        "Trace": "trace",
    }
)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES.get(name, "simulate")
    return getattr(import_module(f"{__name__}.{home}"), name)
