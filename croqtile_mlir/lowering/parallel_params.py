"""
What a kernel takes: its parameters, its grid, and the launch plan that says so.

Part of `--lower-parallel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from croqtile_mlir.analysis.dim_expressions import RULE, NotOfDimsError, dim_expression
from croqtile_mlir.analysis.launch_checks import CHECKS as KERNEL_CHECKS
from croqtile_mlir.analysis.launch_conditions import launch_conditions
from croqtile_mlir.diagnostics import fail, location_of
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.dialects.llvm_ext import (
    AddrSpaceCastOp,
    GEPOp,
    LLVMArrayType,
    LoadOp,
    PtrToIntOp,
    pointer,
)
from croqtile_mlir.launch.fields import read_records
from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    Arg,
    Check,
    DimParam,
    LaunchPlanError,
    MultipleCheck,
    Param,
    PitchCheck,
    PointerParam,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
    WorkspaceParam,
)
from croqtile_mlir.launch.records import CHECKS

TENSOR_MAP_BYTES = 128
TENSOR_MAP_ALIGNMENT = 64
"""Bytes and alignment of a tensor map as a parameter. PTX ISA: `.param .align 64`."""

COUNT_BYTES = 4
"""Of an element of `croq.workspace`."""

TMA_ALIGNMENT = 16
"""Bytes that addresses and pitches under a tensor map are multiples of."""


def by_value_map() -> dict[str, Attribute]:
    """The attributes of a parameter that is a tensor map by value."""
    return {
        "llvm.byval": LLVMArrayType(TENSOR_MAP_BYTES, i8),
        "llvm.align": IntegerAttr(TENSOR_MAP_ALIGNMENT, i64),
        "nvvm.grid_constant": UnitAttr(),
    }


@dataclass
class Parameters:
    """
    The parameters of a kernel that are used, and the ops and names that use them.

    `names` are those of the tiles (arguments and returned buffers) and scalars.
    """

    kernel: croq.KernelOp
    names: dict[SSAValue, str]
    users: dict[Param, list[Operation]] = field(
        default_factory=dict[Param, list[Operation]]
    )

    @property
    def ordered(self) -> tuple[Param, ...]:
        """
        Tensor maps, pointers, strides, dims, scalars, each in declaration order; the
        workspace.
        """
        names = list(self.names.values())
        dims = self.kernel.dim_names

        def key(param: Param) -> tuple[int, int, int]:
            match param:
                case TensorMapParam():
                    return 0, names.index(param.arg), 0
                case PointerParam():
                    return 1, names.index(param.arg), 0
                case StrideParam():
                    return 2, names.index(param.arg), param.dim
                case DimParam():
                    return 3, dims.index(param.dim), 0
                case ScalarParam():
                    return 4, names.index(param.arg), 0
                case WorkspaceParam():
                    return 5, 0, 0

        return tuple(sorted(self.users, key=key))

    def type_of(self, param: Param) -> Attribute:
        """The type of a parameter of the function; an index is passed as i32."""
        match param:
            case TensorMapParam():
                return pointer()
            case PointerParam() | WorkspaceParam():
                return pointer(1)
            case StrideParam():
                return i64
            case DimParam():
                return i32
            case ScalarParam():
                scalar = self.value_named(param.arg).type
                if scalar == i1:
                    # A parameter has whole bytes.
                    return i8
                return i32 if isinstance(scalar, IndexType) else scalar

    def value_named(self, name: str) -> SSAValue:
        """The tile or scalar of a name."""
        return next(value for value, known in self.names.items() if known == name)

    def add(self, op: Operation) -> None:
        """Record the parameters that an op uses."""
        for param in self._params_of(op):
            self.users.setdefault(param, []).append(op)

    def _params_of(self, op: Operation) -> Iterator[Param]:
        match op:
            case croq.TensorMapOp():
                width = op.swizzle.panel_bytes or 0
                swizzle = width if width > TMA_ALIGNMENT else 0
                yield TensorMapParam(self.name_of(op, op.tile), op.box_values, swizzle)
            case croq.PointerOp() if isinstance(op.tile.owner, croq.WorkspaceOp):
                yield WorkspaceParam(COUNT_BYTES * op.tile.owner.elements)
            case croq.PointerOp():
                yield PointerParam(self.name_of(op, op.tile))
            case croq.StrideOp():
                yield StrideParam(self.name_of(op, op.tile), op.dim.data)
            case _:
                for name in index_names(op):
                    self._check_dim(op, name)
                    yield DimParam(name)
                for value in op.operands:
                    if value in self.names and not isinstance(
                        value.type, croq.TileType
                    ):
                        yield ScalarParam(self.names[value])

    def name_of(self, op: Operation, tile: SSAValue) -> str:
        """The name of a global tile."""
        if tile not in self.names:
            fail(op, "must be of an argument or a returned tile of the kernel")
        return self.names[tile]

    def _check_dim(self, op: Operation, name: str) -> None:
        if name not in self.kernel.dim_names:
            fail(
                op,
                f"must use dims of the kernel, got {name}",
                hint="--bind-params gives parameters their values",
            )


def parameter_name(param: Param) -> str:
    """A name for a parameter of the function."""
    match param:
        case TensorMapParam():
            return f"{param.arg}_map"
        case StrideParam():
            return f"{param.arg}_stride{param.dim}"
        case DimParam():
            return f"{param.dim}_extent"
        case PointerParam() | ScalarParam():
            return param.arg
        case WorkspaceParam():
            return "workspace"


def index_names(op: Operation) -> tuple[str, ...]:
    """The names of dims and parameters that an op uses as index operands."""
    values: Sequence[Index] = ()
    match op:
        case croq.DimOp():
            values = (op.dim.data,)
        case croq.CDivOp():
            values = (op.numerator, op.denominator)
        case croq.WithOp():
            values = (op.extent, op.at)
        case croq.ForeachOp():
            values = (op.lower, op.upper, op.step)
        case _:
            pass
    return tuple(value for value in values if isinstance(value, str))


def grid_map(
    kernel: croq.KernelOp, block: croq.ParallelOp, cluster: croq.ParallelOp | None
) -> AffineMap:
    """The extents of the grid along x, y and z as a map of the dims."""
    outer = block if cluster is None else cluster
    extents = [_extent(kernel, outer, value) for value in outer.extent_values]
    extents += [AffineExpr.constant(1)] * (3 - len(extents))
    for index, blocks in enumerate(block.extents_in_cluster or ()):
        extents[index] *= blocks
    return AffineMap(len(kernel.dim_names), 0, tuple(extents))


def cluster_extents(block: croq.ParallelOp) -> tuple[int, int, int]:
    """The blocks of a cluster along x, y and z."""
    x, y, z = (*(block.extents_in_cluster or ()), 1, 1, 1)[:3]
    return x, y, z


def _extent(kernel: croq.KernelOp, block: croq.ParallelOp, value: Index) -> AffineExpr:
    try:
        return dim_expression(kernel, value)
    except NotOfDimsError as error:
        found = error.value
    if isinstance(found, str):
        fail(
            block,
            f"extents of the grid must be computed from dims, got {found}",
            hint="--bind-params gives parameters their values",
        )
    rule = f"extents of the grid {RULE}"
    if isinstance(found.owner, Operation):
        fail(found.owner, rule, notes=[(block, "the grid is here")])
    fail(block, f"{rule}, got an argument")


def plan_args(
    kernel: croq.KernelOp, params: Parameters, outputs: Sequence[SSAValue]
) -> tuple[Arg, ...]:
    """The arguments of the launch plan, then the tiles that the kernel returns."""
    written = {
        param.arg
        for param, users in params.users.items()
        if isinstance(param, TensorMapParam | PointerParam)
        and any(_may_write(user) for user in users)
    }
    args: list[Arg] = []
    for value, name in params.names.items():
        if isinstance(value.type, croq.TileType):
            shape = value.type.dims
            dtype = str(value.type.element_type)
            output = value in outputs
            args.append(
                TileArg(name, dtype, shape, output=output, written=name in written)
            )
        else:
            scalar = i32 if isinstance(value.type, IndexType) else value.type
            args.append(ScalarArg(name, str(scalar)))
    return tuple(args)


_READERS = (
    LoadOp,
    arith.CmpiOp,
    nvvm.CpAsyncBulkLoadOp,
    nvvm.CpAsyncBulkTensorLoadOp,
    nvvm.CpAsyncBulkTensorPrefetchOp,
    nvvm.CpAsyncOp,
    nvvm.PrefetchOp,
)
"""What looks at an address or reads there, and does not write there."""

_ADDRESSES = (
    AddrSpaceCastOp,
    GEPOp,
    PtrToIntOp,
    arith.AddiOp,
    arith.AndIOp,
    arith.ExtUIOp,
    arith.OrIOp,
    arith.RemUIOp,
    arith.TruncIOp,
)
"""What makes an address, or an integer that may become one, of another."""


def _may_write(op: Operation) -> bool:
    """Whether something may be stored through the address that an op gives."""
    return any(
        _may_write(use.operation)
        if isinstance(use.operation, _ADDRESSES)
        else not isinstance(use.operation, _READERS)
        for result in op.results
        for use in result.uses
    )


def plan_checks(params: Parameters) -> tuple[Check, ...]:
    """
    What is checked at launch: `multiple_of`, assertions outside of the block, what TMA
    asks for, and the attribute `croq.checks` of the kernel.
    """
    kernel = params.kernel
    checks: list[Check] = []
    for dim, multiple in kernel.dim_multiples.items():
        if multiple > 1:
            checks.append(MultipleCheck(dim, multiple, _location(kernel)))
    checks += launch_conditions(kernel)
    mapped: set[str] = set()
    for param in params.ordered:
        if isinstance(param, TensorMapParam) and param.arg not in mapped:
            mapped.add(param.arg)
            where = _location(params.users[param][0])
            checks.append(AlignmentCheck(param.arg, TMA_ALIGNMENT, where))
            checks += [
                PitchCheck(param.arg, dim, TMA_ALIGNMENT, where)
                for dim in range(len(param.box) - 1)
            ]
    stated = kernel.attributes.get(KERNEL_CHECKS)
    if stated is None:
        return tuple(checks)
    try:
        return (*checks, *read_records(stated, KERNEL_CHECKS, CHECKS))
    except LaunchPlanError as error:
        fail(kernel, str(error))


def _location(op: Operation) -> str:
    found = location_of(op)
    return str(found) if found.is_known else ""


def argument_names(
    kernel: croq.KernelOp, outputs: Sequence[SSAValue]
) -> dict[SSAValue, str]:
    """The names of arguments and of returned tiles, which are all different."""
    names: dict[SSAValue, str] = {}
    arguments: Sequence[BlockArgument] = kernel.body.block.args
    for argument, name in zip(arguments, kernel.arg_names, strict=True):
        names[argument] = name.data
    for number, tile in enumerate(outputs):
        base = tile.name_hint or f"out{number}"
        name, copy = base, 1
        while name in names.values():
            name, copy = f"{base}_{copy}", copy + 1
        names[tile] = name
    return names


def reference_of(kernel: croq.KernelOp) -> str | None:
    """The attribute `reference` of a kernel."""
    reference = kernel.attributes.get("reference")
    if reference is None:
        return None
    if not isinstance(reference, StringAttr):
        fail(kernel, f"attribute reference must be a string, got {reference}")
    return reference.data
