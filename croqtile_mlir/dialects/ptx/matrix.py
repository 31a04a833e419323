"""
Matrix instructions of a warpgroup (`wgmma`, PTX ISA 9.7.15) and of a warp (`mma.sync`,
`ldmatrix`, `stmatrix`, PTX ISA 9.7.14).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B64_REGISTER,
    GROUP,
    PREDICATE_REGISTER,
    Registers,
)
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    GuardedOp,
    Version,
    dotted,
)
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    MemoryOperand,
    Register,
    RegisterOrImmediate,
    Source,
    address_text,
    pack_offset,
    pack_source,
    source_text,
    type_of,
)
from croqtile_mlir.dialects.ptx.types import GroupType, PTXType, RegisterKind
from croqtile_mlir.targets.architecture import Feature

_FORM = re.compile(r"m(\d+)n(\d+)k(\d+)((?:\.\w+)+)")

WGMMA_DEPTHS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 8,
    "e4m3": 32,
    "e5m2": 32,
    "s8": 32,
    "u8": 32,
    "b1": 256,
}
"""K of one `wgmma` for each type of A."""


@dataclass(frozen=True)
class MatrixForm:
    """The shape and the types in the suffix of a matrix instruction."""

    m: int
    n: int
    k: int
    types: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> MatrixForm:
        """
        The form written `m64n128k16.f32.f16.f16`.

        Raises:
            VerifyException: it is not written so.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise VerifyException(
                f"form must be like m64n128k16.f32.f16.f16, got {text}"
            )
        types = tuple(match[4][1:].split("."))
        return MatrixForm(int(match[1]), int(match[2]), int(match[3]), types)


class _WarpgroupOp(AssemblyOp):
    """An instruction of a whole warpgroup about its `wgmma` operations."""

    FEATURE: ClassVar[Feature | None] = "wgmma"
    VERSION: ClassVar[Version] = (8, 0)

    SYNTAX: ClassVar[str] = "attr-dict"

    def __init__(self):
        super().__init__()

    def assembly_line(self) -> str | None:
        return f"{self.name.removeprefix('ptx.')}.sync.aligned;"


@irdl_op_definition
class WgmmaFenceOp(_WarpgroupOp):
    """
    Order accesses to registers and shared memory before the `wgmma` that follow.

    `ptx.wgmma.fence` prints `wgmma.fence.sync.aligned;`
    """

    name = "ptx.wgmma.fence"


@irdl_op_definition
class WgmmaCommitGroupOp(_WarpgroupOp):
    """
    The `wgmma` so far become a group.

    `ptx.wgmma.commit_group` prints `wgmma.commit_group.sync.aligned;`
    """

    name = "ptx.wgmma.commit_group"


@irdl_op_definition
class WgmmaWaitGroupOp(_WarpgroupOp):
    """
    Wait until at most so many of the latest groups are pending.

    `ptx.wgmma.wait_group 1` prints `wgmma.wait_group.sync.aligned 1;`
    """

    name = "ptx.wgmma.wait_group"

    pending = prop_def(IntegerAttr.constr(type=i32))

    SYNTAX: ClassVar[str] = "$pending attr-dict"

    def __init__(self, pending: int):
        AssemblyOp.__init__(self, properties={"pending": IntegerAttr(pending, i32)})

    def assembly_line(self) -> str | None:
        return f"wgmma.wait_group.sync.aligned {self.pending.value.data};"

    def verify_(self) -> None:
        if not 0 <= self.pending.value.data < 8:
            raise VerifyException(
                f"pending must be 0 to 7, got {self.pending.value.data}"
            )


@irdl_op_definition
class WgmmaMmaAsyncOp(AssemblyOp):
    """
    D = A * B + D, or without `+ D` when the scale is 0 or a false predicate. The result
    is held in the registers of the accumulator. A is a descriptor or four registers.

    `%d = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %c, %a, %b scale 1 :
    !ptx.group<f32 x 4>` prints `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
    {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;`
    """

    name = "ptx.wgmma.mma_async"
    FEATURE: ClassVar[Feature | None] = "wgmma"
    VERSION: ClassVar[Version] = (8, 0)

    form = prop_def(StringAttr)
    accumulator = operand_def(GROUP)
    a = operand_def(Registers((RegisterKind.B32, RegisterKind.B64), groups=(4,)))
    b = operand_def(B64_REGISTER)
    scale = opt_operand_def(PREDICATE_REGISTER)
    scale_immediate = opt_prop_def(IntAttr)
    satfinite = opt_prop_def(UnitAttr)
    negate_a = opt_prop_def(UnitAttr)
    negate_b = opt_prop_def(UnitAttr)
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)
    result = result_def(GROUP)

    custom_directives = (Register, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$form (`satfinite` $satfinite^)? "
        "custom<Register>($accumulator, type($accumulator)) `,` "
        "(`neg` $negate_a^)? (`trans` $transpose_a^)? custom<Register>($a, type($a)) "
        "`,` (`neg` $negate_b^)? (`trans` $transpose_b^)? "
        "custom<Register>($b, type($b)) `scale` "
        "custom<RegisterOrImmediate>($scale, type($scale), $scale_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        form: str,
        accumulator: SSAValue,
        a: SSAValue,
        b: SSAValue,
        scale: Source = 1,
        *,
        satfinite: bool = False,
        negate: tuple[bool, bool] = (False, False),
        transpose: tuple[bool, bool] = (False, False),
    ):
        register, immediate = pack_source(scale)

        def flag(value: bool) -> UnitAttr | None:
            return UnitAttr() if value else None

        super().__init__(
            operands=[accumulator, a, b, register],
            result_types=[accumulator.type],
            properties={
                "form": StringAttr(form),
                "scale_immediate": immediate,
                "satfinite": flag(satfinite),
                "negate_a": flag(negate[0]),
                "negate_b": flag(negate[1]),
                "transpose_a": flag(transpose[0]),
                "transpose_b": flag(transpose[1]),
            },
        )

    @property
    def a_in_registers(self) -> bool:
        """Whether A is in registers, not in shared memory."""
        return isinstance(self.a.type, GroupType)

    def needs_version(self) -> Version:
        types = MatrixForm.parse(self.form.data).types
        mixed = types[0] == "s32" and types[1] != types[2]
        return (8, 4) if mixed else self.VERSION

    def assembly_line(self) -> str | None:
        form = MatrixForm.parse(self.form.data)
        opcode = dotted(
            "wgmma.mma_async.sync.aligned",
            self.form.data,
            "satfinite" if self.satfinite else None,
        )
        operands = [
            self.register(self.accumulator),
            self.register(self.a),
            self.register(self.b),
            source_text(self, self.scale, self.scale_immediate),
        ]
        if form.types[0] != "s32":
            operands += ["-1" if self.negate_a else "1", "-1" if self.negate_b else "1"]
        if form.types[1] in ("f16", "bf16"):
            if not self.a_in_registers:
                operands.append("1" if self.transpose_a else "0")
            operands.append("1" if self.transpose_b else "0")
        return f"{opcode} {', '.join(operands)};"

    def verify_(self) -> None:
        form = MatrixForm.parse(self.form.data)
        if form.m != 64 or not (8 <= form.n <= 256 and form.n % 8 == 0):
            raise VerifyException(
                f"form must have m = 64 and n = 8, 16, .., 256, got {self.form.data}"
            )
        if len(form.types) != 3:
            raise VerifyException(
                f"form must name the types of D, A and B, got {self.form.data}"
            )
        depth = WGMMA_DEPTHS.get(form.types[1])
        if depth != form.k:
            raise VerifyException(
                f"form must have k = {depth} for {form.types[1]}, got {form.k}"
            )
        accumulator = type_of(self.accumulator)
        lanes = form.n // 4 if form.types[0] == "f16" else form.n // 2
        kind = RegisterKind.F32 if form.types[0] == "f32" else RegisterKind.B32
        if (accumulator.kind, accumulator.lanes) != (kind, lanes):
            raise VerifyException(
                f"accumulator must be {GroupType(kind, lanes)}, got {accumulator}"
            )
        a = type_of(self.a)
        wanted = RegisterKind.B32 if self.a_in_registers else RegisterKind.B64
        if a.kind is not wanted:
            raise VerifyException(
                f"a must be a b64 descriptor or 4 b32 registers, got {a}"
            )
        if self.result.type != accumulator:
            raise VerifyException(
                f"result must be in the accumulator's registers, {accumulator}, "
                f"got {self.result.type}"
            )
        scale = self.scale_immediate
        if scale is not None and scale.data not in (0, 1):
            raise VerifyException(f"scale must be 0 or 1, got {scale.data}")
        transposed = self.transpose_a or self.transpose_b
        if transposed and form.types[1] not in ("f16", "bf16"):
            raise VerifyException(
                f"trans must be of f16 or bf16 operands, got {form.types[1]}"
            )
        if self.transpose_a and self.a_in_registers:
            raise VerifyException("trans must be of A in shared memory, got registers")
        if form.types[0] == "s32" and (self.negate_a or self.negate_b):
            raise VerifyException("neg must be of floating-point operands, got s32")


@irdl_op_definition
class MmaSyncOp(AssemblyOp):
    """
    D = A * B + C by one warp.

    `%d = ptx.mma.sync "m16n8k16.row.col.f32.f16.f16.f32" %a, %b, %c :
    !ptx.group<f32 x 4>` prints `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    {%f4, %f5, %f6, %f7}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f0, %f1, %f2, %f3};`
    """

    name = "ptx.mma.sync"
    FEATURE: ClassVar[Feature | None] = "mma_sync"

    form = prop_def(StringAttr)
    a = operand_def(GROUP)
    b = operand_def(GROUP)
    c = operand_def(GROUP)
    result = result_def(GROUP)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "$form custom<Register>($a, type($a)) `,` custom<Register>($b, type($b)) `,` "
        "custom<Register>($c, type($c)) attr-dict `:` type($result)"
    )

    def __init__(
        self, form: str, a: SSAValue, b: SSAValue, c: SSAValue, result_type: PTXType
    ):
        super().__init__(
            operands=[a, b, c],
            result_types=[result_type],
            properties={"form": StringAttr(form)},
        )

    def assembly_line(self) -> str | None:
        operands = [self.result, self.a, self.b, self.c]
        registers = ", ".join(self.register(value) for value in operands)
        return f"mma.sync.aligned.{self.form.data} {registers};"

    def verify_(self) -> None:
        form = MatrixForm.parse(self.form.data)
        if form.types[:2] != ("row", "col"):
            raise VerifyException(
                f"form must have the layouts row.col, got {self.form.data}"
            )
        c, d = type_of(self.c), type_of(self.result)
        if (c.kind, c.lanes) != (d.kind, d.lanes):
            raise VerifyException(f"result must be like C, {c}, got {d}")


_MATRICES = Registers((RegisterKind.B32,), (1, 2, 4), single=False)


@irdl_op_definition
class LdmatrixOp(AssemblyOp):
    """
    1, 2 or 4 matrices of 8 x 8 16-bit elements from shared memory; `trans` transposes.

    `%g = ptx.ldmatrix [%a + 1024] : !ptx.group<b32 x 4>` prints
    `ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5+1024];`
    """

    name = "ptx.ldmatrix"
    FEATURE: ClassVar[Feature | None] = "ldmatrix"

    transposed = opt_prop_def(UnitAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    result = result_def(_MATRICES)

    traits = traits_def(MemoryReadEffect())

    custom_directives = (MemoryOperand,)

    SYNTAX: ClassVar[str] = (
        "(`trans` $transposed^)? "
        "custom<MemoryOperand>($address, type($address), $offset) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, address: Address, count: int, *, transposed: bool = False):
        super().__init__(
            operands=[address.base],
            result_types=[GroupType(RegisterKind.B32, count)],
            properties={
                "transposed": UnitAttr() if transposed else None,
                "offset": pack_offset(address),
            },
        )

    def assembly_line(self) -> str | None:
        opcode = dotted(
            f"ldmatrix.sync.aligned.m8n8.x{type_of(self.result).lanes}",
            "trans" if self.transposed else None,
            "shared.b16",
        )
        place = address_text(self, self.address, self.offset)
        return f"{opcode} {self.register(self.result)}, {place};"


@irdl_op_definition
class StmatrixOp(GuardedOp):
    """
    1, 2 or 4 matrices of 8 x 8 16-bit elements to shared memory; `trans` transposes.

    `ptx.stmatrix [%a], %g` prints
    `stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2, %r3, %r4};`
    """

    name = "ptx.stmatrix"
    FEATURE: ClassVar[Feature | None] = "stmatrix"
    VERSION: ClassVar[Version] = (7, 8)

    transposed = opt_prop_def(UnitAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    value = operand_def(_MATRICES)

    traits = traits_def(MemoryWriteEffect())

    custom_directives = (Guard, MemoryOperand, Register)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) (`trans` $transposed^)? "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<Register>($value, type($value)) attr-dict"
    )

    def __init__(self, address: Address, value: SSAValue, *, transposed: bool = False):
        super().__init__(
            operands=[address.base, value, None],
            properties={
                "transposed": UnitAttr() if transposed else None,
                "offset": pack_offset(address),
            },
        )

    def instruction(self) -> str:
        opcode = dotted(
            f"stmatrix.sync.aligned.m8n8.x{type_of(self.value).lanes}",
            "trans" if self.transposed else None,
            "shared.b16",
        )
        place = address_text(self, self.address, self.offset)
        return f"{opcode} {place}, {self.register(self.value)}"


OPS = (
    LdmatrixOp,
    MmaSyncOp,
    StmatrixOp,
    WgmmaCommitGroupOp,
    WgmmaFenceOp,
    WgmmaMmaAsyncOp,
    WgmmaWaitGroupOp,
)
