"""Compiling: from IR text, or what builds IR, and choices to a kernel.

The work is done in `pipeline`, which is loaded only when something has to be compiled.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, Protocol, SupportsIndex

from croqtile_mlir.frontends.croqtile.options import (
    DEFAULT_OPTIONS,
    FrontendOptions,
    checked_defines,
)
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.storage.disk_cache import cache_or_warning, is_kept
from croqtile_mlir.storage.made_once import MadeOnce
from croqtile_mlir.storage.stored_kernels import Compiled

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Values = Mapping[str, SupportsIndex]

Defines = Mapping[str, str | int]

_NONE: Values = MappingProxyType({})
_NO_DEFINES: Defines = MappingProxyType({})


class ModuleBuilder(Protocol):
    """What builds a module without text. Equal builders build equal modules."""

    def __hash__(self) -> int: ...

    @property
    def key(self) -> str:
        """Names what is built: one key, one module."""
        ...

    def build(self) -> ModuleOp:
        """A new module."""
        ...


class HasPipeline(Protocol):
    """A choice of scheduling passes."""

    @property
    def pipeline(self) -> str:
        """The text of the passes: `bind-params{BM=128},persist`."""
        ...


@dataclass(frozen=True)
class Source:
    """What is compiled, and with which choices. Equal sources give equal kernels."""

    text: str
    file: str
    """The name of the text in messages."""

    target: str | None = None
    """None: the module's own, or the default."""

    params: tuple[tuple[str, int], ...] = ()
    kernel: str | None = None
    """Which kernel of the module; None: the only one."""

    dims: tuple[tuple[str, int], ...] = ()
    """Extents of dims that are known now."""

    schedule: str = ""
    """The text of the passes that run before the pipeline."""

    builder: ModuleBuilder | None = None
    """What makes the module instead of the text."""

    frontend: FrontendOptions = DEFAULT_OPTIONS
    """Macros and strictness, of Croqtile source; `params` are declared by it, too."""


def compile(
    source: str | os.PathLike[str] | ModuleBuilder,
    *,
    target: str | None = None,
    params: Values = _NONE,
    dims: Values = _NONE,
    schedule: str | Sequence[str] | HasPipeline = "",
    name: str | None = None,
    defines: Defines = _NO_DEFINES,
    strict_names: bool = False,
    strict_init: bool = False,
) -> Kernel:
    """Compile IR text, or the file at a path, to a kernel.

    A string with a newline, a brace or `croq.kernel` in it is IR text; any other string
    is a path. `params` sets parameters of the kernel (`params(S = 4)`), `dims` fixes
    extents that the kernel leaves open (`dims(M)`): the kernel then takes arguments of
    these extents only. `schedule` names passes that run before the lowering, as a
    pipeline text (`persist{order=grouped},warp-specialize`) or a list of passes. `name`
    chooses a kernel where the module holds several. Compiling the same input again in
    one process gives the same kernel.

    A file whose name ends with `.co`, and text with a `__co__` function, is Croqtile
    source. `defines` are macros for it (`{"M": 128}` is `-DM=128`); `strict_names`
    refuses names that are defined nowhere, `strict_init` results that are read before
    they are written.

    Raises:
        CompileError: the input is refused; its text is `file:line:col: error: ...`.
        OSError: the file cannot be read.
    """
    return compile_source(
        source_of(
            source,
            target=target,
            params=params,
            dims=dims,
            schedule=schedule,
            name=name,
            defines=defines,
            strict_names=strict_names,
            strict_init=strict_init,
        )
    )


def source_of(
    source: str | os.PathLike[str] | ModuleBuilder,
    *,
    target: str | None = None,
    params: Values = _NONE,
    dims: Values = _NONE,
    schedule: str | Sequence[str] | HasPipeline = "",
    name: str | None = None,
    defines: Defines = _NO_DEFINES,
    strict_names: bool = False,
    strict_init: bool = False,
) -> Source:
    """What `compile` compiles, given the same arguments."""
    for what, value in (("target", target), ("name", name)):
        if value is not None and not _is_a(str, value):
            _refuse(f"{what} must be a text", value)
    builder = None
    if isinstance(source, str | os.PathLike):
        text, file = _read(source)
    elif hasattr(source, "build") and hasattr(source, "key"):
        builder, text, file = source, "", f"<{source.key}>"
    else:
        _refuse("source must be IR text, a path or what builds a module", source)
    return Source(
        text,
        file,
        target,
        _integers("bind-params", "parameter", params),
        name,
        _integers("bind-dims", "dim", dims),
        _pipeline(schedule),
        builder,
        FrontendOptions(
            checked_defines(defines),
            strict_names=strict_names,
            strict_init=strict_init,
        ),
    )


def _pipeline(schedule: str | Sequence[str] | HasPipeline) -> str:
    """The text of the passes of a schedule."""
    if isinstance(schedule, str):
        return schedule
    if isinstance(schedule, Sequence):
        if not all(_is_a(str, each) for each in schedule):
            _refuse("passes of a schedule must be texts", list(schedule))
        return ",".join(schedule)
    if not hasattr(schedule, "pipeline"):
        _refuse("schedule must be a text, a list of passes or a Schedule", schedule)
    return schedule.pipeline


def _integers(by: str, what: str, values: Values) -> tuple[tuple[str, int], ...]:
    """Names and integers in order; of any integer type, such as numpy's."""
    found: dict[str, int] = {}
    if not _is_a(Mapping, values):
        _refuse(f"{what}s must be a mapping of names to integers", values)
    for name, value in values.items():
        if not (_is_a(str, name) and name.isidentifier()):
            _refuse(f"{by}: the name of a {what} must be an identifier", name)
        try:
            # Python takes True for an integer.
            if isinstance(value, bool):
                raise TypeError
            found[name] = index(value)
        except TypeError:
            _refuse(f"{by}: {what} {name} must be a positive integer", value)
    return tuple(sorted(found.items()))


def _is_a(kind: type, value: object) -> bool:
    """What the types promise; callers without a type checker break promises."""
    return isinstance(value, kind)


def _refuse(rule: str, value: object) -> NoReturn:
    from croqtile_mlir.diagnostics import fail

    fail(None, f"{rule}, got {value}")


def _read(source: str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(source, str) and any(
        mark in source for mark in ("\n", "{", "croq.kernel")
    ):
        return source, "<string>"
    if source == "":
        _refuse("source must be IR text or a path", "nothing")
    file = os.fspath(source)
    try:
        # Some editors put a mark before the text.
        return Path(source).read_text(encoding="utf-8-sig"), file
    except UnicodeDecodeError as error:
        _refuse(f"file {file} must be UTF-8 text", f"other bytes: {error.reason}")
    except ValueError:  # No file has such a name.
        _refuse("source must be IR text or a path", repr(file))


def _kernel(source: Source) -> Kernel:
    stored = cache_or_warning() if is_kept(source) else None
    found = None if stored is None else stored.load(source)
    if found is None:
        found = _compiled(source)
        if stored is not None:
            stored.store(source, found)
    return Kernel(
        name=found.name,
        source=source,
        ptx=found.ptx,
        plan=found.plan,
        diagnostics=found.diagnostics,
        level=found.level,
    )


compile_source = MadeOnce(_kernel, 256)
"""Compile a source, or read what was compiled before from disk
(`storage.disk_cache`).

The same source gives the same kernel, also to threads that ask for it at once.
"""


def _compiled(source: Source) -> Compiled:
    from croqtile_mlir.pipeline import Lowering

    lowering = Lowering(source)
    level = lowering.level
    lowering.run()
    entry, plan = lowering.launch()
    return Compiled(entry, lowering.ptx(), plan, lowering.diagnostics, level)


def ir_after(source: Source, level: str) -> str:
    """The IR of a source at a level, or after a pass (`lower-events`).

    `after:` may stand before the name of a pass.
    """
    from croqtile_mlir.pipeline import Lowering
    from croqtile_mlir.printing import module_text

    lowering = Lowering(source)
    lowering.run(until=str(level).removeprefix("after:"))
    return module_text(lowering.module)
