"""Globals, addresses, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import (
    I32,
    I64,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    ATOMIC_ORDERING_KEYWORDS,
    LinkageAttr,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.llvm_ext.types import (
    GEP_DYNAMIC,
    Value,
    member_type,
    pointer,
)

GEP_FLAGS = {
    0: "",
    2: "nusw",
    3: "inbounds",
    4: "nuw",
    6: "nusw|nuw",
    7: "inbounds|nuw",
}
"""How the bits of `noWrapFlags` are written; in bounds implies no signed wrap."""

LINKAGES = (
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
)

UNNAMED_ADDR = {1: "local_unnamed_addr", 2: "unnamed_addr"}
"""How `unnamed_addr` is written."""

GLOBAL_SYNTAX = (
    "sym_name",
    "global_type",
    "linkage",
    "value",
    "constant",
    "thread_local_",
    "unnamed_addr",
)
"""The properties of a global that stand outside the dictionary."""

NOT_ATOMIC: IntegerAttr[I64] = IntegerAttr(0, i64)


def _unit(wanted: bool) -> UnitAttr | None:
    return UnitAttr() if wanted else None


def _integer(value: int | None) -> IntegerAttr[I64] | None:
    return None if value is None else IntegerAttr(value, i64)


@irdl_op_definition
class AddressOfOp(IRDLOperation):
    """The address of a global variable.

    ```mlir
    %p = llvm.mlir.addressof @smem : !llvm.ptr<3>
    ```
    """

    name = "llvm.mlir.addressof"

    global_name = prop_def(SymbolRefAttr)
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    assembly_format = "$global_name attr-dict `:` type($result)"

    def __init__(self, global_name: str | SymbolRefAttr, space: int = 0):
        if isinstance(global_name, str):
            global_name = SymbolRefAttr(global_name)
        super().__init__(
            properties={"global_name": global_name}, result_types=[pointer(space)]
        )


@irdl_op_definition
class GEPOp(IRDLOperation):
    """A pointer plus an offset: the first index counts elements, later ones go inside.

    ```mlir
    %q = llvm.getelementptr %p[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %r = llvm.getelementptr inbounds %p[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    ```
    """

    name = "llvm.getelementptr"

    base = operand_def(LLVMPointerType)
    dynamic_indices = var_operand_def(IntegerType)
    constant_indices = prop_def(
        DenseArrayBase.constr(i32), prop_name="rawConstantIndices"
    )
    element_type = prop_def(prop_name="elem_type")
    flags = prop_def(
        IntegerAttr[I32], default_value=IntegerAttr(0, i32), prop_name="noWrapFlags"
    )
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    def __init__(
        self,
        base: Value,
        indices: Sequence[int | Value],
        element_type: Attribute,
        *,
        inbounds: bool = False,
    ):
        super().__init__(
            operands=[base, [i for i in indices if not isinstance(i, int)]],
            properties={
                "rawConstantIndices": _constants(indices),
                "elem_type": element_type,
                "noWrapFlags": IntegerAttr(3 if inbounds else 0, i32),
            },
            result_types=[SSAValue.get(base).type],
        )

    @property
    def indices(self) -> tuple[int | SSAValue, ...]:
        """All indices in order."""
        dynamic = iter(self.dynamic_indices)
        return tuple(
            next(dynamic) if index == GEP_DYNAMIC else index
            for index in self.constant_indices.iter_values()
        )

    def verify_(self) -> None:
        constants = tuple(self.constant_indices.iter_values())
        if not constants:
            raise VerifyException("must have at least one index, got none")
        if constants.count(GEP_DYNAMIC) != len(self.dynamic_indices):
            raise VerifyException(
                f"must have {constants.count(GEP_DYNAMIC)} index operands, as"
                f" rawConstantIndices says, got {len(self.dynamic_indices)}"
            )
        if self.result.type != self.base.type:
            raise VerifyException(
                f"base and result must have the same type, got {self.base.type} and"
                f" {self.result.type}"
            )
        if self.flags.value.data not in GEP_FLAGS:
            raise VerifyException(
                f"noWrapFlags must be one of {', '.join(map(str, GEP_FLAGS))}, got"
                f" {self.flags.value.data}"
            )
        type_: Attribute = self.element_type
        for index in constants[1:]:
            type_ = member_type(type_, index)

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        flags = _parse_gep_flags(parser)
        start = parser.pos
        base = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: (
                parser.parse_optional_unresolved_operand()
                or parser.parse_integer(allow_boolean=False)
            ),
        )
        end = parser.pos
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        parser.parse_punctuation(",")
        element_type = parser.parse_type()
        dynamic = [i for i in indices if not isinstance(i, int)]
        if len(types.inputs) != 1 + len(dynamic):
            parser.raise_error(
                f"expected {1 + len(dynamic)} operand types, got {len(types.inputs)}",
                start,
                end,
            )
        operands = parser.resolve_operands([base, *dynamic], types.inputs.data, start)
        return cls.build(
            operands=[operands[0], operands[1:]],
            properties={
                "rawConstantIndices": _constants(indices),
                "elem_type": element_type,
                "noWrapFlags": IntegerAttr(flags, i32),
            },
            attributes=attributes,
            result_types=types.outputs.data,
        )

    def print(self, printer: Printer) -> None:
        if flags := GEP_FLAGS[self.flags.value.data]:
            printer.print_string(f" {flags}")
        printer.print_string(" ")
        printer.print_ssa_value(self.base)
        with printer.in_square_brackets():
            printer.print_list(self.indices, lambda index: _print_index(printer, index))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.element_type)


def _constants(indices: Sequence[object]) -> DenseArrayBase:
    """The indices, with a mark for each that is an operand."""
    return DenseArrayBase.from_list(
        i32, [i if isinstance(i, int) else GEP_DYNAMIC for i in indices]
    )


def _parse_gep_flags(parser: Parser) -> int:
    flags = 0
    while keyword := parser.parse_optional_keyword_in(("inbounds", "nusw", "nuw")):
        flags |= {"inbounds": 3, "nusw": 2, "nuw": 4}[keyword]
        if parser.parse_optional_punctuation("|") is None:
            break
    return flags


def _print_index(printer: Printer, index: int | SSAValue) -> None:
    if isinstance(index, int):
        printer.print_int(index)
    else:
        printer.print_ssa_value(index)


def is_atomic(op: Operation) -> bool:
    """Whether a load or store has an atomic ordering."""
    return op.properties.get("ordering", NOT_ATOMIC) != NOT_ATOMIC


class _AccessEffect(MemoryEffect):
    """Reads or writes; both, so that it stays, if volatile or atomic."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        read = EffectInstance(MemoryEffectKind.READ)
        write = EffectInstance(MemoryEffectKind.WRITE)
        if "volatile_" in op.properties or is_atomic(op):
            return frozenset((read, write))
        return frozenset((read if isinstance(op, LoadOp) else write,))


def _parse_access(parser: Parser) -> dict[str, Attribute]:
    """Parse `atomic syncscope("scope") ordering` and `invariant`, if present."""
    properties: dict[str, Attribute] = {"ordering": NOT_ATOMIC}
    if parser.parse_optional_keyword("atomic") is not None:
        if parser.parse_optional_keyword("syncscope") is not None:
            with parser.in_parens():
                properties["syncscope"] = StringAttr(parser.parse_str_literal())
        start = parser.pos
        keyword = parser.parse_identifier()
        orderings = {name: value for value, name in ATOMIC_ORDERING_KEYWORDS.items()}
        if keyword not in orderings:
            parser.raise_error("expected an atomic ordering", start, parser.pos)
        properties["ordering"] = IntegerAttr(orderings[keyword], i64)
    if parser.parse_optional_keyword("invariant") is not None:
        properties["invariant"] = UnitAttr()
    return properties


def _parse_access_attributes(
    parser: Parser, properties: dict[str, Attribute]
) -> dict[str, Attribute]:
    """Parse a dictionary; its inherent attributes go to `properties`."""
    attributes = parser.parse_optional_attr_dict()
    for name in ("alignment", "nontemporal"):
        if name in attributes:
            properties[name] = attributes.pop(name)
    return attributes


def is_ordered(op: LoadOp | StoreOp) -> bool:
    """Whether an access takes part in the synchronisation of threads."""
    return op.volatile is not None or op.ordering.value.data != 0


def _print_access(printer: Printer, op: LoadOp | StoreOp) -> None:
    if is_atomic(op):
        printer.print_string(" atomic ")
        if op.syncscope is not None:
            printer.print_string("syncscope(")
            printer.print_string_literal(op.syncscope.data)
            printer.print_string(") ")
        printer.print_string(ATOMIC_ORDERING_KEYWORDS[op.ordering.value.data])
    if "invariant" in op.properties:
        printer.print_string(" invariant")
    shown = ("alignment", "nontemporal")
    properties = {k: v for k, v in op.properties.items() if k in shown}
    printer.print_op_attributes(properties | op.attributes)


def _check_alignment(alignment: IntegerAttr[I64] | None) -> None:
    if alignment is None:
        return
    value = alignment.value.data
    if value <= 0 or value & (value - 1):
        raise VerifyException(f"alignment must be a power of two, got {value}")


def _check_access(op: LoadOp | StoreOp) -> None:
    _check_alignment(op.alignment)
    if not is_atomic(op):
        return
    wrong = "release" if isinstance(op, LoadOp) else "acquire"
    name = ATOMIC_ORDERING_KEYWORDS.get(op.ordering.value.data)
    if name is None or name in (wrong, "acq_rel"):
        raise VerifyException(
            "ordering must be one of LLVM's for such an access, got"
            f" {name or op.ordering.value.data}"
        )
    if op.alignment is None:
        raise VerifyException("must have an alignment when it is atomic, got none")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Load a scalar, or a vector in one access; `alignment` in bytes.

    ```mlir
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    ```
    """

    name = "llvm.load"

    addr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64], default_value=NOT_ATOMIC)
    syncscope = opt_prop_def(StringAttr)
    volatile = opt_prop_def(UnitAttr, prop_name="volatile_")
    nontemporal = opt_prop_def(UnitAttr)
    invariant = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(_AccessEffect())

    def __init__(
        self,
        addr: Value,
        result_type: Attribute,
        *,
        alignment: int | None = None,
        volatile: bool = False,
        invariant: bool = False,
        ordering: int = 0,
        syncscope: str = "",
    ):
        super().__init__(
            operands=[addr],
            properties={
                "alignment": _integer(alignment),
                "ordering": IntegerAttr(int(ordering), i64),
                "syncscope": StringAttr(syncscope) if syncscope else None,
                "volatile_": _unit(volatile),
                "invariant": _unit(invariant),
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        _check_access(self)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        addr = parser.parse_unresolved_operand()
        properties = _parse_access(parser)
        if volatile:
            properties["volatile_"] = UnitAttr()
        attributes = _parse_access_attributes(parser, properties)
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation("->")
        return cls.build(
            operands=[parser.resolve_operand(addr, type_)],
            properties=properties,
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile is not None else " ")
        printer.print_ssa_value(self.addr)
        _print_access(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.addr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Store a scalar, or a vector in one access; `alignment` in bytes.

    ```mlir
    llvm.store %v, %p {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    ```
    """

    name = "llvm.store"

    value = operand_def()
    addr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64], default_value=NOT_ATOMIC)
    syncscope = opt_prop_def(StringAttr)
    volatile = opt_prop_def(UnitAttr, prop_name="volatile_")
    nontemporal = opt_prop_def(UnitAttr)

    traits = traits_def(_AccessEffect())

    def __init__(
        self,
        value: Value,
        addr: Value,
        *,
        alignment: int | None = None,
        volatile: bool = False,
        ordering: int = 0,
        syncscope: str = "",
    ):
        super().__init__(
            operands=[value, addr],
            properties={
                "alignment": _integer(alignment),
                "ordering": IntegerAttr(int(ordering), i64),
                "syncscope": StringAttr(syncscope) if syncscope else None,
                "volatile_": _unit(volatile),
            },
        )

    def verify_(self) -> None:
        _check_access(self)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        addr = parser.parse_unresolved_operand()
        properties = _parse_access(parser)
        if volatile:
            properties["volatile_"] = UnitAttr()
        attributes = _parse_access_attributes(parser, properties)
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        addr_type = parser.parse_type()
        return cls.build(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(addr, addr_type),
            ],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile is not None else " ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.addr)
        _print_access(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.addr.type)


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A global variable; without an initial value, its contents are undefined.

    Dynamic shared memory is an external one in address space 3, of no size; its
    alignment is in bytes.

    ```mlir
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64}
        : !llvm.array<0 x i8>
    ```
    """

    name = "llvm.mlir.global"

    sym_name = prop_def(SymbolNameConstraint())
    global_type = prop_def()
    linkage = prop_def(LinkageAttr)
    addr_space = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    alignment = opt_prop_def(IntegerAttr[I64])
    value = opt_prop_def()
    constant = opt_prop_def(UnitAttr)
    dso_local = opt_prop_def(UnitAttr)
    thread_local = opt_prop_def(UnitAttr, prop_name="thread_local_")
    externally_initialized = opt_prop_def(UnitAttr)
    section = opt_prop_def(StringAttr)
    unnamed_addr = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    visibility = prop_def(
        IntegerAttr[I64], default_value=IntegerAttr(0, i64), prop_name="visibility_"
    )
    initializer = region_def()

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        sym_name: str,
        global_type: Attribute,
        linkage: str = "external",
        *,
        addr_space: int = 0,
        alignment: int | None = None,
        value: Attribute | None = None,
        constant: bool = False,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "global_type": global_type,
                "linkage": LinkageAttr(linkage),
                "addr_space": IntegerAttr(addr_space, i32),
                "alignment": _integer(alignment),
                "value": value,
                "constant": _unit(constant),
            },
            regions=[Region()],
        )

    def verify_(self) -> None:
        _check_alignment(self.alignment)
        if self.addr_space.value.data < 0:
            raise VerifyException(
                f"addr_space must not be negative, got {self.addr_space.value.data}"
            )
        if self.value is not None and self.initializer.blocks:
            raise VerifyException("must have a value or an initializer, got both")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        properties: dict[str, Attribute] = {}
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties["linkage"] = LinkageAttr(linkage)
        if parser.parse_optional_keyword("thread_local") is not None:
            properties["thread_local_"] = UnitAttr()
        if keyword := parser.parse_optional_keyword_in(UNNAMED_ADDR.values()):
            value = next(k for k, v in UNNAMED_ADDR.items() if v == keyword)
            properties["unnamed_addr"] = IntegerAttr(value, i64)
        if parser.parse_optional_keyword("constant") is not None:
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        with parser.in_parens():
            value = parser.parse_optional_attribute()
        if value is not None:
            properties["value"] = value
        attributes = parser.parse_optional_attr_dict()
        names = cls.get_irdl_definition().properties
        for name in [name for name in attributes if name in names]:
            properties[name] = attributes.pop(name)
        parser.parse_punctuation(":")
        properties["global_type"] = parser.parse_type()
        region = parser.parse_optional_region()
        return cls.build(
            properties=properties, attributes=attributes, regions=[region or Region()]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.linkage.linkage.data}")
        if self.thread_local is not None:
            printer.print_string(" thread_local")
        if keyword := UNNAMED_ADDR.get(self.unnamed_addr.value.data):
            printer.print_string(f" {keyword}")
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            if self.value is not None:
                printer.print_attribute(self.value)
        defaults = self.get_irdl_definition().properties
        shown = {
            name: attribute
            for name, attribute in self.properties.items()
            if name not in GLOBAL_SYNTAX and attribute != defaults[name].default_value
        }
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.global_type)
        if self.initializer.blocks:
            printer.print_string(" ")
            printer.print_region(self.initializer)


OPS = (AddressOfOp, GEPOp, GlobalOp, LoadOp, StoreOp)
