"""The base classes of all ops that stand for text: what an op owes to the printer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import ClassVar, Self, TypeAlias

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    FormatProgram,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.ptx.constraints import ANY_REGISTER, PREDICATE_REGISTER
from croqtile_mlir.dialects.ptx.operands import (
    ImmediatesAttr,
    Source,
    Sources,
    immediate_text,
    pack_sources,
    register_text,
    type_of,
    unpack_sources,
)
from croqtile_mlir.dialects.ptx.types import (
    TYPE_ATTRS,
    InstructionType,
    InstructionTypeAttr,
    PTXType,
    register_type,
)
from croqtile_mlir.targets.architecture import Feature

Version: TypeAlias = tuple[int, int]
"""A PTX ISA version; 8.0 is `(8, 0)`."""


Forms: TypeAlias = Mapping[InstructionType, frozenset[str]]
"""For each type of an instruction the qualifiers it may have, `""` for none."""


def forms(*rows: tuple[Iterable[InstructionType], str]) -> Forms:
    """
    A table from rows of types and their qualifiers; these are separated by blanks, and
    `-` is none at all.
    """
    table: dict[InstructionType, frozenset[str]] = {}
    for types, qualifiers in rows:
        allowed = frozenset("" if q == "-" else q for q in qualifiers.split())
        for type in types:
            table[type] = table.get(type, frozenset()) | allowed
    return table


@cache
def _format_of(op: type[IRDLOperation], syntax: str) -> FormatProgram:
    return FormatProgram.from_str(syntax, op.get_irdl_definition())


class DeclaredFormatOp(IRDLOperation, ABC):
    """
    An op with a declarative assembly format that is read when it is first needed:
    compiling to PTX neither parses nor prints this dialect, and reading the formats of
    all its ops would take a tenth of a second.
    """

    SYNTAX: ClassVar[str]
    """The assembly format."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return _format_of(cls, cls.SYNTAX).parse(parser, cls)

    def print(self, printer: Printer) -> None:
        _format_of(type(self), self.SYNTAX).print(printer, self)


class AssemblyOp(DeclaredFormatOp, ABC):
    """An op that prints one line of PTX, or none when it is only structure."""

    VERSION: ClassVar[Version] = (7, 0)
    """The lowest PTX ISA version that has the instruction."""

    FEATURE: ClassVar[Feature | None] = None
    """What an architecture must have to execute it."""

    @abstractmethod
    def assembly_line(self) -> str | None:
        """
        The op's line of PTX without indentation, none when it prints nothing.

        Raises:
            CompileError: a value has no register assigned.
        """

    def needs_feature(self) -> Feature | None:
        """What an architecture must have to execute this very instruction."""
        return self.FEATURE

    def needs_version(self) -> Version:
        """The lowest PTX ISA version that has this form of the instruction."""
        return self.VERSION

    def register(self, value: SSAValue) -> str:
        """What one of the op's values is called in PTX."""
        return register_text(self, value)


class StructuralOp(AssemblyOp, ABC):
    """An op that prints nothing: it names registers or says how blocks follow."""

    def assembly_line(self) -> str | None:
        return None


class GuardedOp(AssemblyOp, ABC):
    """
    An instruction without results, which a predicate may guard: `@%p1 st.global ...`.

    Those with results have no guard: a skipped one would leave a value undefined.
    """

    guard = opt_operand_def(PREDICATE_REGISTER)
    negated = opt_prop_def(UnitAttr)

    @abstractmethod
    def instruction(self) -> str:
        """The instruction without guard and semicolon."""

    def set_guard(self, predicate: SSAValue, negated: bool) -> None:
        """Execute the instruction, which has no guard yet, only under a predicate."""
        # The guard is the last operand, as the last field in the order of the classes.
        self.operands = [*self.operands, predicate]
        sizes = self.properties.get("operandSegmentSizes")
        if isa(sizes, DenseArrayBase[IntegerType]):
            segments = [*sizes.get_values()[:-1], 1]
            sizes = DenseArrayBase.from_list(sizes.elt_type, segments)
            self.properties["operandSegmentSizes"] = sizes
        if negated:
            self.negated = UnitAttr()

    def assembly_line(self) -> str | None:
        if self.guard is None:
            return f"{self.instruction()};"
        sign = "!" if self.negated else ""
        return f"@{sign}{self.register(self.guard)} {self.instruction()};"

    def verify_(self) -> None:
        if self.negated is not None and self.guard is None:
            raise VerifyException("negated must come with a guard, got none")


def dotted(*parts: str | None) -> str:
    """A mnemonic from its parts, absent ones left out: `ld.global.v4.b32`."""
    return ".".join(part for part in parts if part)


_TYPE_NAMES = frozenset(type.value for type in InstructionType)


@irdl_custom_directive
class Suffix(CustomDirective):
    """The qualifiers and the type of an instruction in one word: `rn.f16x2`."""

    qualifiers: AttributeVariable
    type: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        pos = parser.pos
        *qualifiers, type_name = parser.parse_identifier().split(".")
        if type_name not in _TYPE_NAMES:
            known = ", ".join(InstructionType)
            parser.raise_error(
                f"the type must be one of {known}, got {type_name}", pos, parser.pos
            )
        self.type.set(state, TYPE_ATTRS[InstructionType(type_name)])
        if qualifiers:
            self.qualifiers.set(state, StringAttr(".".join(qualifiers)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        qualifiers, type_attr = self.qualifiers.get(op), self.type.get(op)
        assert isinstance(type_attr, InstructionTypeAttr)
        if isinstance(qualifiers, StringAttr):
            printer.print_string(f"{qualifiers.data}.")
        printer.print_string(type_attr.data.value)


class ComputeOp(AssemblyOp, ABC):
    """
    An instruction that computes one register from registers and immediates:
    `add.s32 %r3, %r1, 5;`.
    """

    ARITY: ClassVar[int]
    """Number of sources."""

    FORMS: ClassVar[Forms]
    """For each type of the instruction, what may stand before it in the suffix."""

    sources = var_operand_def(ANY_REGISTER)
    immediates = opt_prop_def(ImmediatesAttr)
    qualifiers = opt_prop_def(StringAttr)
    type = prop_def(InstructionTypeAttr)
    result = result_def(ANY_REGISTER)

    traits = traits_def(Pure())

    custom_directives = (Sources, Suffix)

    SYNTAX: ClassVar[str] = (
        "custom<Suffix>($qualifiers, $type) "
        "custom<Sources>($sources, type($sources), $immediates) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        type: InstructionType,
        *sources: Source,
        qualifiers: str = "",
        result_type: PTXType | None = None,
    ):
        registers, immediates = pack_sources(sources)
        properties: dict[str, Attribute] = {"type": TYPE_ATTRS[type]}
        if immediates is not None:
            properties["immediates"] = immediates
        if qualifiers:
            properties["qualifiers"] = StringAttr(qualifiers)
        # Most ops of a kernel are made here; all arguments have the right form already.
        Operation.__init__(
            self,
            operands=registers,
            result_types=(result_type or self.result_type_for(type, qualifiers),),
            properties=properties,
        )

    @classmethod
    def result_type_for(cls, type: InstructionType, qualifiers: str) -> PTXType:
        """The unassigned type of the result."""
        return register_type(type.register)

    @property
    def inputs(self) -> tuple[Source, ...]:
        """The registers and immediates in order."""
        return unpack_sources(self.sources, self.immediates)

    @property
    def qualifier(self) -> str:
        """What stands between mnemonic and type, possibly nothing."""
        return self.qualifiers.data if self.qualifiers else ""

    @property
    def mnemonic(self) -> str:
        """The opcode, without qualifiers and type."""
        return self.name.removeprefix("ptx.")

    def source_types(self) -> Sequence[InstructionType]:
        """The type as which each source is read."""
        return (self.type.data,) * self.ARITY

    def opcode(self) -> str:
        """The opcode with qualifiers and type, `mul.lo.u32`."""
        return dotted(self.mnemonic, self.qualifier, self.type.data.value)

    def source_list(self) -> str:
        """The sources in PTX, `%r1, 5`."""
        return ", ".join(
            immediate_text(source, type)
            if isinstance(source, int)
            else self.register(source)
            for source, type in zip(self.inputs, self.source_types(), strict=True)
        )

    def assembly_line(self) -> str | None:
        return f"{self.opcode()} {self.register(self.result)}, {self.source_list()};"

    def verify_(self) -> None:
        type = self.type.data
        if type not in self.FORMS:
            raise VerifyException(
                f"type must be one of {', '.join(self.FORMS)}, got {type}"
            )
        if self.qualifier not in self.FORMS[type]:
            allowed = ", ".join(sorted(q or "none" for q in self.FORMS[type]))
            raise VerifyException(
                f"qualifiers of {type} must be one of {allowed}, "
                f"got {self.qualifier or 'none'}"
            )
        immediates = self.immediates
        count = len(self.sources) if immediates is None else len(immediates)
        if count != len(self.source_types()):
            raise VerifyException(
                f"sources must be {len(self.source_types())}, got {count}"
            )
        if immediates is not None:
            registers = sum(isinstance(item, UnitAttr) for item in immediates)
            if registers != len(self.sources):
                raise VerifyException(
                    f"immediates must leave {len(self.sources)} places to registers, "
                    f"got {registers}"
                )
        for source, expected in zip(self.inputs, self.source_types(), strict=True):
            if not isinstance(source, int):
                check_register(source, expected)
            elif expected in _NO_IMMEDIATES:
                raise VerifyException(
                    f"a source of type {expected} must be a register, got {source}"
                )
        expected = self.result_type_for(type, self.qualifier)
        found = type_of(self.result)
        if found.kind is not expected.kind:
            raise VerifyException(f"result must be a {expected.kind}, got {found}")


_NO_IMMEDIATES = frozenset(
    {
        InstructionType.F16,
        InstructionType.F16X2,
        InstructionType.BF16,
        InstructionType.BF16X2,
    }
)


def check_register(value: SSAValue, expected: InstructionType) -> None:
    """
    Check that a register can be read as `expected`.

    Raises:
        VerifyException: it is of another width or class.
    """
    found = type_of(value)
    kind = expected.register
    if found.kind is not kind:
        raise VerifyException(f"source must be a {kind} register, got {found}")
