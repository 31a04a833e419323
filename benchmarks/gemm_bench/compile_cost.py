"""From IR text to a loaded kernel: where the time goes, and Triton's beside it."""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .environment import environment
from .operands import Operands, make_operands
from .schedules import PLAIN, Schedule
from .shapes import Shape

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from croqtile_mlir.compiler import Source
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.pass_manager.running import Moment

SHAPE = Shape(512, 512, 512)
"""What the first launches multiply."""

WARM_TIMES = 3


@dataclass
class Stopwatch:
    """Seconds by pass; the time between two passes is verification."""

    seconds: dict[str, float] = field(
        default_factory=lambda: defaultdict[str, float](float)
    )
    last: float = 0.0

    def __call__(self, each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        now = time.perf_counter()
        before = moment == "before"
        self.seconds["verification" if before else each.name] += now - self.last
        self.last = time.perf_counter()


@dataclass(frozen=True)
class Compilation:
    """A kernel, and how long it took from text to PTX."""

    kernel: Kernel
    seconds: float
    parts: Mapping[str, float]
    """Seconds by pass, parsing, verification and printing."""


def compile_once(source: Source) -> Compilation:
    """Compile a source in this process, without the cache of `croq.compile`."""
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.pipeline import Lowering

    watch = Stopwatch()
    began = time.perf_counter()
    lowering = Lowering(source)
    watch.last = time.perf_counter()
    watch.seconds["parsing"] += watch.last - began
    level = lowering.level
    lowering.run(observers=(watch,))
    printing = time.perf_counter()
    name, plan = lowering.launch()
    ptx = lowering.ptx()
    ended = time.perf_counter()
    watch.seconds["printing"] += ended - printing
    kernel = Kernel(name, source, ptx, plan, lowering.diagnostics, level)
    return Compilation(kernel, ended - began, dict(watch.seconds))


def source_of(file: Path, schedule: Schedule | None) -> Source:
    """The source of a file, scheduled unless there is no schedule."""
    from croqtile_mlir import compiler

    pipeline = "" if schedule is None else schedule.pipeline()
    return compiler.source_of(file, schedule=pipeline)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _imports() -> None:
    """Everything that compiling needs, by compiling another kernel."""
    compile_once(source_of(PLAIN.with_name("copy.mlir"), None))


def costs(schedule: Schedule) -> dict[str, Any]:
    """Seconds of everything, in a process that has done nothing before.

    A device and its context, made by torch, are there when the clock starts.
    """
    torch: Any = import_module("torch")
    operands = make_operands(torch, SHAPE, seed=5, sets=1)
    found: dict[str, Any] = {"environment": environment(torch)}
    found["imports and another kernel"] = _timed(_imports)
    compilation = compile_once(source_of(PLAIN, schedule))
    kernel = compilation.kernel
    found["text to PTX"] = compilation.seconds
    found["parts"] = compilation.parts

    def load() -> None:
        from croqtile_mlir.runtime.device import current_ordinal, open_device

        launcher = kernel.launcher
        driver = launcher.driver()
        launcher.loaded(open_device(driver, current_ordinal(driver)))

    found["PTX to loaded kernel (driver)"] = _timed(load)
    lhs, rhs, out = operands.lhs[0], operands.rhs[0], operands.out[0]

    def launch() -> None:
        kernel(lhs, rhs, out)
        torch.cuda.synchronize()

    found["first launch"] = _timed(launch)
    again = [compile_once(source_of(PLAIN, schedule)) for _ in range(WARM_TIMES)]
    found["text to PTX, warm"] = statistics.median(each.seconds for each in again)
    best = min(again, key=lambda each: each.seconds)
    found["parts, warm"] = best.parts
    found |= _cached(schedule)
    found |= _triton(operands)
    return found


def _compile_and_load(schedule: Schedule) -> None:
    import croqtile_mlir as croq

    _ = croq.compile(PLAIN, schedule=schedule.pipeline()).resources


def _cached(schedule: Schedule) -> dict[str, float]:
    """`croq.compile` to a loaded kernel, for the second time in a process."""
    _compile_and_load(schedule)
    again = _timed(lambda: _compile_and_load(schedule))
    return {"compile() to loaded kernel, known": again}


def cached_costs(schedule: Schedule) -> dict[str, Any]:
    """Seconds in a new process that finds everything on disk: imports, a kernel.

    A device and its context, made by torch, are there when the clock starts.
    """
    torch: Any = import_module("torch")
    torch.zeros(1, device="cuda")

    def imports() -> None:
        import_module("croqtile_mlir.compiler")
        from croqtile_mlir.runtime.device import current_ordinal, open_device
        from croqtile_mlir.runtime.driver import load_driver

        driver = load_driver()
        open_device(driver, current_ordinal(driver))

    found = {"new process: imports, driver binding": _timed(imports)}
    found["new process: compile() to loaded kernel, on disk"] = _timed(
        lambda: _compile_and_load(schedule)
    )
    return found


def _triton(operands: Operands) -> dict[str, float]:
    """First calls of Triton's matrix product; empty where there is no Triton."""
    began = time.perf_counter()
    try:
        from . import triton_kernels
    except ImportError:
        return {}
    torch = operands.torch
    found = {"Triton: import": time.perf_counter() - began}
    titles = ("Triton: first call", "Triton: first call of another configuration")
    for title, config in zip(titles, triton_kernels.LARGE[1:3], strict=True):

        def call(launch: Callable[[int], None]) -> None:
            with torch.cuda.stream(operands.stream):
                launch(0)
            torch.cuda.synchronize()

        launch = triton_kernels.launcher(config, operands)
        found[title] = _timed(lambda made=launch: call(made))
        found[title.replace("first", "second")] = _timed(lambda made=launch: call(made))
    return found


def fresh_caches(folder: Path) -> dict[str, str]:
    """An environment in which we, driver and Triton keep caches in a folder."""
    return {
        **os.environ,
        "CROQ_CACHE_DIR": str(folder / "croq"),
        "CUDA_CACHE_PATH": str(folder / "driver"),
        "CUDA_CACHE_DISABLE": "0",
        "TRITON_CACHE_DIR": str(folder / "triton"),
    }
