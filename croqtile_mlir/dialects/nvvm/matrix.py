"""Matrix ops of one warp: `ldmatrix`, `stmatrix`, `mma.sync`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    IntegerAttr,
    VectorType,
    f16,
    f32,
    i32,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    eq,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    LdStMatrixEltType,
    LdStMatrixEltTypeAttr,
    LdStMatrixShapeAttr,
    MMAIntOverflow,
    MMAIntOverflowAttr,
    MMALayout,
    MMALayoutAttr,
    MMAShapeAttr,
    MMAType,
    MMATypeAttr,
)
from croqtile_mlir.dialects.nvvm.operands import SHARED, Value, check_space

MATRIX_COUNTS = (1, 2, 4)


def _check_matrices(
    count: int, shape: LdStMatrixShapeAttr, element: LdStMatrixEltType
) -> None:
    if count not in MATRIX_COUNTS:
        raise VerifyException(f"must have 1, 2 or 4 matrices, got {count}")
    if shape.extents != (8, 8):
        raise VerifyException(
            f"shape must be m = 8, n = 8, got m = {shape.m.data}, n = {shape.n.data}"
        )
    if element is not LdStMatrixEltType.B16:
        raise VerifyException(f"element type must be b16, got {element.value}")


@irdl_op_definition
class LdMatrixOp(IRDLOperation):
    """Load 1, 2 or 4 matrices of 8 x 8 16-bit elements from shared memory.

    Lane 8*i + r of the warp gives the address of row r of matrix i. Layout `col`
    transposes. The result is one i32 (two elements), or a struct of them.

    ```mlir
    %r = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<row>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>}
        : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    ```
    """

    name = "nvvm.ldmatrix"

    addr = operand_def(LLVMPointerType)
    count = prop_def(IntegerAttr.constr(type=eq(i32)), prop_name="num")
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    element_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect())

    assembly_format = "$addr attr-dict `:` functional-type(operands, results)"

    def __init__(self, addr: Value, count: int = 4, layout: MMALayout = MMALayout.Row):
        super().__init__(
            operands=[addr],
            properties={
                "num": IntegerAttr(count, i32),
                "layout": MMALayoutAttr(layout),
                "shape": LdStMatrixShapeAttr(8, 8),
                "eltType": LdStMatrixEltTypeAttr(LdStMatrixEltType.B16),
            },
            result_types=[_packed(count)],
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", SHARED)
        count = self.count.value.data
        _check_matrices(count, self.shape, self.element_type.data)
        if self.result.type != _packed(count):
            raise VerifyException(
                f"result must be {_packed(count)} for {count} matrices, got"
                f" {self.result.type}"
            )


def _packed(count: int) -> Attribute:
    """`count` registers of a result: a lone i32, or a struct."""
    return i32 if count == 1 else LLVMStructType.from_type_list([i32] * count)


@irdl_op_definition
class StMatrixOp(IRDLOperation):
    """Store 1, 2 or 4 matrices of 8 x 8 16-bit elements to shared memory.

    Lane 8*i + r gives the address of row r of matrix i; each source is two elements
    of a row of its matrix. Layout `col` transposes.

    ```mlir
    nvvm.stmatrix %p, %a, %b {layout = #nvvm.mma_layout<row>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
        eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    ```
    """

    name = "nvvm.stmatrix"

    addr = operand_def(LLVMPointerType)
    sources = var_operand_def(i32)
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    element_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$addr `,` $sources attr-dict `:` type(operands)"

    def __init__(
        self,
        addr: Value,
        sources: Sequence[Value],
        layout: MMALayout = MMALayout.Row,
    ):
        super().__init__(
            operands=[addr, sources],
            properties={
                "layout": MMALayoutAttr(layout),
                "shape": LdStMatrixShapeAttr(8, 8),
                "eltType": LdStMatrixEltTypeAttr(LdStMatrixEltType.B16),
            },
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", SHARED)
        _check_matrices(len(self.sources), self.shape, self.element_type.data)


F16X2 = VectorType(f16, [2])


@dataclass(frozen=True)
class MmaKind:
    """Registers of one `mma.sync`: types and counts of A, B, C and D."""

    a: tuple[Attribute, int]
    b: tuple[Attribute, int]
    c: tuple[tuple[Attribute, int], ...]


_F32 = (f32, 4)
_INT = (i32, 4)

MMA_KINDS = {
    ((16, 8, 8), MMAType.F16): MmaKind((F16X2, 2), (F16X2, 1), (_F32, (F16X2, 2))),
    ((16, 8, 16), MMAType.F16): MmaKind((F16X2, 4), (F16X2, 2), (_F32, (F16X2, 2))),
    ((16, 8, 8), MMAType.BF16): MmaKind((i32, 2), (i32, 1), (_F32,)),
    ((16, 8, 16), MMAType.BF16): MmaKind((i32, 4), (i32, 2), (_F32,)),
    ((16, 8, 4), MMAType.TF32): MmaKind((i32, 2), (i32, 1), (_F32,)),
    ((16, 8, 8), MMAType.TF32): MmaKind((i32, 4), (i32, 2), (_F32,)),
    ((16, 8, 16), MMAType.S8): MmaKind((i32, 2), (i32, 1), (_INT,)),
    ((16, 8, 32), MMAType.S8): MmaKind((i32, 4), (i32, 2), (_INT,)),
}
"""By shape and type of A; `u8` is as `s8`. PTX ISA, "mma"."""

INTEGERS = (MMAType.S8, MMAType.U8)


@irdl_op_definition
class MmaSyncOp(IRDLOperation):
    """D = A * B + C by one warp, on registers.

    ```mlir
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>,
         multiplicandBPtxType = #nvvm.mma_type<bf16>,
         shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    ```
    """

    name = "nvvm.mma.sync"

    a = var_operand_def()
    b = var_operand_def()
    c = var_operand_def()
    shape = prop_def(MMAShapeAttr)
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    type_a = prop_def(MMATypeAttr, prop_name="multiplicandAPtxType")
    type_b = prop_def(MMATypeAttr, prop_name="multiplicandBPtxType")
    overflow = opt_prop_def(MMAIntOverflowAttr, prop_name="intOverflowBehavior")
    result = result_def(LLVMStructType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        a: Sequence[Value],
        b: Sequence[Value],
        c: Sequence[Value],
        m: int,
        n: int,
        k: int,
        type_a: MMAType,
        type_b: MMAType,
        layout_a: MMALayout = MMALayout.Row,
        layout_b: MMALayout = MMALayout.Col,
        *,
        overflow: MMAIntOverflow | None = None,
    ):
        super().__init__(
            operands=[a, b, c],
            properties={
                "shape": MMAShapeAttr(m, n, k),
                "layoutA": MMALayoutAttr(layout_a),
                "layoutB": MMALayoutAttr(layout_b),
                "multiplicandAPtxType": MMATypeAttr(type_a),
                "multiplicandBPtxType": MMATypeAttr(type_b),
                "intOverflowBehavior": None
                if overflow is None
                else MMAIntOverflowAttr(overflow),
            },
            result_types=[
                LLVMStructType.from_type_list([SSAValue.get(v).type for v in c])
            ],
        )

    def verify_(self) -> None:
        a, b = self.type_a.data, self.type_b.data
        if a != b and not (a in INTEGERS and b in INTEGERS):
            raise VerifyException(
                f"types of A and B must agree, got {a.value} and {b.value}"
            )
        key = MMAType.S8 if a is MMAType.U8 else a
        kind = MMA_KINDS.get((self.shape.extents, key))
        if kind is None:
            shapes = [str(MMAShapeAttr(*s)) for s, t in MMA_KINDS if t is key]
            raise VerifyException(
                f"shape must be {' or '.join(shapes)} for {a.value}, got {self.shape}"
                if shapes
                else f"type of A must be f16, bf16, tf32, s8 or u8, got {a.value}"
            )
        if (self.layout_a.data, self.layout_b.data) != (MMALayout.Row, MMALayout.Col):
            raise VerifyException(
                "layouts must be row for A and col for B, got"
                f" {self.layout_a.data.value} and {self.layout_b.data.value}"
            )
        if (self.overflow is not None) != (a in INTEGERS):
            raise VerifyException(
                "must have an intOverflowBehavior just when A and B are integers"
            )
        _check_registers("A", self.a, (kind.a,))
        _check_registers("B", self.b, (kind.b,))
        _check_registers("C", self.c, kind.c)
        wanted = LLVMStructType.from_type_list([v.type for v in self.c])
        if self.result.type != wanted:
            raise VerifyException(f"result must be {wanted}, got {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> MmaSyncOp:
        groups = [_parse_group(parser, name) for name in "ABC"]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        if len(types) != len(groups):
            parser.raise_error(f"expected 3 types, of A, B and C, got {len(types)}")
        parser.parse_punctuation("->")
        result = parser.parse_type()
        names = set(cls.get_irdl_definition().properties)
        properties = {k: v for k, v in attributes.items() if k in names}
        for name, type_ in zip(
            ("multiplicandAPtxType", "multiplicandBPtxType"), types, strict=False
        ):
            if type_ == F16X2:
                properties.setdefault(name, MMATypeAttr(MMAType.F16))
        return cls.build(
            operands=[
                parser.resolve_operands(group, [type_] * len(group), parser.pos)
                for group, type_ in zip(groups, types, strict=True)
            ],
            properties=properties,
            attributes={k: v for k, v in attributes.items() if k not in names},
            result_types=[result],
        )

    def print(self, printer: Printer) -> None:
        for name, values in zip("ABC", (self.a, self.b, self.c), strict=True):
            printer.print_string(f" {name}")
            with printer.in_square_brackets():
                printer.print_list(values, printer.print_ssa_value)
        properties = {
            k: v for k, v in self.properties.items() if k != "operandSegmentSizes"
        }
        printer.print_op_attributes(properties | self.attributes)
        printer.print_string(" : (")
        printer.print_list(
            [values[0].type for values in (self.a, self.b, self.c)],
            printer.print_attribute,
        )
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)


def _parse_group(parser: Parser, name: str):
    parser.parse_keyword(name)
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )


def _check_registers(
    name: str, values: Sequence[SSAValue], allowed: Sequence[tuple[Attribute, int]]
) -> None:
    """Raise unless the registers of an operand have one of the allowed forms."""
    for type_, count in allowed:
        if len(values) == count and all(v.type == type_ for v in values):
            return
    wanted = " or ".join(f"{count} of {type_}" for type_, count in allowed)
    got = ", ".join(str(v.type) for v in values)
    raise VerifyException(f"{name} must be {wanted}, got {len(values)} of ({got})")


OPS = (LdMatrixOp, MmaSyncOp, StMatrixOp)
