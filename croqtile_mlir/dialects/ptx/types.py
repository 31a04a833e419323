"""
Types and attributes of the `ptx` dialect: virtual registers, and the kinds of value
that an instruction names in its suffix.

A register type may carry the name of the register that holds the value. Before
`--assign-registers` no type has one; after it every type has, and the printer copies
it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Self, TypeAlias

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

_NAME = re.compile(r"%[A-Za-z$_][A-Za-z0-9$_]*")
_INDEXED = re.compile(r"(%.*?)(\d+)")


class RegisterKind(StrEnum):
    """What a register is declared as; `.reg .b32 %r1;`."""

    Predicate = "pred"
    B16 = "b16"
    B32 = "b32"
    B64 = "b64"
    F32 = "f32"
    F64 = "f64"

    @property
    def bits(self) -> int:
        """Width of the register; a predicate has one bit."""
        return 1 if self is RegisterKind.Predicate else int(self.value[1:])


@irdl_attr_definition
class RegisterKindAttr(EnumAttribute[RegisterKind], SpacedOpaqueSyntaxAttribute):
    """The declared type of a register, written `#ptx<register_kind b32>`."""

    name = "ptx.register_kind"


class InstructionType(StrEnum):
    """The type in an instruction's suffix; `add.u32`."""

    Predicate = "pred"
    B8 = "b8"
    B16 = "b16"
    B32 = "b32"
    B64 = "b64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    S8 = "s8"
    S16 = "s16"
    S32 = "s32"
    S64 = "s64"
    F16 = "f16"
    BF16 = "bf16"
    F16X2 = "f16x2"
    BF16X2 = "bf16x2"
    E4M3X2 = "e4m3x2"
    E5M2X2 = "e5m2x2"
    TF32 = "tf32"
    F32 = "f32"
    F64 = "f64"

    @property
    def bits(self) -> int:
        """Width of a value of this type; a predicate has one bit."""
        return _WIDTHS[self]

    @property
    def register(self) -> RegisterKind:
        """The register that holds a value of this type; bytes live in 16-bit ones."""
        match self:
            case InstructionType.Predicate:
                return RegisterKind.Predicate
            case InstructionType.F32 | InstructionType.F64:
                return RegisterKind(self.value)
            case _:
                return RegisterKind(f"b{max(self.bits, 16)}")


_WIDTHS = {
    **{t: 32 for t in InstructionType if t.value.endswith(("32", "x2"))},
    InstructionType.E4M3X2: 16,
    InstructionType.E5M2X2: 16,
    InstructionType.Predicate: 1,
    **{t: 8 for t in InstructionType if t.value.endswith("8")},
    **{t: 16 for t in InstructionType if t.value.endswith("16")},
    **{t: 64 for t in InstructionType if t.value.endswith("64")},
}


@irdl_attr_definition
class InstructionTypeAttr(EnumAttribute[InstructionType], SpacedOpaqueSyntaxAttribute):
    """The type in an instruction's suffix, written `#ptx<type u32>`."""

    name = "ptx.type"


TYPE_ATTRS = {t: InstructionTypeAttr(t) for t in InstructionType}
"""One attribute for each type, so that building an op does not make another."""


def split_name(name: str) -> tuple[str, int | None]:
    """
    A register name as stem and number, without number when it has none that a run
    `%r<8>` declares.

    >>> split_name("%r12"), split_name("%stage"), split_name("%r07")
    (('%r', 12), ('%stage', None), ('%r07', None))
    """
    match = _INDEXED.fullmatch(name)
    if match is None or str(int(match[2])) != match[2]:
        return name, None
    return match[1], int(match[2])


RESERVED_NAMES = frozenset(
    f"%{name}"
    for name in (
        *("tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "nwarpid", "gridid"),
        *("smid", "nsmid", "clock", "clock64", "clock_hi", "globaltimer"),
        *("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"),
        *("cluster_ctarank", "cluster_nctarank", "is_explicit_cluster"),
        *("dynamic_smem_size", "total_smem_size", "aggr_smem_size"),
        *(f"lanemask_{relation}" for relation in ("eq", "lt", "le", "gt", "ge")),
    )
)
"""Special registers share their namespace with the others: `%tid` hides `%tid.x`."""


def check_name(name: str) -> None:
    """
    Check the name of a register.

    Raises:
        VerifyException: it isn't one, or a special register has it.
    """
    if not _NAME.fullmatch(name):
        raise VerifyException(f"a register name must be like %r1, got {name}")
    if name in RESERVED_NAMES:
        raise VerifyException(f"a register must not be called {name}, as a special one")


@lru_cache(maxsize=4096)
def expand_names(compact: str) -> tuple[str, ...]:
    """
    The names in a list whose runs are written `%f0..%f3`.

    >>> expand_names("%r1, %f0..%f2")
    ('%r1', '%f0', '%f1', '%f2')
    """
    names: list[str] = []
    for item in filter(None, (part.strip() for part in compact.split(","))):
        first, dots, last = item.partition("..")
        if not dots:
            names.append(first)
            continue
        low, high = _INDEXED.fullmatch(first), _INDEXED.fullmatch(last)
        if low is None or high is None or low[1] != high[1]:
            raise VerifyException(
                f"a run of registers must be like %f0..%f3, got {item}"
            )
        names += (f"{low[1]}{i}" for i in range(int(low[2]), int(high[2]) + 1))
    for name in names:
        check_name(name)
    return tuple(names)


def compact_names(names: Sequence[str]) -> str:
    """The shortest text that `expand_names` reads back as `names`."""
    runs: list[tuple[str, int, int]] = []
    for name in names:
        stem, number = split_name(name)
        if number is None:
            runs.append((name, -1, -1))
        elif runs and runs[-1][0] == stem and runs[-1][2] == number - 1 >= 0:
            runs[-1] = (stem, runs[-1][1], number)
        else:
            runs.append((stem, number, number))
    return ", ".join(
        stem
        if low < 0
        else f"{stem}{low}"
        if low == high
        else f"{stem}{low}..{stem}{high}"
        for stem, low, high in runs
    )


def _parse_names(parser: AttrParser, count: int) -> StringAttr:
    pos = parser.pos
    text = parser.parse_str_literal()
    try:
        names = expand_names(text)
    except VerifyException as error:
        parser.raise_error(str(error), pos, parser.pos)
    if len(names) != count:
        parser.raise_error(
            f"{count} registers must have as many names, got {len(names)}",
            pos,
            parser.pos,
        )
    return StringAttr(text)


def _parse_optional_names(parser: AttrParser, count: int) -> StringAttr:
    if parser.parse_optional_punctuation(",") is None:
        return StringAttr("")
    return _parse_names(parser, count)


def _print_names(printer: Printer, assigned: StringAttr) -> None:
    if assigned.data:
        printer.print_string(", ")
        printer.print_string_literal(assigned.data)


@irdl_attr_definition
class RegisterType(ParametrizedAttribute, TypeAttribute):
    """One register, written `!ptx.reg<b32>` or `!ptx.reg<b32, "%r4">`."""

    name = "ptx.reg"

    register_kind: RegisterKindAttr
    assigned: StringAttr

    def __init__(self, kind: RegisterKind, assigned: str = ""):
        super().__init__(RegisterKindAttr(kind), StringAttr(assigned))

    def verify(self) -> None:
        if self.kind is RegisterKind.Predicate:
            raise VerifyException("a predicate register must be written !ptx.pred")
        if self.assigned.data:
            check_name(self.assigned.data)

    @property
    def kind(self) -> RegisterKind:
        """What the register is declared as."""
        return self.register_kind.data

    @property
    def lanes(self) -> int:
        """Number of registers: one."""
        return 1

    @property
    def names(self) -> tuple[str, ...]:
        """The register's name, or nothing when none is assigned."""
        return (self.assigned.data,) if self.assigned.data else ()

    def assign(self, names: Sequence[str]) -> Self:
        """The same type held in the register `names[0]`."""
        return type(self)(self.kind, *names)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pos = parser.pos
            kind = parser.parse_str_enum(RegisterKind)
            if kind is RegisterKind.Predicate:
                parser.raise_error(
                    "a predicate register must be written !ptx.pred", pos, parser.pos
                )
            return (RegisterKindAttr(kind), _parse_optional_names(parser, 1))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.kind.value)
            _print_names(printer, self.assigned)


@irdl_attr_definition
class PredicateType(ParametrizedAttribute, TypeAttribute):
    """One predicate register, written `!ptx.pred` or `!ptx.pred<"%p1">`."""

    name = "ptx.pred"

    assigned: StringAttr

    def __init__(self, assigned: str = ""):
        super().__init__(StringAttr(assigned))

    def verify(self) -> None:
        if self.assigned.data:
            check_name(self.assigned.data)

    @property
    def kind(self) -> RegisterKind:
        """What the register is declared as."""
        return RegisterKind.Predicate

    @property
    def lanes(self) -> int:
        """Number of registers: one."""
        return 1

    @property
    def names(self) -> tuple[str, ...]:
        """The register's name, or nothing when none is assigned."""
        return (self.assigned.data,) if self.assigned.data else ()

    def assign(self, names: Sequence[str]) -> Self:
        """The same type held in the register `names[0]`."""
        return type(self)(*names)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return (StringAttr(""),)
        name = _parse_names(parser, 1)
        parser.parse_punctuation(">")
        return (name,)

    def print_parameters(self, printer: Printer) -> None:
        if self.assigned.data:
            with printer.in_angle_brackets():
                printer.print_string_literal(self.assigned.data)


@irdl_attr_definition
class GroupType(ParametrizedAttribute, TypeAttribute):
    """
    Registers that one instruction names in braces, in order: an accumulator, a fragment
    or a vector. Written `!ptx.group<f32 x 64>` or `!ptx.group<f32 x 4, "%f0..%f3">`.
    """

    name = "ptx.group"

    register_kind: RegisterKindAttr
    count: IntAttr
    assigned: StringAttr

    def __init__(self, kind: RegisterKind, count: int, assigned: str = ""):
        super().__init__(RegisterKindAttr(kind), IntAttr(count), StringAttr(assigned))

    def verify(self) -> None:
        if self.kind is RegisterKind.Predicate:
            raise VerifyException("a group must be made of data registers, got pred")
        if self.lanes < 1:
            raise VerifyException(f"a group must have registers, got {self.lanes}")
        if self.assigned.data and len(self.names) != self.lanes:
            raise VerifyException(
                f"a group of {self.lanes} registers must have as many names, "
                f"got {len(self.names)}"
            )

    @property
    def kind(self) -> RegisterKind:
        """What each register is declared as."""
        return self.register_kind.data

    @property
    def lanes(self) -> int:
        """Number of registers."""
        return self.count.data

    @property
    def lane(self) -> RegisterType:
        """The type of one of the registers, unassigned."""
        return RegisterType(self.kind)

    @property
    def names(self) -> tuple[str, ...]:
        """The registers' names in order, or nothing when none are assigned."""
        return expand_names(self.assigned.data)

    def assign(self, names: Sequence[str]) -> Self:
        """The same type held in the registers `names`."""
        return type(self)(self.kind, self.lanes, compact_names(names))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            kind = parser.parse_str_enum(RegisterKind)
            parser.parse_keyword("x")
            count = parser.parse_integer(allow_boolean=False, allow_negative=False)
            names = _parse_optional_names(parser, count)
            return (RegisterKindAttr(kind), IntAttr(count), names)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.kind.value} x {self.lanes}")
            _print_names(printer, self.assigned)


PTXType: TypeAlias = RegisterType | PredicateType | GroupType
"""The type of every value of the dialect."""

B16 = RegisterType(RegisterKind.B16)
B32 = RegisterType(RegisterKind.B32)
B64 = RegisterType(RegisterKind.B64)
F32 = RegisterType(RegisterKind.F32)
F64 = RegisterType(RegisterKind.F64)
PREDICATE = PredicateType()


_REGISTER_TYPES: dict[RegisterKind, RegisterType | PredicateType] = {
    RegisterKind.Predicate: PREDICATE,
    **{t.kind: t for t in (B16, B32, B64, F32, F64)},
}


def register_type(kind: RegisterKind) -> RegisterType | PredicateType:
    """The type of one unassigned register of `kind`."""
    return _REGISTER_TYPES[kind]
