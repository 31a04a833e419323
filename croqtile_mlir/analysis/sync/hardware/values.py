"""What the values of a kernel of hardware level are, as expressions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i1, i32, i64
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from croqtile_mlir.analysis.sync.hardware.clusters import (
    cluster_of,
    cluster_register,
)
from croqtile_mlir.analysis.sync.integer_ops import NAMES
from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.llvm_ext import (
    AddressOfOp,
    AddrSpaceCastOp,
    FuncOp,
    GEPOp,
    GlobalOp,
    IntToPtrOp,
    PtrToIntOp,
)
from croqtile_mlir.dialects.nvvm.operands import address_space

SHARED_SPACES = (3, 7)
WARP_LANES = 32
_POSITIVE = (0, math.inf)
_INT32 = (0, 2**31 - 1)
_BLOCK_REGISTERS = frozenset(
    f"nvvm.read.ptx.sreg.{name}.{axis}"
    for name in ("ctaid", "nctaid", "clusterid", "nclusterid")
    for axis in "xyz"
) | {"nvvm.read.ptx.sreg.dynamic.smem.size"}
_AXES = ("x", "y", "z")
_ELEMENT_BYTES: Mapping[Attribute, int] = MappingProxyType({i1: 1, i32: 4, i64: 8})


def element_bytes(type_: Attribute) -> int | None:
    """Bytes of a type in memory; None where that is not known here."""
    from croqtile_mlir.dialects.llvm_ext.types import bit_width

    if isinstance(type_, LLVMPointerType):
        return 4 if space(type_) in SHARED_SPACES else 8
    bits = bit_width(type_)
    return None if bits is None else (bits + 7) // 8


def space(type_: Attribute) -> int:
    """The address space of a pointer; 0 is generic."""
    return address_space(type_) or 0


def block_extents(function: FuncOp) -> tuple[int, int, int]:
    """The extents of a block; `nvvm.reqntid` says them."""
    value = function.attributes.get("nvvm.reqntid")
    if not isinstance(value, DenseArrayBase):
        raise NotModelled(
            function,
            "the number of threads of a block is not known",
            "give the kernel the attribute nvvm.reqntid",
        )
    extents = [int(extent) for extent in value.iter_values()]
    x, y, z = [*extents, 1, 1, 1][:3]
    return x, y, z


@dataclass
class Values:
    """Translates values in the order of the program."""

    function: FuncOp
    make: Expressions = field(default_factory=Expressions)
    known: dict[SSAValue, Expr] = field(default_factory=dict[SSAValue, Expr])
    launch: set[Expr] = field(default_factory=set[Expr])
    """Variables that the launch decides, the same for all threads of a block."""

    parameters: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The arguments of the kernel, and their number."""

    def __post_init__(self) -> None:
        self.extents = block_extents(self.function)
        threads = math.prod(self.extents)
        if threads % WARP_LANES:
            raise NotModelled(
                self.function,
                f"a block of {threads} threads, which are no whole number of warps",
            )
        self.threads = threads
        warps = threads // WARP_LANES
        self.warp = self.make.variable("warp", (0, warps - 1))
        self.lane = self.make.variable("lane", (0, WARP_LANES - 1), lanes=True)
        first = self.make.apply("shl", self.warp, Constant(5))
        self.thread = self.make.apply("add", first, self.lane)
        self.cluster = cluster_of(self.function, self.make)
        self._registers: dict[str, Expr] = {}
        self._symbols = self._layout()
        for argument in self.function.body.blocks[0].args:
            self.parameters[argument] = argument.index
            limits = _INT32 if argument.type == i32 else (-math.inf, math.inf)
            if isinstance(argument.type, LLVMPointerType):
                limits = _POSITIVE
            name = argument.name_hint or f"parameter {argument.index}"
            self.known[argument] = self.launched(name, limits)

    def launched(self, name: str, limits: tuple[float, float]) -> Variable:
        """A variable that the launch decides."""
        made = self.make.variable(name, limits)
        self.launch.add(made)
        return made

    def _layout(self) -> dict[str, int]:
        """Addresses for the shared globals: those of known size first."""
        module = self.function.parent_op()
        found: dict[str, int] = {}
        if module is None:
            return found
        offset = 0
        open_ended: list[str] = []
        for op in module.walk():
            if not isinstance(op, GlobalOp):
                continue
            if op.addr_space.value.data != 3:
                continue
            name = op.sym_name.data
            type_ = op.global_type
            count = type_.size.data if isinstance(type_, LLVMArrayType) else 1
            inner = type_.type if isinstance(type_, LLVMArrayType) else type_
            size = count * (element_bytes(inner) or 8)
            if size == 0:
                open_ended.append(name)
                continue
            found[name] = offset
            offset = -(-(offset + size) // 1024) * 1024
        return found | dict.fromkeys(open_ended, offset)

    # Values

    def of(self, value: SSAValue) -> Expr:
        """The expression of a value."""
        known = self.known.get(value)
        if known is not None:
            return known
        owner = value.owner
        if isinstance(owner, Block):
            place = owner.parent_op() or self.function
            return Unknown("an argument of a block", place)
        return Unknown(f"the result of {owner.name}", owner)

    def visit(self, op: Operation, elected: Expr) -> None:
        """Translate the results of an op; `elected` is the lane that elect takes."""
        if len(op.results) != 1:
            return
        found = self._result(op, elected)
        if found is not None:
            self.known[op.results[0]] = found

    def _result(self, op: Operation, elected: Expr) -> Expr | None:
        if op.name in NAMES:
            return self.make.of(op, [self.of(operand) for operand in op.operands])
        if op.name.startswith("nvvm.read.ptx.sreg."):
            return self._register(op)
        match op:
            case AddressOfOp():
                return self._symbol(op)
            case GEPOp():
                return self._element(op)
            case AddrSpaceCastOp() | IntToPtrOp():
                return self.of(op.value)
            case PtrToIntOp():
                bits = op.result.type
                value = self.of(op.value)
                if isinstance(bits, IntegerType):
                    return self.make.truncated(value, bits.bitwidth)
                return value
            case nvvm.ElectSyncOp():
                return self._elected(op, elected)
            case nvvm.ShflSyncOp():
                return self._shuffled(op)
            case nvvm.VoteSyncOp():
                return self._voted(op)
            case _:
                return None

    def _register(self, op: Operation) -> Expr | None:
        name = op.name
        short = name.removeprefix("nvvm.read.ptx.sreg.")
        if short in ("ctaid.x", "ctaid.y", "ctaid.z") and self.cluster.blocks > 1:
            return self._block_index(_AXES.index(short[-1]))
        if name in _BLOCK_REGISTERS:
            return self._of_launch(short, op.results[0].name_hint or short)
        x, y, _ = self.extents
        make = self.make
        match short:
            case "tid.x":
                return (
                    make.apply("mod", self.thread, Constant(x))
                    if (x != self.threads)
                    else self.thread
                )
            case "tid.y":
                row = make.apply("floordiv", self.thread, Constant(x))
                return make.apply("mod", row, Constant(y))
            case "tid.z":
                return make.apply("floordiv", self.thread, Constant(x * y))
            case "laneid":
                return self.lane
            case "warpsize":
                return Constant(WARP_LANES)
            case "ntid.x" | "ntid.y" | "ntid.z":
                return Constant(self.extents[_AXES.index(name[-1])])
            case _:
                return cluster_register(short, self.cluster)

    def _of_launch(self, register: str, name: str) -> Expr:
        """A register that is one for all threads of a cluster, and its peers."""
        if register not in self._registers:
            self._registers[register] = self.launched(name, _INT32)
        return self._registers[register]

    def _block_index(self, axis: int) -> Expr:
        """The index in the grid, from those of the cluster and in the cluster."""
        name = f"clusterid.{_AXES[axis]}"
        extent = Constant(self.cluster.extents[axis])
        first = self.make.apply("mul", self._of_launch(name, name), extent)
        return self.make.apply("add", first, self.cluster.indices[axis])

    def _symbol(self, op: AddressOfOp) -> Expr | None:
        if space(op.result.type) != 3:
            return None
        offset = self._symbols.get(op.global_name.root_reference.data)
        return None if offset is None else Constant(offset)

    def _element(self, op: GEPOp) -> Expr | None:
        size = element_bytes(op.element_type)
        if len(op.indices) != 1 or size is None:
            return None
        (index,) = op.indices
        offset = Constant(index) if isinstance(index, int) else self.of(index)
        scaled = self.make.apply("mul", offset, Constant(size))
        return self.make.apply("add", self.of(op.base), scaled)

    def _elected(self, op: nvvm.ElectSyncOp, elected: Expr) -> Expr:
        if op.mask is not None:
            mask = self.of(op.mask)
            if not isinstance(mask, Constant):
                return Unknown("the lane that elect.sync takes", op)
            if mask.value & 0xFFFFFFFF != 0xFFFFFFFF:
                bits = mask.value & 0xFFFFFFFF
                elected = Constant((bits & -bits).bit_length() - 1)
        if isinstance(elected, Unknown):
            return elected
        return self.make.apply("eq", self.lane, elected)

    def _shuffled(self, op: nvvm.ShflSyncOp) -> Expr | None:
        value = self.of(op.value)
        if op.return_value_and_is_valid is not None:
            return None
        if not self.varies(value):
            return value
        offset, clamp = self.of(op.offset), self.of(op.clamp)
        if op.kind.data is nvvm.ShflKind.Idx and clamp == Constant(WARP_LANES - 1):
            if not self.varies(offset):
                return self.make.substitute(value, {self.lane: offset}, {})
        return None

    def _voted(self, op: nvvm.VoteSyncOp) -> Expr | None:
        value = self.of(op.predicate)
        if self.varies(value):
            return None
        if op.kind.data is nvvm.VoteSyncKind.Ballot:
            return self.make.apply("select", value, self.of(op.mask), Constant(0))
        if op.kind.data is nvvm.VoteSyncKind.Uni:
            return Constant(1)
        return value

    def varies(self, expr: Expr) -> bool:
        """Whether an expression may differ between the lanes of a warp."""
        return any(
            variable is self.lane
            or isinstance(variable, Unknown)
            or (isinstance(variable, Variable) and variable.lanes)
            for variable in self.make.variables(expr)
        )
