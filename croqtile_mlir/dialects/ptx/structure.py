"""What holds instructions: the module, shared memory, the kernel and its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.ptx.control import LabelOp
from croqtile_mlir.dialects.ptx.instruction import DeclaredFormatOp
from croqtile_mlir.dialects.ptx.types import (
    TYPE_ATTRS,
    InstructionType,
    InstructionTypeAttr,
)


@irdl_attr_definition
class ParameterAttr(ParametrizedAttribute):
    """
    One parameter of a kernel: `#ptx.parameter<"k_param_1", u64>`, or an array of bytes
    `#ptx.parameter<"k_param_0", b8 x 128, align 64>`.
    """

    name = "ptx.parameter"

    parameter: StringAttr
    type: InstructionTypeAttr
    count: IntAttr
    align: IntAttr

    def __init__(
        self, parameter: str, type: InstructionType, count: int = 1, align: int = 0
    ):
        super().__init__(
            StringAttr(parameter), TYPE_ATTRS[type], IntAttr(count), IntAttr(align)
        )

    def verify(self) -> None:
        if not self.parameter.data.isidentifier():
            raise VerifyException(
                f"a parameter's name must be an identifier, got {self.parameter.data}"
            )
        if self.count.data < 1:
            raise VerifyException(f"count must be positive, got {self.count.data}")
        align = self.align.data
        if align < 0 or align & (align - 1):
            raise VerifyException(f"align must be a power of two, got {align}")

    def declaration(self) -> str:
        """The parameter in the kernel's head, `.param .align 64 .b8 name[128]`."""
        align = f".align {self.align.data} " if self.align.data else ""
        extent = f"[{self.count.data}]" if self.count.data > 1 else ""
        return f".param {align}.{self.type.data} {self.parameter.data}{extent}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        count = align = 0
        with parser.in_angle_brackets():
            name = parser.parse_str_literal()
            parser.parse_punctuation(",")
            type = parser.parse_str_enum(InstructionType)
            if parser.parse_optional_keyword("x"):
                count = parser.parse_integer()
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("align")
                align = parser.parse_integer()
        return (StringAttr(name), TYPE_ATTRS[type], IntAttr(count or 1), IntAttr(align))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.parameter.data)
            printer.print_string(f", {self.type.data}")
            if self.count.data > 1:
                printer.print_string(f" x {self.count.data}")
            if self.align.data:
                printer.print_string(f", align {self.align.data}")


ExtentsAttr = DenseArrayBase.constr(i32)
"""Three extents, x first."""


@irdl_op_definition
class ModuleOp(DeclaredFormatOp):
    """
    One PTX text: its ISA version, its target, and what it declares.

    ```mlir
    ptx.module version "8.0" target "sm_90a" {
      ptx.extern_shared @smem align 1024
      ptx.entry @kernel parameters [] { ptx.ret }
    }
    ```
    """

    name = "ptx.module"

    version = prop_def(StringAttr)
    target = prop_def(StringAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolTable())

    SYNTAX: ClassVar[str] = (
        "`version` $version `target` $target attr-dict-with-keyword $body"
    )

    def __init__(self, version: str, target: str, ops: Sequence[Operation] = ()):
        super().__init__(
            properties={"version": StringAttr(version), "target": StringAttr(target)},
            regions=[Region(Block(ops))],
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        # `{}` is a region without blocks.
        if not self.regions[0].blocks:
            self.regions[0].add_block(Block())

    def clone_without_regions(
        self,
        value_mapper: dict[SSAValue, SSAValue] | None = None,
        block_mapper: dict[Block, Block] | None = None,
        *,
        clone_name_hints: bool = True,
        clone_operands: bool = True,
    ) -> Self:
        cloned = super().clone_without_regions(
            value_mapper,
            block_mapper,
            clone_name_hints=clone_name_hints,
            clone_operands=clone_operands,
        )
        # The blocks of the region come beside the one made above.
        cloned.regions[0].detach_block(0)
        return cloned

    def verify_(self) -> None:
        major, dot, minor = self.version.data.partition(".")
        if not (dot and major.isdecimal() and minor.isdecimal()):
            raise VerifyException(f"version must be like 8.0, got {self.version.data}")
        if not self.target.data.startswith("sm_"):
            raise VerifyException(f"target must be like sm_90a, got {self.target.data}")


@irdl_op_definition
class ExternSharedOp(DeclaredFormatOp):
    """
    The dynamic shared memory of a launch, an array of bytes without extent.

    `ptx.extern_shared @smem align 1024` prints
    `.extern .shared .align 1024 .b8 smem[];`
    """

    name = "ptx.extern_shared"

    sym_name = prop_def(SymbolNameConstraint())
    align = prop_def(IntegerAttr.constr(type=i32))

    traits = traits_def(SymbolOpInterface(), HasParent(ModuleOp))

    SYNTAX: ClassVar[str] = "$sym_name `align` $align attr-dict"

    def __init__(self, name: str, align: int):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "align": IntegerAttr(align, i32),
            }
        )

    def declaration(self) -> str:
        """The line that declares the array."""
        align = self.align.value.data
        return f".extern .shared .align {align} .b8 {self.sym_name.data}[];"

    def verify_(self) -> None:
        align = self.align.value.data
        if align < 1 or align & (align - 1):
            raise VerifyException(f"align must be a power of two, got {align}")


@irdl_custom_directive
class Extents(CustomDirective):
    """Three extents after a keyword that a group gives: `(256, 1, 1)`."""

    extents: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        pos = parser.pos
        values = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_integer
        )
        if len(values) != 3:
            parser.raise_error(f"extents must be 3, got {len(values)}", pos, parser.pos)
        self.extents.set(state, DenseArrayBase.from_list(i32, values))

    def set_empty(self, state: ParsingState) -> None:
        return

    def is_present(self, op: IRDLOperation) -> bool:
        return self.extents.get(op) is not None

    def is_anchorable(self) -> bool:
        return True

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        extents = self.extents.get(op)
        assert extents is not None
        state.print_whitespace(printer)
        printer.print_string(f"({_listed(extents)})")


@irdl_op_definition
class EntryOp(DeclaredFormatOp):
    """
    A kernel. Its blocks follow one another in the text as they do here. The optional
    clauses are the performance-tuning and cluster directives of PTX ISA 11.4 and 11.7.

    ```mlir
    ptx.entry @k parameters [#ptx.parameter<"k_param_0", u64>]
        reqntid(256, 1, 1) minnctapersm 1 {
      ptx.ret
    }
    ```
    """

    name = "ptx.entry"

    sym_name = prop_def(SymbolNameConstraint())
    parameters = prop_def(ArrayAttr[ParameterAttr])
    maxntid = opt_prop_def(ExtentsAttr)
    reqntid = opt_prop_def(ExtentsAttr)
    minnctapersm = opt_prop_def(IntegerAttr.constr(type=i32))
    maxnreg = opt_prop_def(IntegerAttr.constr(type=i32))
    cluster = opt_prop_def(ExtentsAttr)
    maxclusterrank = opt_prop_def(IntegerAttr.constr(type=i32))
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), HasParent(ModuleOp))

    custom_directives = (Extents,)

    SYNTAX: ClassVar[str] = (
        "$sym_name `parameters` $parameters "
        "(`maxntid` custom<Extents>($maxntid)^)? "
        "(`reqntid` custom<Extents>($reqntid)^)? "
        "(`minnctapersm` $minnctapersm^)? (`maxnreg` $maxnreg^)? "
        "(`cluster` custom<Extents>($cluster)^)? "
        "(`maxclusterrank` $maxclusterrank^)? attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        name: str,
        parameters: Sequence[ParameterAttr],
        body: Region,
        *,
        maxntid: Sequence[int] | None = None,
        reqntid: Sequence[int] | None = None,
        minnctapersm: int | None = None,
        maxnreg: int | None = None,
        cluster: Sequence[int] | None = None,
        maxclusterrank: int | None = None,
    ):
        def extents(values: Sequence[int] | None) -> Attribute | None:
            return None if values is None else DenseArrayBase.from_list(i32, values)

        def number(value: int | None) -> Attribute | None:
            return None if value is None else IntegerAttr(value, i32)

        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "parameters": ArrayAttr(parameters),
                "maxntid": extents(maxntid),
                "reqntid": extents(reqntid),
                "minnctapersm": number(minnctapersm),
                "maxnreg": number(maxnreg),
                "cluster": extents(cluster),
                "maxclusterrank": number(maxclusterrank),
            },
            regions=[body],
        )

    def directives(self) -> list[str]:
        """The directives between the parameters and the body, one a line."""
        lines: list[str] = []
        for name in ("maxntid", "reqntid"):
            extents = self.properties.get(name)
            if extents is not None:
                lines.append(f".{name} {_listed(extents)}")
        for name in ("minnctapersm", "maxnreg"):
            number = self.properties.get(name)
            if isinstance(number, IntegerAttr):
                lines.append(f".{name} {number.value.data}")
        if self.cluster is not None:
            lines.append(".explicitcluster")
            lines.append(f".reqnctapercluster {_listed(self.cluster)}")
        if self.maxclusterrank is not None:
            lines.append(f".maxclusterrank {self.maxclusterrank.value.data}")
        return lines

    def verify_(self) -> None:
        for name in ("maxntid", "reqntid", "cluster"):
            extents = self.properties.get(name)
            if extents is not None and len(_values(extents)) != 3:
                raise VerifyException(
                    f"{name} must have 3 extents, got {len(_values(extents))}"
                )
        if self.maxntid is not None and self.reqntid is not None:
            raise VerifyException("maxntid must not be given along with reqntid")
        if self.cluster is not None and self.maxclusterrank is not None:
            raise VerifyException("cluster must not be given along with maxclusterrank")
        names = [parameter.parameter.data for parameter in self.parameters]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise VerifyException(f"parameter names must differ, got {name} twice")
        labels: set[str] = set()
        for block in self.body.blocks:
            label = block.first_op
            if isinstance(label, LabelOp):
                if label.label.data in labels:
                    raise VerifyException(
                        f"labels must differ, got {label.label.data} twice"
                    )
                labels.add(label.label.data)


def _values(extents: Attribute) -> tuple[int, ...]:
    assert isa(extents, DenseArrayBase[IntegerType])
    return extents.get_values()


def _listed(extents: Attribute) -> str:
    return ", ".join(str(n) for n in _values(extents))


OPS = (
    EntryOp,
    ExternSharedOp,
    ModuleOp,
)
