"""The parts of a launch plan: arguments, kernel parameters, checks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from croqtile_mlir.launch.dim_maps import DimMap, compiled_map, used_dims

if TYPE_CHECKING:
    from xdsl.dialects.builtin import DictionaryAttr

MAX_EXTENT = 2**31 - 1
"""Largest extent of a dim: kernels count in 32 bits."""

Dim = int | str
"""An extent of an argument: a number, or the name of a dim."""


class LaunchPlanError(ValueError):
    """A launch plan that is malformed, or that contradicts itself."""


@dataclass(frozen=True)
class Record:
    """What is written as one dictionary. Subclasses are frozen dataclasses."""

    KIND: ClassVar[str] = ""
    """The value of the key `kind`, which tells records of one array apart."""

    def write(self) -> DictionaryAttr:
        """The record as a dictionary of builtin attributes."""
        from croqtile_mlir.launch.fields import write_record

        return write_record(self)


@dataclass(frozen=True)
class TileArg(Record):
    """A tensor that the caller passes, or gets back."""

    KIND: ClassVar[str] = "tile"
    name: str
    dtype: str
    shape: tuple[Dim, ...]
    output: bool = False
    """The kernel returns it: the runtime allocates it, the caller passes nothing."""

    written: bool = True
    """Whether the kernel may store to it."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class ScalarArg(Record):
    """A number that the caller passes."""

    KIND: ClassVar[str] = "scalar"
    name: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}"


@dataclass(frozen=True)
class TensorMapParam(Record):
    """A TMA descriptor of a tile argument, 128 bytes by value."""

    KIND: ClassVar[str] = "tensor_map"
    arg: str
    box: tuple[int, ...]
    """Extents of one transfer in elements, outermost first."""

    swizzle: int
    """Width of the swizzle in bytes: 0 (none), 32, 64 or 128."""


@dataclass(frozen=True)
class PointerParam(Record):
    """The address of a tile argument's first element, 64 bits."""

    KIND: ClassVar[str] = "pointer"
    arg: str


@dataclass(frozen=True)
class StrideParam(Record):
    """The distance in elements between neighbours along dim `dim` of a tile, i64."""

    KIND: ClassVar[str] = "stride"
    arg: str
    dim: int


@dataclass(frozen=True)
class DimParam(Record):
    """The extent of a named dim, i32."""

    KIND: ClassVar[str] = "dim"
    dim: str


@dataclass(frozen=True)
class ScalarParam(Record):
    """The value of a scalar argument, in its own type."""

    KIND: ClassVar[str] = "scalar"
    arg: str


@dataclass(frozen=True)
class WorkspaceParam(Record):
    """
    The address of memory of the kernel's own, 64 bits.

    All bytes are 0 at the first launch; a later one finds what the one before it on the
    stream has left. Launches that may run at the same time have different memory.
    """

    KIND: ClassVar[str] = "workspace"
    bytes: int


@dataclass(frozen=True)
class TileValue:
    """The geometry of one tensor: what checks look at."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements; the stride of a dim of extent 1 or 0 has no meaning."""

    address: int
    element_bits: int


@dataclass(frozen=True)
class AlignmentCheck(Record):
    """The address of a tile is a multiple of `bytes`, unless the tile is empty."""

    KIND: ClassVar[str] = "alignment"
    arg: str
    bytes: int
    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        tile = tiles[self.arg]
        address = tile.address
        if 0 in tile.shape or address % self.bytes == 0:
            return None
        return (
            f"argument '{self.arg}': address must be a multiple of {self.bytes} bytes, "
            f"got {address:#x} ({address % self.bytes} bytes past one)"
        )


@dataclass(frozen=True)
class PitchCheck(Record):
    """The stride of dim `dim` of a tile is a multiple of `bytes`, if it is used."""

    KIND: ClassVar[str] = "pitch"
    arg: str
    dim: int
    bytes: int
    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        tile = tiles[self.arg]
        if tile.shape[self.dim] <= 1 or 0 in tile.shape:
            return None
        pitch = tile.strides[self.dim] * tile.element_bits // 8
        if pitch % self.bytes == 0:
            return None
        return (
            f"argument '{self.arg}': pitch of dim {self.dim} must be a multiple of "
            f"{self.bytes} bytes, got {pitch} bytes "
            f"({tile.strides[self.dim]} elements of {tile.element_bits} bits)"
        )


@dataclass(frozen=True)
class MultipleCheck(Record):
    """The extent of a named dim is a multiple of `by`."""

    KIND: ClassVar[str] = "multiple"
    dim: str
    by: int
    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        if dims[self.dim] % self.by == 0:
            return None
        return f"dim '{self.dim}' must be a multiple of {self.by}, got {dims[self.dim]}"


@dataclass(frozen=True)
class RangeCheck(Record):
    """An expression of the dims lies between `minimum` and `maximum`, both included."""

    KIND: ClassVar[str] = "range"
    what: str
    """The expression in words, for the message: `rows of the window`."""

    value: DimMap
    """From the plan's dims to one result."""

    minimum: int
    maximum: int = MAX_EXTENT
    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        (value,) = self._value(tuple(dims.values()))
        if self.minimum <= value <= self.maximum:
            return None
        return (
            f"{self.what} must be between {self.minimum} and {self.maximum}, "
            f"got {value}"
        )

    @cached_property
    def _value(self) -> Callable[[Sequence[int]], tuple[int, ...]]:
        return compiled_map(self.value)


@dataclass(frozen=True)
class DivisibleCheck(Record):
    """An expression of the dims is a multiple of another, which is positive."""

    KIND: ClassVar[str] = "divisible"
    what: str
    """The expression in words, for the message: `dim M`."""

    value: DimMap
    by: DimMap
    """From the plan's dims to one result each."""

    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        extents = tuple(dims.values())
        (value,), (by,) = self._value(extents), self._by(extents)
        # Nothing is divided in no parts: then no block asks for one.
        if by == 0 or (by > 0 and value % by == 0):
            return None
        return f"{self.what} must be a multiple of {by}, got {value}"

    @cached_property
    def _value(self) -> Callable[[Sequence[int]], tuple[int, ...]]:
        return compiled_map(self.value)

    @cached_property
    def _by(self) -> Callable[[Sequence[int]], tuple[int, ...]]:
        return compiled_map(self.by)


RELATIONS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }
)
"""How a value of a `ConditionCheck` may have to relate to 0."""


@dataclass(frozen=True)
class ConditionCheck(Record):
    """One at least of some expressions of the dims relates to 0 as it has to."""

    KIND: ClassVar[str] = "condition"
    what: str
    """The condition in words: `M >= 64 or N >= 64`."""

    message: str
    """What the kernel says of it."""

    values: DimMap
    """From the plan's dims to one result for each relation."""

    relations: tuple[str, ...]
    """`eq ne lt le gt ge`, of each result to 0."""

    location: str = ""

    def broken(
        self, dims: Mapping[str, int], tiles: Mapping[str, TileValue]
    ) -> str | None:
        """What is wrong, or None."""
        values = self._values(tuple(dims.values()))
        if any(
            RELATIONS[relation](value, 0)
            for relation, value in zip(self.relations, values, strict=True)
        ):
            return None
        named = list(dims.items())
        found = ", ".join(
            f"{name} = {size}"
            for name, size in (named[place] for place in used_dims(self.values))
        )
        return f"{self.what} must hold ({self.message}), got {found}"

    @cached_property
    def _values(self) -> Callable[[Sequence[int]], tuple[int, ...]]:
        return compiled_map(self.values)


Arg = TileArg | ScalarArg
Param = (
    TensorMapParam
    | PointerParam
    | StrideParam
    | DimParam
    | ScalarParam
    | WorkspaceParam
)
Check = (
    AlignmentCheck
    | PitchCheck
    | MultipleCheck
    | RangeCheck
    | DivisibleCheck
    | ConditionCheck
)

ARGS: tuple[type[Arg], ...] = (TileArg, ScalarArg)
PARAMS: tuple[type[Param], ...] = (
    TensorMapParam,
    PointerParam,
    StrideParam,
    DimParam,
    ScalarParam,
    WorkspaceParam,
)
CHECKS: tuple[type[Check], ...] = (
    AlignmentCheck,
    PitchCheck,
    MultipleCheck,
    RangeCheck,
    DivisibleCheck,
    ConditionCheck,
)
