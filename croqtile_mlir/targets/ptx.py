"""
Print a module of the `ptx` level as PTX text: one line for each op, nothing decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.target import Target

from croqtile_mlir.diagnostics import Location, fail, location_of
from croqtile_mlir.dialects.ptx.control import LabelOp
from croqtile_mlir.dialects.ptx.instruction import AssemblyOp
from croqtile_mlir.dialects.ptx.structure import EntryOp, ExternSharedOp, ModuleOp
from croqtile_mlir.dialects.ptx.types import PTXType, RegisterKind, split_name


@dataclass(frozen=True)
class PTXTarget(Target):
    """PTX text. The module must hold one `ptx.module`, with registers assigned."""

    name = "ptx"

    line_info: bool = False
    """Print `.file` and `.loc`, so that profilers and ptxas point at the source."""

    def emit(self, ctx: Context, module: BuiltinModuleOp, output: IO[str]) -> None:
        """
        Write the text to `output`.

        Raises:
            CompileError: there is not one `ptx.module`, or a value has no register.
        """
        for line in _Printer(self.line_info).lines(module):
            output.write(line)
            output.write("\n")


@dataclass
class _Printer:
    line_info: bool
    files: dict[str, int] = field(default_factory=dict[str, int])
    """Number of each source file, in order of first use."""

    def lines(self, module: BuiltinModuleOp) -> Iterator[str]:
        found = [op for op in module.ops if isinstance(op, ModuleOp)]
        if len(found) != 1:
            fail(
                module,
                f"must hold one ptx.module to be printed as PTX, got {len(found)}",
                hint="run --croq-to-ptx first",
            )
        ptx = found[0]
        yield f".version {ptx.version.data}"
        yield f".target {ptx.target.data}"
        yield ".address_size 64"
        for op in ptx.body.block.ops:
            yield ""
            if isinstance(op, ExternSharedOp):
                yield op.declaration()
            elif isinstance(op, EntryOp):
                yield from self._entry(op)
            else:
                fail(op, "must be a declaration or a kernel to be printed as PTX")
        if self.files:
            yield ""
        for name, number in self.files.items():
            yield f'.file {number} "{name}"'

    def _entry(self, entry: EntryOp) -> Iterator[str]:
        parameters = [parameter.declaration() for parameter in entry.parameters]
        if parameters:
            yield f".visible .entry {entry.sym_name.data}("
            for line in parameters[:-1]:
                yield f"\t{line},"
            yield f"\t{parameters[-1]}"
            yield ")"
        else:
            yield f".visible .entry {entry.sym_name.data}()"
        yield from entry.directives()
        yield "{"
        for line in _declarations(entry):
            yield f"\t{line}"
        yield ""
        last = Location()
        for block in entry.body.blocks:
            for op in block.ops:
                if not isinstance(op, AssemblyOp):
                    fail(op, "must be an instruction to be printed as PTX")
                line = op.assembly_line()
                if line is None:
                    continue
                if isinstance(op, LabelOp):
                    yield line
                    continue
                if self.line_info:
                    location = location_of(op)
                    if location.is_known and location != last:
                        yield self._loc(location)
                        last = location
                yield f"\t{line}"
        yield "}"

    def _loc(self, location: Location) -> str:
        number = self.files.setdefault(location.file, len(self.files) + 1)
        return f"\t.loc {number} {location.line} {location.col}"


def _values(entry: EntryOp) -> Iterator[SSAValue]:
    for block in entry.body.blocks:
        yield from block.args
        for op in block.ops:
            yield from op.results


def _declarations(entry: EntryOp) -> Iterator[str]:
    """
    The `.reg` lines: one for each class, as a run `%r<n>` of each stem that is used
    with numbers, then the other names.
    """
    types = {value.type for value in _values(entry)}
    counts: dict[tuple[RegisterKind, str], int] = {}
    single: dict[tuple[RegisterKind, str], None] = {}
    for value_type in types:
        if not isinstance(value_type, PTXType):
            continue
        for name in value_type.names:
            stem, number = split_name(name)
            key = value_type.kind, stem
            if number is None:
                single[value_type.kind, name] = None
            elif number >= counts.get(key, 0):
                counts[key] = number + 1
    for kind in RegisterKind:
        runs = [
            f"{stem}<{count}>"
            for (of, stem), count in sorted(counts.items(), key=_by_stem)
            if of is kind
        ]
        others = sorted(name for of, name in single if of is kind)
        if runs or others:
            yield f".reg .{kind} {', '.join([*runs, *others])};"


def _by_stem(item: tuple[tuple[RegisterKind, str], int]) -> str:
    return item[0][1]


def ptx_text(module: BuiltinModuleOp, *, line_info: bool = False) -> str:
    """
    The PTX of a module, as `-t ptx` prints it.

    Raises:
        CompileError: see `PTXTarget.emit`.
    """
    return "\n".join([*_Printer(line_info).lines(module), ""])
