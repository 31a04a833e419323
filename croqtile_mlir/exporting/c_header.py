"""A C header that loads and launches one kernel through the CUDA driver.

All that a launch needs is in its plan: arguments, parameters, recipes of tensor maps,
grid, and checks. The header does what `croqtile_mlir.runtime` does, with nothing but
`cuda.h`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.exporting.c_names import SCALAR_TYPES, c_comment, c_names, c_string
from croqtile_mlir.exporting.c_support import SUPPORT
from croqtile_mlir.launch.dim_maps import DimMap, Expression, stored_map
from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    Check,
    ConditionCheck,
    DimParam,
    DivisibleCheck,
    LaunchPlan,
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
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.runtime.module import STATIC_LIMIT

_FUNCTIONS = {"floordiv": "croq_floordiv", "ceildiv": "croq_ceildiv", "mod": "croq_mod"}
_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True)
class Header:
    """The header of the kernel whose entry in the code is `entry`.

    Names in the header begin with `prefix`, an identifier.
    """

    prefix: str
    entry: str
    plan: LaunchPlan

    def text(self) -> str:
        """The header: C11 and C++11.

        Raises:
            ArgumentError: TMA does not move the elements of a tile under a tensor map.
        """
        guard = f"{self.prefix.upper()}_H"
        parts = [
            self._head(),
            [f"#ifndef {guard}", f"#define {guard}", "", SUPPORT],
            self._types(),
            self._load(),
            self._check(),
            self._launch(),
            [f"#endif /* {guard} */"],
        ]
        return "\n".join(line for part in parts for line in part) + "\n"

    @cached_property
    def _names(self) -> dict[str, str]:
        """The fields of dims and arguments: `dim M`, `arg lhs`, `strides lhs`."""
        names = [f"dim {dim}" for dim in self.plan.dims]
        for arg in self.plan.args:
            names.append(f"arg {arg.name}")
            if isinstance(arg, TileArg) and len(arg.shape) > 1:
                names.append(f"strides {arg.name}")
        if self.plan.workspace_bytes:
            names.append("workspace workspace")
        wanted = {
            name: f"{name.split(' ', 1)[1]}{'_strides' * name.startswith('strides ')}"
            for name in names
        }
        made = c_names(wanted)
        return {name: made[name] for name in names}

    def _head(self) -> Iterator[str]:
        p, plan = self.prefix, self.plan
        yield f"/* Kernel {c_comment(self.entry)} for {plan.target}, by croqtile-mlir."
        if plan.reference is not None:
            yield f"     {c_comment(plan.reference)}"
        yield "   Needs the CUDA driver (link with -lcuda) and a current context:"
        yield ""
        yield f"     {p}_kernel kernel;"
        yield f"     // The bytes of {p}.cubin, or the text of {p}.ptx and a 0:"
        yield f"     {p}_load(&kernel, image);"
        yield f"     {p}_args args = {{..}};"
        yield f"     const char *wrong = {p}_check(&args);  // NULL, or the broken rule"
        yield f"     {p}_launch(&kernel, &args, stream);"
        yield f"     {p}_unload(&kernel);"
        yield ""
        yield "   Extents and strides are in elements, outermost dim first. */"

    def _types(self) -> Iterator[str]:
        p = self.prefix
        yield "typedef struct {"
        yield "  CUmodule module;"
        yield "  CUfunction function;"
        yield "  CUdeviceptr zeros; /* what tensors without elements read */"
        yield f"}} {p}_kernel;"
        yield ""
        yield "typedef struct {"
        for dim in self.plan.dims:
            yield f"  int32_t {self._names[f'dim {dim}']};"
        for arg in self.plan.args:
            name = self._names[f"arg {arg.name}"]
            if isinstance(arg, ScalarArg):
                kind, what = SCALAR_TYPES[arg.dtype]
                yield f"  {kind} {name}; /* {what} */"
                continue
            shape = " x ".join(str(extent) for extent in arg.shape)
            use = "returned" if arg.output else "written" if arg.written else "read"
            what = c_comment(f"{shape} of {arg.dtype}, {use}")
            yield f"  CUdeviceptr {name}; /* {what} */"
            if len(arg.shape) > 1:
                strides = self._names[f"strides {arg.name}"]
                yield f"  int64_t {strides}[{len(arg.shape) - 1}]; /* the last is 1 */"
        if size := self.plan.workspace_bytes:
            yield f"  CUdeviceptr {self._names['workspace workspace']};"
            yield f"  /* {size} bytes, aligned to 16, that the caller sets to 0 before"
            yield "     the first launch and leaves alone after it. Launches that may"
            yield "     run at the same time must have different ones. */"
        elif not self.plan.dims and not self.plan.args:
            yield "  char none;"
        yield f"}} {p}_args;"
        yield ""

    def _load(self) -> Iterator[str]:
        p, plan = self.prefix, self.plan
        yield "/* Load into the current context; what fails leaves nothing behind. */"
        given = f"{p}_kernel *kernel, const void *image"
        yield f"static inline CUresult {p}_load({given}) {{"
        yield "  CUresult status = cuModuleLoadData(&kernel->module, image);"
        yield "  if (status != CUDA_SUCCESS) return status;"
        entry = c_string(self.entry)
        yield "  status = cuModuleGetFunction(&kernel->function, kernel->module,"
        yield f"                               {entry});"
        if plan.shared_bytes > STATIC_LIMIT:
            attribute = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
            yield "  if (status == CUDA_SUCCESS)"
            yield f"    status = cuFuncSetAttribute(kernel->function, {attribute},"
            yield f"                                {plan.shared_bytes});"
        yield "  if (status == CUDA_SUCCESS) status = cuMemAlloc(&kernel->zeros, 16);"
        yield "  if (status != CUDA_SUCCESS) cuModuleUnload(kernel->module);"
        yield "  return status;"
        yield "}"
        yield ""
        yield f"static inline CUresult {p}_unload({p}_kernel *kernel) {{"
        yield "  CUresult freed = cuMemFree(kernel->zeros);"
        yield "  CUresult status = cuModuleUnload(kernel->module);"
        yield "  return status == CUDA_SUCCESS ? freed : status;"
        yield "}"
        yield ""

    def _check(self) -> Iterator[str]:
        yield "/* NULL, or the first rule that the arguments break. */"
        p = self.prefix
        yield f"static inline const char *{p}_check(const {p}_args *args) {{"
        yield from self._extents()
        for dim in self.plan.dims:
            message = c_string(f"dim '{dim}' must not be negative")
            yield f"  if ({self._dim(dim)} < 0) return {message};"
        yield f"  if ({self._is_idle()}) return NULL;"
        for check in self.plan.all_checks:
            condition, message = self._rule(check)
            place = f" (needed at {check.location})" if check.location else ""
            yield f"  if ({condition})"
            yield f"    return {c_string(message + place)};"
        yield "  return NULL;"
        yield "}"
        yield ""

    def _launch(self) -> Iterator[str]:
        p, plan = self.prefix, self.plan
        yield "/* Checks, and puts the kernel on the stream. If arguments break a rule:"
        yield "   CUDA_ERROR_INVALID_VALUE, and nothing is launched. */"
        given = f"const {p}_kernel *kernel, const {p}_args *args, CUstream stream"
        yield f"static inline CUresult {p}_launch({given}) {{"
        yield from self._extents()
        yield f"  if ({p}_check(args) != NULL) return CUDA_ERROR_INVALID_VALUE;"
        yield f"  if ({self._is_idle()}) return CUDA_SUCCESS;"
        names: list[str] = []
        for number, param in enumerate(plan.params):
            names.append(f"&p{number}")
            yield from self._parameter(number, param)
        given = "NULL"
        if names:
            yield f"  void *parameters[] = {{{', '.join(names)}}};"
            given = "parameters"
        grid = ", ".join(f"(unsigned)({each})" for each in self._results(plan.grid))
        block = f"{plan.block}, 1, 1, {plan.shared_bytes}"
        if plan.cooperative:
            # The driver refuses a grid that does not run at once.
            yield f"  return cuLaunchCooperativeKernel(kernel->function, {grid},"
            yield f"                        {block}, stream, {given});"
        else:
            yield f"  return cuLaunchKernel(kernel->function, {grid},"
            yield f"                        {block}, stream, {given}, NULL);"
        yield "}"
        yield ""

    def _parameter(self, number: int, param: Param) -> Iterator[str]:
        match param:
            case TensorMapParam():
                yield from self._tensor_map(number, param)
            case PointerParam(arg):
                yield f"  CUdeviceptr p{number} = {self._arg(arg)};"
            case WorkspaceParam():
                address = f"args->{self._names['workspace workspace']}"
                yield f"  CUdeviceptr p{number} = {address};"
            case StrideParam(arg, dim):
                yield f"  int64_t p{number} = {self._stride(arg, dim)};"
            case DimParam(dim):
                yield f"  int32_t p{number} = args->{self._names[f'dim {dim}']};"
            case ScalarParam(arg):
                scalars = {a.name: a.dtype for a in self.plan.args}
                kind = SCALAR_TYPES[scalars[arg]][0]
                yield f"  {kind} p{number} = {self._arg(arg)};"

    def _tensor_map(self, number: int, param: TensorMapParam) -> Iterator[str]:
        tile = self.plan.tiles[param.arg]
        dtype, rank = dtype_named(tile.dtype), len(tile.shape)
        if dtype.tensor_map is None:
            raise ArgumentError(
                f"argument '{param.arg}': TMA does not move {dtype.name}"
            )
        strides = [self._stride(param.arg, dim) for dim in range(rank - 1)]
        swizzle = f"{param.swizzle}B" if param.swizzle else "NONE"
        empty = self._is_empty(tile)
        yield f"  CUtensorMap p{number};"
        yield "  {"
        yield f"    const int64_t shape[] = {{{', '.join(self._shape(tile))}}};"
        yield f"    const int64_t strides[] = {{{', '.join([*strides, '1'])}}};"
        yield f"    const uint32_t box[] = {{{', '.join(map(str, param.box))}}};"
        yield f"    CUdeviceptr address = {self._arg(param.arg)};"
        yield "    CUresult status;"
        if empty != "0":
            yield f"    if ({empty}) {{"
            yield "      address = kernel->zeros;"
            yield "      status = cuMemsetD8Async(address, 0, 16, stream);"
            yield "      if (status != CUDA_SUCCESS) return status;"
            yield "    }"
        kind = f"CU_TENSOR_MAP_DATA_TYPE_{dtype.tensor_map}"
        yield f"    status = croq_tensor_map(&p{number}, {kind}, {dtype.bytes}, {rank},"
        yield "                             address, shape, strides, box,"
        yield f"                             CU_TENSOR_MAP_SWIZZLE_{swizzle});"
        yield "    if (status != CUDA_SUCCESS) return status;"
        yield "  }"

    def _rule(self, check: Check) -> tuple[str, str]:
        """The condition under which a check is broken, and what it says then."""
        if isinstance(check, AlignmentCheck | PitchCheck):
            tile = self.plan.tiles[check.arg]
            empty = self._is_empty(tile)
            used = "" if empty == "0" else f"!({empty}) && "
            multiple = f"must be a multiple of {check.bytes} bytes"
            if isinstance(check, AlignmentCheck):
                broken = f"{self._arg(check.arg)} % {check.bytes} != 0"
                return used + broken, f"argument '{check.arg}': address {multiple}"
            size = dtype_named(tile.dtype).bytes
            extent = self._shape(tile)[check.dim]
            pitch = f"{self._stride(check.arg, check.dim)} * {size}"
            broken = f"{extent} > 1 && {pitch} % {check.bytes} != 0"
            what = f"argument '{check.arg}': pitch of dim {check.dim}"
            return used + broken, f"{what} {multiple}"
        if isinstance(check, MultipleCheck):
            broken = f"{self._dim(check.dim)} % {check.by} != 0"
            return broken, f"dim '{check.dim}' must be a multiple of {check.by}"
        if isinstance(check, ConditionCheck):
            holds = " || ".join(
                f"({value}) {_RELATIONS[relation]} 0"
                for value, relation in zip(
                    self._results(check.values), check.relations, strict=True
                )
            )
            return f"!({holds})", f"{check.what} must hold ({check.message})"
        (value,) = self._results(check.value)
        if isinstance(check, DivisibleCheck):
            (by,) = self._results(check.by)
            broken = f"({by}) != 0 && (({by}) < 0 || croq_mod({value}, {by}) != 0)"
            return broken, f"{check.what} must be a multiple of its number of parts"
        broken = f"({value}) < {check.minimum} || ({value}) > {check.maximum}"
        limits = f"{check.minimum} and {check.maximum}"
        return broken, f"{check.what} must be between {limits}"

    def _extents(self) -> Iterator[str]:
        """The extents of dims in 64 bits."""
        yield "  (void)args;"
        for dim in self.plan.dims:
            name = self._dim(dim)
            yield f"  const int64_t {name} = args->{self._names[f'dim {dim}']};"
            yield f"  (void){name};"

    def _dim(self, dim: str) -> str:
        return f"d{self.plan.dims.index(dim)}"

    def _arg(self, name: str) -> str:
        return f"args->{self._names[f'arg {name}']}"

    def _shape(self, tile: TileArg) -> list[str]:
        return [self._dim(e) if isinstance(e, str) else str(e) for e in tile.shape]

    def _stride(self, name: str, dim: int) -> str:
        last = dim == len(self.plan.tiles[name].shape) - 1
        return "1" if last else f"args->{self._names[f'strides {name}']}[{dim}]"

    def _is_empty(self, tile: TileArg) -> str:
        if 0 in tile.shape:
            return "1"
        dims = dict.fromkeys(extent for extent in tile.shape if isinstance(extent, str))
        return " || ".join(f"{self._dim(dim)} == 0" for dim in dims) or "0"

    def _is_idle(self) -> str:
        """Whether the grid has no blocks."""
        results = self._results(self.plan.grid)
        return " || ".join(f"({each}) == 0" for each in results)

    def _results(self, found: DimMap) -> Sequence[str]:
        return [self._expression(each) for each in stored_map(found).results]

    def _expression(self, expression: Expression) -> str:
        match expression:
            case int():
                return str(expression)
            case str():
                return self._dim(self.plan.dims[int(expression[1:])])
            case (operation, lhs, rhs):
                left, right = self._expression(lhs), self._expression(rhs)
                if operation in _FUNCTIONS:
                    return f"{_FUNCTIONS[operation]}({left}, {right})"
                return f"({left} {operation} {right})"
