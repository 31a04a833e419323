"""One run of the passes over one source, from its IR to PTX text and launch plan.

The pipeline is the one of `croq-opt --croq-to-ptx`. Input may be at any level: a
`croq.kernel`, a kernel at hardware level (`llvm.func` with `croq.launch`), or a
`ptx.entry`; only the stages that are left are run. Dims are bound and the schedule is
applied before it.
"""

from __future__ import annotations

import gc
import io
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

from croqtile_mlir.diagnostics import (
    CompileError,
    Diagnostic,
    Diagnostics,
    fail,
    from_exception,
    too_deep,
)
from croqtile_mlir.launch.plan import ATTRIBUTE, LaunchPlan, LaunchPlanError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from croqtile_mlir.compiler import Source
    from croqtile_mlir.diagnostics import ReportingContext
    from croqtile_mlir.pass_manager.running import Observer

LEVELS = ("croq", "nvvm", "ptx")
"""The levels of IR, from the source down."""

VERIFIER = "verify-sync"
"""The pass that refuses kernels for how they synchronise."""


class Lowering:
    """One run of the pipeline over one source.

    Without `verify_sync`, kernels are not refused for how they synchronise: the
    simulator runs them and reports what happens. What was run to a pass can be run on
    from there.
    """

    def __init__(self, source: Source, *, verify_sync: bool = True):
        from croqtile_mlir.context import new_context
        from croqtile_mlir.passes.set_target import set_target

        self.source = source
        self.verify_sync = verify_sync
        self.ctx: ReportingContext = new_context(Diagnostics())
        with self._located(), _collection_paused():
            self.module: ModuleOp = self._parse()
            self._select_kernel()
            set_target(self.module, self.source.target)
            self._from = self.level
        self._done = 0

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the passes had to say so far."""
        return tuple(self.ctx.diagnostics.collected)

    def run(self, until: str | None = None, observers: Sequence[Observer] = ()) -> None:
        """Run the passes, to the end or up to and including a level or a pass.

        The input is verified, and what the passes of a level made of it. Below that,
        `croq-opt` verifies after every pass; here it would take most of the time.
        """
        from croqtile_mlir.pass_manager.running import (
            parse_passes,
            run_passes,
            verify_module,
        )

        with self._located(), _collection_paused():
            passes = self._passes(until)
            left, self._done = passes[self._done :], max(len(passes), self._done)
            verify_module(self.module)
            for level, passes in groupby(left, lambda each: each[0]):
                run_passes(
                    self.ctx,
                    self.module,
                    parse_passes(",".join(text for _, text in passes)),
                    verify=False,
                    observers=observers,
                )
                if level != LEVELS[-1]:
                    verify_module(self.module)

    def is_beyond(self, until: str | None) -> bool:
        """Whether a level or a pass is behind it."""
        with self._located():
            return len(self._passes(until)) < self._done

    def ptx(self) -> str:
        """The text of the lowered module."""
        from croqtile_mlir.targets.ptx import PTXTarget

        output = io.StringIO()
        with self._located():
            PTXTarget().emit(self.ctx, self.module, output)
        return output.getvalue()

    def launch(self) -> tuple[str, LaunchPlan]:
        """The name of the kernel's entry, and its launch plan."""
        from xdsl.dialects.builtin import StringAttr

        with self._located():
            for op in self.module.walk():
                plan = op.attributes.get(ATTRIBUTE)
                name = op.get_attr_or_prop("sym_name")
                if plan is None or not isinstance(name, StringAttr):
                    continue
                try:
                    return name.data, LaunchPlan.from_attr(plan)
                except LaunchPlanError as error:
                    fail(op, str(error))
            fail(self.module, f"must hold a kernel with the attribute {ATTRIBUTE}")

    @contextmanager
    def _located(self) -> Generator[None]:
        """Make every refusal of the input a `CompileError` that says where."""
        from xdsl.utils.exceptions import (
            ArgSpecParseError,
            DiagnosticException,
            ParseError,
            VerifyException,
        )

        try:
            yield
        except CompileError:
            raise
        except (
            ArgSpecParseError,
            DiagnosticException,
            ParseError,
            VerifyException,
        ) as error:
            raise CompileError(from_exception(error)) from error
        except RecursionError as error:
            raise CompileError(too_deep(self.source.file)) from error

    def _parse(self) -> ModuleOp:
        from croqtile_mlir.frontends.inputs import parse_input

        source = self.source
        if source.builder is not None:
            return source.builder.build()
        options = replace(source.frontend, params=source.params)
        return parse_input(self.ctx, source.text, source.file, options)

    def _kernels(self) -> list[tuple[str, Operation]]:
        from croqtile_mlir.dialects.croq import KernelOp

        return [
            (op.sym_name.data, op)
            for op in self.module.walk()
            if isinstance(op, KernelOp)
        ]

    def _select_kernel(self) -> None:
        """Leave only the kernel that is asked for."""
        kernels, wanted = self._kernels(), self.source.kernel
        names = ", ".join(name for name, _ in kernels)
        if wanted is not None and wanted not in [name for name, _ in kernels]:
            fail(
                self.module,
                f"must hold a kernel '{wanted}', got {names or 'no croq.kernel'}",
            )
        if wanted is None and len(kernels) > 1:
            fail(
                kernels[1][1],
                f"must be the only kernel unless one is chosen by name, got {names}",
                hint="pass name= to compile, or --kernel to croq-run",
            )
        for name, op in kernels:
            if wanted is not None and name != wanted:
                op.detach()
                op.erase()

    def _passes(self, until: str | None) -> list[tuple[str, str]]:
        """The passes to run on the input, each with its level."""
        passes = list(self._all_passes())
        at = self._from
        if until is None:
            return passes
        if until == at:
            return []
        names = [(level, each.split("{")[0]) for level, each in passes]
        ends = [
            end
            for end, (level, name) in enumerate(names, 1)
            if name == until or (level == until and until != "croq")
        ]
        if not ends:
            known = list(dict.fromkeys([*LEVELS, *(name for _, name in names)]))
            close = " or ".join(get_close_matches(str(until), known))
            fail(
                None,
                f"level must be one of {', '.join(known)}, got '{until}'",
                hint=f"did you mean {close}?" if close else None,
            )
        return passes[: ends[-1]]

    def _all_passes(self) -> Iterator[tuple[str, str]]:
        source, at = self.source, self._from
        if at != "croq":
            for name in (*dict(source.dims), *dict(source.params)):
                fail(self.module, f"must hold a croq.kernel to bind {name}")
            if source.schedule:
                fail(self.module, "must hold a croq.kernel to be scheduled")
        if source.dims:
            yield "croq", _bound("bind-dims", source.dims)
        if source.schedule:
            # Scheduling passes see the values; the pass of the pipeline finds none.
            if source.params:
                yield "croq", _bound("bind-params", source.params)
            for text in _split(source.schedule):
                yield "croq", text
        for level, text in passes_below(at):
            if not self.verify_sync and text.split("{")[0] == VERIFIER:
                continue
            if text == "bind-params" and source.params and not source.schedule:
                text = _bound(text, source.params)
            yield level, text

    @property
    def level(self) -> str:
        """The level that the module is at now."""
        return level_of(self.module)


def level_of(module: ModuleOp) -> str:
    """The level that a module is at.

    Raises:
        CompileError: it holds no kernel of any level.
    """
    from croqtile_mlir.dialects.croq import KernelOp
    from croqtile_mlir.dialects.ptx.structure import ModuleOp as PTXModuleOp

    ops = list(module.walk())
    if any(isinstance(op, KernelOp) for op in ops):
        return "croq"
    if any(isinstance(op, PTXModuleOp) for op in ops):
        return "ptx"
    if any(ATTRIBUTE in op.attributes for op in ops):
        return "nvvm"
    fail(module, "must hold a croq.kernel", hint="see docs/levels.md")


def passes_below(level: str) -> Iterator[tuple[str, str]]:
    """The passes that lower a module at a level to ptx, each with its own level."""
    from croqtile_mlir.passes.pipelines import lowering_stages

    for stage in lowering_stages():
        if level == "croq" or LEVELS.index(stage.level) > LEVELS.index(level):
            for text in stage.passes:
                yield stage.level, text


def _bound(name: str, values: Sequence[tuple[str, int]]) -> str:
    """The text of a pass whose options are names."""
    return f"{name}{{{' '.join(f'{n}={value}' for n, value in values)}}}"


def _split(schedule: str) -> list[str]:
    """The passes of a pipeline text, each as its text."""
    from xdsl.utils.arg_spec import parse_pipeline

    return [str(spec) for spec in parse_pipeline(schedule)]


@contextmanager
def _collection_paused() -> Generator[None]:
    """No garbage collection meanwhile: IR is one large live graph, and each pass over
    it would find nothing to free."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
