"""`llvm.func`, as upstream prints and reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.llvm import (
    CallingConventionAttr,
    FramePointerKindAttr,
    LinkageAttr,
    LLVMFunctionType,
    LLVMVoidType,
    TargetFeaturesAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.llvm_ext.memory import LINKAGES, UNNAMED_ADDR

KERNEL = "nvvm.kernel"
"""The attribute that makes a function one that the host launches."""

VISIBILITIES = {1: "hidden", 2: "protected"}
"""How `visibility_` is written."""

FUNCTION_SYNTAX = (
    "sym_name",
    "function_type",
    "arg_attrs",
    "res_attrs",
    "linkage",
    "CConv",
    "visibility_",
    "unnamed_addr",
)
"""The properties of a function that stand outside the dictionary."""


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A function; with the attribute `nvvm.kernel`, one that the host launches.

    A TMA descriptor is an argument by value: `llvm.byval` with its type, `llvm.align`
    and `nvvm.grid_constant` on a generic pointer.

    ```mlir
    llvm.func @kernel(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>,
                                       llvm.align = 64 : i64, nvvm.grid_constant},
                      %n: i32)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
      llvm.return
    }
    ```
    """

    name = "llvm.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(LLVMFunctionType)
    linkage = prop_def(LinkageAttr, default_value=LinkageAttr("external"))
    calling_convention = prop_def(
        CallingConventionAttr,
        default_value=CallingConventionAttr("ccc"),
        prop_name="CConv",
    )
    visibility = prop_def(
        IntegerAttr[I64], default_value=IntegerAttr(0, i64), prop_name="visibility_"
    )
    unnamed_addr = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    dso_local = opt_prop_def(UnitAttr)
    frame_pointer = opt_prop_def(FramePointerKindAttr)
    always_inline = opt_prop_def(UnitAttr)
    no_inline = opt_prop_def(UnitAttr)
    no_unwind = opt_prop_def(UnitAttr)
    optimize_none = opt_prop_def(UnitAttr)
    convergent = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    passthrough = opt_prop_def(ArrayAttr)
    target_cpu = opt_prop_def(StringAttr)
    tune_cpu = opt_prop_def(StringAttr)
    target_features = opt_prop_def(TargetFeaturesAttr)
    body = region_def()

    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    def __init__(
        self,
        sym_name: str,
        function_type: LLVMFunctionType | Sequence[Attribute],
        body: Region | None = None,
        *,
        arg_attrs: Sequence[Mapping[str, Attribute]] | None = None,
        linkage: str = "external",
        attributes: Mapping[str, Attribute] | None = None,
    ):
        """A sequence of types is that of a function without a result.

        Without a body the function has one empty block; `Region()` declares it.
        """
        if not isinstance(function_type, LLVMFunctionType):
            function_type = LLVMFunctionType(function_type)
        if body is None:
            body = Region(Block(arg_types=function_type.inputs.data))
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "function_type": function_type,
                "linkage": LinkageAttr(linkage),
                "CConv": CallingConventionAttr("ccc"),
                "arg_attrs": None
                if arg_attrs is None
                else ArrayAttr(DictionaryAttr(dict(a)) for a in arg_attrs),
            },
            attributes=dict(attributes or {}),
            regions=[body],
        )

    @property
    def is_kernel(self) -> bool:
        """Whether the host launches it."""
        return KERNEL in self.attributes

    def argument_attributes(self, index: int) -> Mapping[str, Attribute]:
        """The attributes of one argument."""
        return {} if self.arg_attrs is None else self.arg_attrs.data[index].data

    def verify_(self) -> None:
        inputs = self.function_type.inputs.data
        if self.arg_attrs is not None and len(self.arg_attrs) != len(inputs):
            raise VerifyException(
                f"must have one dictionary of attributes for each of {len(inputs)}"
                f" arguments, got {len(self.arg_attrs)}"
            )
        if self.is_kernel and not isinstance(self.function_type.output, LLVMVoidType):
            raise VerifyException(
                f"must return no value as a kernel, got {self.function_type.output}"
            )
        if not self.body.blocks:
            if self.is_kernel:
                raise VerifyException("must have a body as a kernel, got none")
            return
        types = tuple(argument.type for argument in self.body.blocks[0].args)
        if types != tuple(inputs):
            raise VerifyException(
                "entry block must have the arguments of the function type"
                f" {self.function_type}, got ({', '.join(map(str, types))})"
            )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties: dict[str, Attribute] = {
            "linkage": LinkageAttr(linkage),
            "CConv": CallingConventionAttr("ccc"),
            "visibility_": _parse_choice(parser, VISIBILITIES),
            "unnamed_addr": _parse_choice(parser, UNNAMED_ADDR),
        }
        start = parser.pos
        name, inputs, outputs, body, extra, arg_attrs, res_attrs, variadic = (
            parse_func_op_like(
                parser, reserved_attr_names=FUNCTION_SYNTAX, allow_variadic=True
            )
        )
        if len(outputs) > 1:
            parser.raise_error(
                f"expected at most one result, got {len(outputs)}", start, parser.pos
            )
        properties["sym_name"] = StringAttr(name)
        properties["function_type"] = LLVMFunctionType(
            inputs, outputs[0] if outputs else None, variadic
        )
        if arg_attrs is not None:
            properties["arg_attrs"] = arg_attrs
        if res_attrs is not None:
            properties["res_attrs"] = res_attrs
        names = cls.get_irdl_definition().properties
        attributes: dict[str, Attribute] = {}
        if extra is not None:
            for key, value in extra.data.items():
                (properties if key in names else attributes)[key] = value
        return cls.build(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        if self.linkage.linkage.data != "external":
            printer.print_string(f" {self.linkage.linkage.data}")
        for choice, names in (
            (self.visibility, VISIBILITIES),
            (self.unnamed_addr, UNNAMED_ADDR),
        ):
            if name := names.get(choice.value.data):
                printer.print_string(f" {name}")
        output = self.function_type.output
        shown = {k: v for k, v in self.properties.items() if k not in FUNCTION_SYNTAX}
        print_func_op_like(
            printer,
            self.sym_name,
            FunctionType.from_lists(
                self.function_type.inputs.data,
                () if isinstance(output, LLVMVoidType) else (output,),
            ),
            self.body,
            shown | self.attributes,
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=(),
            is_variadic=self.function_type.is_variadic,
            print_empty_outputs=False,
        )


def _parse_choice(parser: Parser, names: Mapping[int, str]) -> IntegerAttr[I64]:
    keyword = parser.parse_optional_keyword_in(names.values())
    return IntegerAttr(next((k for k, v in names.items() if v == keyword), 0), i64)


OPS = (FuncOp,)
