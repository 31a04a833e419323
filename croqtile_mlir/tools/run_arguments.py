"""What `croq-run` makes of its options: sizes, random inputs, the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm, prod
from typing import TYPE_CHECKING, Any, TypeVar

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import LaunchPlan, MultipleCheck, ScalarArg
from croqtile_mlir.reference.assignment import Reference, parse_reference
from croqtile_mlir.reference.programs import Program

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_TOLERANCES = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-5, "f64": 1e-12}
_F8_TOLERANCE = 6e-2
_TF32_TOLERANCE = 2e-3
_MOST_ELEMENTS = 1 << 59
"""Of 16 bytes; an address has 63 bits."""

T = TypeVar("T", int, float)


class UsageError(ValueError):
    """An option of the command line breaks a rule."""


def parse_number(text: str) -> float:
    """An integer where the text is one, else a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def parse_assignments(
    option: str, given: Sequence[str], convert: Callable[[str], T]
) -> dict[str, T]:
    """`M=4096,N=4096` as a mapping; an option given twice adds to it."""
    found: dict[str, T] = {}
    for text in given:
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            try:
                number = convert(value)
            except ValueError:
                number = None
            is_name = name.isidentifier() and name.isascii()
            if not equals or not is_name or number is None:
                raise UsageError(
                    f"{option} must be like M=4096,N=1024, got '{part.strip()}'"
                )
            if name in found:
                raise UsageError(f"{option} must give {name} once")
            found[name] = number
    return found


def sizes_left(sizes: Mapping[str, int], dims: Mapping[str, int]) -> dict[str, int]:
    """The sizes of the dims that are not compiled into the kernel."""
    for name, size in dims.items():
        if sizes.get(name, size) != size:
            raise UsageError(
                f"--size and --dim must agree on {name}, got {sizes[name]} and {size}"
            )
    return {name: size for name, size in sizes.items() if name not in dims}


@dataclass(frozen=True)
class Comparison:
    """How far a result is from the reference."""

    name: str
    """Of the tile."""

    relative: float
    """The norm of the difference by the norm of the reference."""

    largest: float
    """The largest absolute difference."""

    tolerance: float

    @property
    def right(self) -> bool:
        """Whether the error is within the limit; not so for a NaN."""
        return self.relative <= self.tolerance


@dataclass(frozen=True)
class Trial:
    """One run: the extents of the dims and what is to be checked."""

    plan: LaunchPlan
    dims: Mapping[str, int]
    scalars: Mapping[str, float]
    reference: Reference | Program | None
    check: bool
    tolerance: float | None
    repeat: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tile, returned ones included."""
        plan = self.plan
        return {n: plan.shape(tile, self.dims) for n, tile in plan.tiles.items()}

    def random_inputs(self, seed: int) -> dict[str, Array]:
        """Tiles for the kernel's arguments: normal, scaled so that results are O(1).

        What the reference only assigns starts as NaN, so that an element which the
        kernel leaves out is seen.
        """
        import numpy as np

        from croqtile_mlir.runtime.arrays import numpy_dtype
        from croqtile_mlir.runtime.dtypes import dtype_named

        for name, shape in self.shapes.items():
            # What numpy cannot even ask for.
            if prod(shape) > _MOST_ELEMENTS:
                raise MemoryError(f"{prod(shape)} elements of {name}")
        random = np.random.default_rng(seed)
        scale = self._scale()
        tiles: dict[str, Array] = {}
        for name, tile in self.plan.tiles.items():
            if tile.output:
                continue
            shape, dtype = self.shapes[name], dtype_named(tile.dtype)
            kind = numpy_dtype(dtype)
            if self._is_result_only(name):
                fill = float("nan") if dtype.is_float else 85
                tiles[name] = np.full(shape, fill).astype(kind)
            elif dtype.is_float:
                values = random.standard_normal(shape, dtype=np.float32)
                tiles[name] = (values * np.float32(scale)).astype(kind)
            else:
                low, high = (0, 2) if dtype.name == "i1" else (-4, 5)
                tiles[name] = random.integers(low, high, shape).astype(kind)
        return tiles

    @property
    def results(self) -> tuple[str, ...]:
        """The tiles that the reference assigns."""
        reference = self.require_reference()
        named = {element.name for element in reference.assigned} & {*self.plan.tiles}
        return tuple(n for n in self.plan.tiles if n in {*named, reference.result.name})

    def compare(
        self, inputs: Mapping[str, Any], outputs: Mapping[str, Array]
    ) -> list[Comparison]:
        """The results of the kernel beside the reference in float64."""
        import numpy as np

        reference = self.require_reference()
        for name in (*self.results, reference.result.name):
            if name not in outputs:
                raise ArgumentError(
                    f"reference: '{name}' must be a tile the kernel writes"
                )
        got = {name: outputs[name].astype(np.float64) for name in self.results}
        wanted = reference.evaluate_all({**got, **self._operands(inputs)}, self.scalars)
        return [self._comparison(name, got[name], wanted[name]) for name in got]

    def _comparison(self, name: str, got: Array, wanted: Array) -> Comparison:
        import numpy as np

        difference = got - wanted
        norm = float(np.linalg.norm(wanted))
        error = float(np.linalg.norm(difference))
        return Comparison(
            name,
            relative=error / norm if norm else error,
            largest=float(np.abs(difference).max(initial=0.0)),
            tolerance=self._tolerance(self.plan.tiles[name].dtype),
        )

    def could_be_tf32(self, found: Comparison) -> bool:
        """Whether an error is one that products of f32 have on tensor cores."""
        reference, tiles = self.require_reference(), self.plan.tiles
        operands = [tiles[name] for name in reference.operands if name in tiles]
        return (
            found.relative <= _TF32_TOLERANCE
            and self.tolerance is None
            and reference.factors > 1
            and any(tile.dtype == "f32" for tile in operands)
        )

    def operations(self) -> int:
        """Floating-point operations of a launch, 0 where they are not known."""
        return self.reference.operations(self.shapes) if self.reference else 0

    def rate(self, milliseconds: float) -> str:
        """What that time means: TFLOP/s for sums of products, else bytes a second."""
        if self.reference is None or milliseconds <= 0:
            return ""
        if self.reference.summed:
            return f"{self.operations() / milliseconds / 1e9:.1f} TFLOP/s"
        from croqtile_mlir.runtime.dtypes import dtype_named

        touched = {*self.reference.operands, *self.results}
        moved = sum(
            prod(shape) * dtype_named(self.plan.tiles[name].dtype).bytes
            for name, shape in self.shapes.items()
            if name in touched
        )
        return f"{moved / milliseconds / 1e6:.4g} GB/s"

    def _operands(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        used = self.require_reference().operands
        return {name: tile for name, tile in inputs.items() if name in used}

    def require_reference(self) -> Reference | Program:
        """The reference; `UsageError` where the kernel has none."""
        if self.reference is None:
            raise UsageError(
                "--check must have something to check against: the kernel has no "
                "attribute reference (see docs/croq-run.md)"
            )
        return self.reference

    def _is_result_only(self, name: str) -> bool:
        reference = self.reference
        return (
            reference is not None
            and name in self.results
            and name not in reference.operands
        )

    def _scale(self) -> float:
        """What each operand is multiplied with so that sums of products are O(1)."""
        if self.reference is None:
            return 1.0
        extents = self.reference.extents(self.shapes)
        summed = prod(extents[index] for index in self.reference.summed)
        factors = self.reference.factors
        return max(summed, 1) ** (-0.5 / max(factors, 1))

    def _tolerance(self, dtype: str) -> float:
        if self.tolerance is not None:
            return self.tolerance
        if dtype.startswith("i"):
            return 0.0
        return _TOLERANCES.get(dtype, _F8_TOLERANCE)


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    sizes: Mapping[str, int]
    params: Mapping[str, int]
    scalars: Mapping[str, float]
    check: bool
    tolerance: float | None
    repeat: int
    seed: int
    fixed: Mapping[str, int] = field(default_factory=dict[str, int])
    """Extents that are compiled into the kernel."""

    def trial(self, plan: LaunchPlan, elements: int) -> Trial:
        """Check the options against the kernel; raises `UsageError`.

        Dims without a size get one under which every tile has at most `elements`
        elements, and which is a multiple of what the dim must be a multiple of.
        """
        self._check_names(plan)
        sizes = dict(self.sizes)
        for name in plan.dims:
            sizes.setdefault(name, _default_size(plan, name, elements))
        known = _scalars(plan)
        text = plan.reference
        trial = Trial(
            plan=plan,
            dims=plan.bind({}, sizes),
            scalars={name: self.scalars.get(name, 1) for name in known},
            reference=None if text is None else parse_reference(text),
            check=self.check,
            tolerance=self.tolerance,
            repeat=self.repeat,
        )
        # Nothing but arguments tells a launch its dims.
        arguments = [n for n, tile in plan.tiles.items() if not tile.output]
        plan.bind({name: trial.shapes[name] for name in arguments})
        if self.check:
            trial.operations()
            trial.require_reference()
        return trial

    def _check_names(self, plan: LaunchPlan) -> None:
        dims = ", ".join(plan.dims) or "none"
        for name, size in self.sizes.items():
            if name not in plan.dims:
                raise UsageError(
                    f"--size must name dims of the kernel ({dims}), got {name}; "
                    "parameters are given by --param"
                )
            if size < 0:
                raise UsageError(f"--size must not be negative, got {name}={size}")
        known = _scalars(plan)
        for name in self.scalars:
            if name not in known:
                raise UsageError(
                    "--scalar must name scalar arguments "
                    f"({', '.join(known) or 'none'}), got {name}"
                )
        if self.repeat < 0:
            raise UsageError(f"--repeat must not be negative, got {self.repeat}")
        if self.seed < 0:
            raise UsageError(f"--seed must not be negative, got {self.seed}")
        if self.tolerance is not None and not self.tolerance >= 0:
            raise UsageError(f"--tolerance must be at least 0, got {self.tolerance}")


def _scalars(plan: LaunchPlan) -> list[str]:
    return [arg.name for arg in plan.args if isinstance(arg, ScalarArg)]


def _default_size(plan: LaunchPlan, dim: str, elements: int) -> int:
    """At most 4096, and a power of two unless `dim` must be a multiple of others."""
    rank = max((len(tile.shape) for tile in plan.tiles.values()), default=0)
    size = 1 << min(12, (elements.bit_length() - 1) // max(rank, 1))
    multiple = lcm(
        *(c.by for c in plan.checks if isinstance(c, MultipleCheck) and c.dim == dim)
    )
    return -(-size // multiple) * multiple
