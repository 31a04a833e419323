"""What is needed to launch a kernel: the dictionary `croq.launch`, as data.

A plan names the arguments a caller passes, the parameters the kernel takes, the grid
as expressions of the dims, and the rules an argument must keep. `--lower-parallel`
writes it; everything that launches reads it.

```python
plan = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        TileArg("out", "f16", ("M", 128)),
    ),
    dims=("M", "K"),
    params=(TensorMapParam("lhs", (128, 64), 128), PointerParam("out"), DimParam("K")),
    grid=AffineMap.from_callable(lambda m, k: (m.ceil_div(128), 1, 1)),
    block=256,
    shared_bytes=131136,
    checks=(PitchCheck("lhs", 0, 16, location="kernel.mlir:3:5"),),
)
assert LaunchPlan.from_attr(plan.to_attr()) == plan
dims = plan.bind({"lhs": (1000, 64), "out": (1000, 128)})   # {"M": 1000, "K": 64}
plan.grid_extents(dims)                                     # (8, 1, 1)
```

Names of arguments and dims are those of the kernel's source. Element types have
MLIR's spelling. Shapes and strides count elements, outermost dim first. `replace` of
`dataclasses` makes a changed plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.dim_maps import DimMap, compiled_map
from croqtile_mlir.launch.records import (
    MAX_EXTENT,
    RELATIONS,
    AlignmentCheck,
    Arg,
    Check,
    ConditionCheck,
    Dim,
    DimParam,
    DivisibleCheck,
    LaunchPlanError,
    MultipleCheck,
    Param,
    PitchCheck,
    PointerParam,
    RangeCheck,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
    TileValue,
    WorkspaceParam,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import DictionaryAttr
    from xdsl.ir import Attribute

__all__ = [
    "ATTRIBUTE",
    "MAX_EXTENT",
    "AlignmentCheck",
    "Arg",
    "Check",
    "ConditionCheck",
    "Dim",
    "DimParam",
    "DivisibleCheck",
    "LaunchPlan",
    "LaunchPlanError",
    "MultipleCheck",
    "Param",
    "PitchCheck",
    "PointerParam",
    "RangeCheck",
    "ScalarArg",
    "ScalarParam",
    "StrideParam",
    "TensorMapParam",
    "TileArg",
    "TileValue",
    "WorkspaceParam",
]

ATTRIBUTE = "croq.launch"
"""The name of the attribute that holds a plan, on `llvm.func` and `ptx.entry`."""

TMA_ALIGNMENT = 16
"""Bytes that the address and every pitch under a tensor map are multiples of."""

TMA_MAX_BOX = 256
"""Largest extent of a tensor map's box, in elements."""


@dataclass(frozen=True)
class LaunchPlan:
    """How to launch one kernel; an inconsistent plan raises `LaunchPlanError`."""

    args: tuple[Arg, ...]
    """What the caller passes or gets back, in declaration order."""

    dims: tuple[str, ...]
    """Names of the dims, the inputs of the affine maps."""

    params: tuple[Param, ...]
    """What the kernel takes, in order."""

    grid: DimMap
    """From the dims to the number of blocks along x, y and z."""

    block: int
    """Threads per block."""

    cluster: tuple[int, int, int] = (1, 1, 1)
    """Blocks per cluster along x, y and z; the grid is a multiple of it."""

    shared_bytes: int = 0
    """Dynamic shared memory per block."""

    cooperative: bool = False
    """Whether blocks wait for each other, so that all of the grid must run at once."""

    checks: tuple[Check, ...] = ()
    target: str = "sm_90a"
    reference: str | None = None
    """What the kernel computes (`docs/croq-run.md`), for checking its result."""

    def __post_init__(self) -> None:
        self._verify()

    @cached_property
    def tiles(self) -> Mapping[str, TileArg]:
        """The tile arguments by name."""
        return MappingProxyType(
            {arg.name: arg for arg in self.args if isinstance(arg, TileArg)}
        )

    @cached_property
    def inputs(self) -> tuple[Arg, ...]:
        """The arguments that the caller passes."""
        return tuple(a for a in self.args if isinstance(a, ScalarArg) or not a.output)

    @cached_property
    def outputs(self) -> tuple[TileArg, ...]:
        """The tiles that the kernel returns."""
        return tuple(tile for tile in self.tiles.values() if tile.output)

    @cached_property
    def workspace_bytes(self) -> int:
        """What a launch must provide; 0 for most kernels."""
        sizes = [p.bytes for p in self.params if isinstance(p, WorkspaceParam)]
        return max(sizes, default=0)

    @property
    def is_clustered(self) -> bool:
        """Whether blocks run in clusters of more than one."""
        return self.cluster != (1, 1, 1)

    @classmethod
    def from_attr(cls, attribute: Attribute) -> LaunchPlan:
        """Read a plan; a `LaunchPlanError` names the key that is wrong."""
        from croqtile_mlir.launch.attributes import read_plan

        return read_plan(attribute)

    def to_attr(self) -> DictionaryAttr:
        """The plan as the value of `croq.launch`."""
        from croqtile_mlir.launch.attributes import write_plan

        return write_plan(self)

    @cached_property
    def all_checks(self) -> tuple[Check, ...]:
        """The plan's own checks and those that its tensor maps imply."""
        own = self.checks
        covered = {
            (check.arg, check.dim if isinstance(check, PitchCheck) else None)
            for check in own
            if isinstance(check, AlignmentCheck | PitchCheck)
            and check.bytes % TMA_ALIGNMENT == 0
        }
        implied: dict[tuple[str, int | None], Check] = {}
        for param in self.params:
            if not isinstance(param, TensorMapParam):
                continue
            arg = param.arg
            implied[arg, None] = AlignmentCheck(arg, TMA_ALIGNMENT)
            for dim in range(len(self.tiles[arg].shape) - 1):
                implied[arg, dim] = PitchCheck(arg, dim, TMA_ALIGNMENT)
        return own + tuple(c for key, c in implied.items() if key not in covered)

    def bind(
        self,
        shapes: Mapping[str, Sequence[int]],
        sizes: Mapping[str, int] = MappingProxyType({}),
    ) -> dict[str, int]:
        """The extent of every dim, in the plan's order, from the shapes of arguments.

        `sizes` fixes dims beforehand. The shape of a returned tile may be left out.
        Raises `ArgumentError` on a wrong rank, extents that disagree, and a dim that
        nothing fixes.
        """
        found: dict[str, tuple[int, str]] = {}
        for dim, size in sizes.items():
            if dim not in self.dims:
                known = ", ".join(self.dims) or "none"
                raise ArgumentError(f"dim must be one of {known}, got '{dim}'")
            found[dim] = (size, "the given size")
        for name, shape in shapes.items():
            self._bind_tile(self.tiles[name], tuple(shape), found)
        bound: dict[str, int] = {}
        for dim in self.dims:
            if dim not in found:
                raise ArgumentError(
                    f"dim '{dim}' must be an extent of an argument, as nothing else in "
                    "a call says it; make it a parameter of the kernel, or compile it "
                    f"in: --dim {dim}=.. of croq-run, dims={{'{dim}': ..}} of compile"
                )
            size, source = found[dim]
            if not 0 <= size <= MAX_EXTENT:
                raise ArgumentError(
                    f"dim '{dim}' must be between 0 and {MAX_EXTENT}, got {size} "
                    f"from {source}"
                )
            bound[dim] = size
        return bound

    def _bind_tile(
        self,
        tile: TileArg,
        shape: tuple[int, ...],
        found: dict[str, tuple[int, str]],
    ) -> None:
        if len(shape) != len(tile.shape):
            declared = "x".join(str(extent) for extent in tile.shape)
            raise ArgumentError(
                f"argument '{tile.name}': rank must be {len(tile.shape)} ({declared}), "
                f"got {len(shape)} (shape {shape})"
            )
        for index, (extent, size) in enumerate(zip(tile.shape, shape, strict=True)):
            if isinstance(extent, int):
                if extent != size:
                    raise ArgumentError(
                        f"argument '{tile.name}': extent of dim {index} must be "
                        f"{extent}, got {size} (shape {shape})"
                    )
                continue
            expected, source = found.setdefault(
                extent, (size, f"dim {index} of argument '{tile.name}'")
            )
            if expected != size:
                raise ArgumentError(
                    f"argument '{tile.name}': extent of dim {index} must be {extent} = "
                    f"{expected} as in {source}, got {size} (shape {shape})"
                )

    def shape(self, tile: TileArg, dims: Mapping[str, int]) -> tuple[int, ...]:
        """The shape of a tile argument."""
        return tuple(e if isinstance(e, int) else dims[e] for e in tile.shape)

    def grid_extents(self, dims: Mapping[str, int]) -> tuple[int, int, int]:
        """The number of blocks along x, y and z; no limit is applied."""
        x, y, z = self._blocks([dims[dim] for dim in self.dims])
        return x, y, z

    @cached_property
    def _blocks(self) -> Callable[[Sequence[int]], tuple[int, ...]]:
        return compiled_map(self.grid)

    def check(self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]) -> None:
        """Raise `ArgumentError` for the first check that the arguments break."""
        for check in self.all_checks:
            broken = check.broken(dims, tiles)
            if broken is not None:
                place = f" (needed at {check.location})" if check.location else ""
                raise ArgumentError(f"{broken}{place}")

    def _verify(self) -> None:
        names = [arg.name for arg in self.args]
        for what, given in (("argument", names), ("dim", list(self.dims))):
            for name in given:
                if given.count(name) > 1:
                    raise LaunchPlanError(f"{what} '{name}' must be named once")
        for tile in self.tiles.values():
            for extent in tile.shape:
                if isinstance(extent, str) and extent not in self.dims:
                    raise LaunchPlanError(
                        f"argument '{tile.name}': '{extent}' must be one of the dims"
                    )
        maps = [("grid", self.grid, 3)]
        maps += [
            ("value", c.value, 1)
            for c in self.checks
            if isinstance(c, RangeCheck | DivisibleCheck)
        ]
        maps += [("by", c.by, 1) for c in self.checks if isinstance(c, DivisibleCheck)]
        maps += [
            ("values", c.values, len(c.relations))
            for c in self.checks
            if isinstance(c, ConditionCheck)
        ]
        for what, affine, results in maps:
            if affine.num_dims != len(self.dims) or affine.num_symbols:
                raise LaunchPlanError(
                    f"{what} must have {len(self.dims)} dims, no symbols, got {affine}"
                )
            if len(affine.results) != results:
                raise LaunchPlanError(
                    f"{what} must have {results} results, got {affine}"
                )
        if self.block < 1 or self.shared_bytes < 0:
            raise LaunchPlanError("block and shared_bytes must not be negative")
        if min(self.cluster) < 1:
            raise LaunchPlanError(
                f"cluster must have positive extents, got {list(self.cluster)}"
            )
        for part in (*self.params, *self.checks):
            self._verify_part(part)

    def _verify_part(self, part: Param | Check) -> None:
        match part:
            case DimParam() | MultipleCheck():
                if part.dim not in self.dims:
                    raise LaunchPlanError(f"'{part.dim}' must be one of the dims")
            case ScalarParam():
                scalars = [a.name for a in self.args if isinstance(a, ScalarArg)]
                if part.arg not in scalars:
                    raise LaunchPlanError(f"'{part.arg}' must be a scalar argument")
            case WorkspaceParam():
                if part.bytes < 1:
                    raise LaunchPlanError(
                        f"bytes of the workspace must be positive, got {part.bytes}"
                    )
            case RangeCheck() | DivisibleCheck():
                pass
            case ConditionCheck():
                for relation in part.relations:
                    if relation not in RELATIONS:
                        raise LaunchPlanError(
                            f"relation must be one of {', '.join(RELATIONS)}, got "
                            f"'{relation}'"
                        )
            case _:
                tile = self.tiles.get(part.arg)
                if tile is None:
                    raise LaunchPlanError(f"'{part.arg}' must be a tile argument")
                rank = len(tile.shape)
                if isinstance(part, StrideParam | PitchCheck):
                    if not 0 <= part.dim < rank:
                        raise LaunchPlanError(
                            f"dim of '{part.arg}' must be in 0..{rank - 1}, "
                            f"got {part.dim}"
                        )
                if isinstance(part, TensorMapParam):
                    _verify_tensor_map(part, rank)


def _verify_tensor_map(param: TensorMapParam, rank: int) -> None:
    if not 1 <= rank <= 5 or len(param.box) != rank:
        raise LaunchPlanError(
            f"box of '{param.arg}' must have the tile's rank, from 1 to 5, "
            f"got {len(param.box)} extents for rank {rank}"
        )
    if not all(1 <= extent <= TMA_MAX_BOX for extent in param.box):
        raise LaunchPlanError(
            f"box of '{param.arg}' must be between 1 and {TMA_MAX_BOX} along each dim, "
            f"got {list(param.box)}"
        )
    if param.swizzle not in (0, 32, 64, 128):
        raise LaunchPlanError(
            f"swizzle of '{param.arg}' must be 0, 32, 64 or 128, got {param.swizzle}"
        )
