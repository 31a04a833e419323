"""Which ops, types and attributes a level of the IR consists of (docs/levels.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail

_VECTOR_BITS = 128
_KEPT = frozenset({"croq.launch", "croq.target"})
"""Attributes that travel to the end; their contents belong to no level."""


def _is_number(type_: Attribute, *widths: int) -> bool:
    if isa(type_, IntegerType):
        return type_ == IntegerType(type_.bitwidth) and type_.bitwidth in widths
    return isinstance(type_, Float16Type | BFloat16Type | Float32Type | Float64Type)


def _is_tile_level(type_: Attribute) -> bool:
    if isinstance(type_, IndexType | IntegerType | AnyFloat):
        return True
    return type_.name.startswith("croq.")


def _is_hardware_level(type_: Attribute) -> bool:
    match type_:
        case LLVMPointerType() | LLVMVoidType():
            return True
        case LLVMStructType():
            return all(map(_is_hardware_level, type_.types))
        case LLVMArrayType():
            return _is_hardware_level(type_.type)
        case LLVMFunctionType():
            return all(map(_is_hardware_level, (*type_.inputs, type_.output)))
        case VectorType() if isa(type_, VectorType[Attribute]):
            element = type_.element_type
            bits = type_.element_count() * _bits(element)
            return _is_number(element, 8, 16, 32, 64) and bits <= _VECTOR_BITS
        case _:
            return _is_number(type_, 1, 8, 16, 32, 64)


def _bits(type_: Attribute) -> int:
    if isinstance(type_, IntegerType):
        return type_.bitwidth
    return type_.bitwidth if isinstance(type_, AnyFloat) else _VECTOR_BITS + 1


def _is_arithmetic(type_: Attribute) -> bool:
    if isa(type_, VectorType[Attribute]):
        return _is_hardware_level(type_)
    return _is_number(type_, 1, 32, 64)


def _is_multicast_mask(type_: Attribute) -> bool:
    """Arithmetic, or the 16 bits that name the blocks of a multicast copy."""
    return _is_arithmetic(type_) or _is_number(type_, 16)


def _is_integer(type_: Attribute) -> bool:
    """Arithmetic, or an integer of memory that is computed with in 32 bits."""
    return _is_arithmetic(type_) or _is_number(type_, 8, 16)


@dataclass(frozen=True)
class Level:
    """What is legal at a level: dialects, of some only certain ops, and types."""

    name: str
    dialects: frozenset[str]
    only: Mapping[str, frozenset[str]]
    """Dialect to its legal ops, for dialects of which not all ops are legal."""

    admits_type: Callable[[Attribute], bool]
    """Whether the type of a value is legal."""

    types_of: Mapping[str, Callable[[Attribute], bool]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """The same for one op, or the ops of one dialect, where it is narrower."""

    checks_attributes: bool = False
    """Whether the types in attributes must be legal too."""

    removed_by: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The pass that lowers an op or type, by its name or its dialect."""

    def admits(self, op: Operation) -> bool:
        """Whether an op is legal, without its types."""
        dialect = op.name.partition(".")[0]
        only = self.only.get(dialect)
        return op.name in only if only is not None else dialect in self.dialects

    def hint(self, name: str) -> str | None:
        """What to do about an op or type that is not legal."""
        found = self.removed_by.get(name) or self.removed_by.get(name.partition(".")[0])
        return f"--{found} lowers it" if found else None


_MODULE = MappingProxyType({"builtin": frozenset({"builtin.module"})})
_HARDWARE = MappingProxyType(
    {
        **_MODULE,
        "gpu": frozenset({"gpu.module"}),
        "scf": frozenset(
            {"scf.condition", "scf.for", "scf.if", "scf.while", "scf.yield"}
        ),
    }
)
_EXPANDED_MATH = frozenset(
    f"math.{name}" for name in ("absf", "exp2", "fma", "log2", "rsqrt", "sqrt", "tanh")
)
"""Functions that are one instruction."""

_LOWERED = MappingProxyType(
    {
        "math": "expand-math",
        "croq": "croq-to-ptx",
        "croq.event": "lower-events",
        "croq.wait": "lower-events",
        "croq.trigger": "lower-events",
        "croq.copy": "lower-dma",
        "croq.copy_async": "lower-dma",
        "croq.await": "lower-dma",
        "croq.elementwise": "lower-elementwise",
        "croq.reduce": "lower-reduce",
        "croq.mma.fill": "lower-mma",
        "croq.mma.exec": "lower-mma",
        "croq.mma.commit": "lower-mma",
        "croq.mma.wait": "lower-mma",
        "croq.mma.store": "lower-mma",
        "croq.acc": "lower-mma",
        "croq.subspan": "lower-views",
        "croq.chunkat": "lower-views",
        "croq.view": "lower-views",
        "croq.slot": "lower-views",
        "croq.load": "lower-views",
        **dict.fromkeys(
            (
                "croq.shuffle",
                "croq.vote",
                "croq.redux",
                "croq.match",
                "croq.active_mask",
                "croq.elect_lane",
                "croq.lane_id",
                "croq.warp_id",
                "croq.warp_barrier",
            ),
            "lower-lanes",
        ),
        "croq.assert": "lower-asserts",
        "croq.store": "lower-views",
        "croq.atomic": "lower-views",
        "croq.fence": "lower-views",
        "croq.kernel": "lower-parallel",
        "croq.parallel": "lower-parallel",
        "croq.role": "lower-parallel",
        "croq.foreach": "lower-parallel",
        "croq.barrier": "lower-parallel",
        "croq.barrier_arrive": "lower-parallel",
        "croq.barrier_wait": "lower-parallel",
        "croq.elect": "lower-parallel",
        "croq.thread_id": "lower-parallel",
        "croq.workspace": "lower-parallel",
        "croq.alloc": "allocate-shared",
        "croq.address": "allocate-shared",
        "index": "narrow-index",
    }
)

LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level(
                "croq",
                frozenset({"croq", "arith", "math", "scf"}),
                _MODULE,
                admits_type=_is_tile_level,
            ),
            Level(
                "nvvm",
                frozenset({"arith", "cf", "llvm", "nvvm"}),
                MappingProxyType({**_HARDWARE, "math": _EXPANDED_MATH}),
                admits_type=_is_hardware_level,
                types_of=MappingProxyType(
                    {
                        "arith": _is_arithmetic,
                        "arith.constant": _is_multicast_mask,
                        "arith.extsi": _is_integer,
                        "arith.extui": _is_integer,
                        "arith.trunci": _is_integer,
                    }
                ),
                checks_attributes=True,
                removed_by=_LOWERED,
            ),
            Level(
                "ptx",
                frozenset({"ptx"}),
                _MODULE,
                admits_type=lambda type_: type_.name.startswith("ptx."),
                removed_by=MappingProxyType(
                    dict.fromkeys(
                        ("arith", "cf", "gpu", "llvm", "math", "nvvm", "scf"),
                        "convert-to-ptx",
                    )
                ),
            ),
        )
    }
)
"""The levels by name."""


def _types_in(attribute: Attribute) -> Iterator[Attribute]:
    """The outermost types inside an attribute."""
    if isinstance(attribute, TypeAttribute):
        yield attribute
    elif type(attribute) is ArrayAttr and isa(attribute, ArrayAttr[Attribute]):
        for element in attribute:
            yield from _types_in(element)
    elif isinstance(attribute, DictionaryAttr):
        for element in attribute.data.values():
            yield from _types_in(element)
    elif isinstance(attribute, ParametrizedAttribute):
        for parameter in attribute.parameters:
            yield from _types_in(parameter)


@dataclass(frozen=True)
class _Check:
    """One check of a module; what it has found out of a type it does not ask again."""

    level: Level
    known: dict[tuple[str, int], bool] = field(
        default_factory=dict[tuple[str, int], bool]
    )
    """By the op or dialect that narrows the types, and the identity of the type."""

    def admits(self, type_: Attribute, op_name: str) -> bool:
        """Whether an op may use a type."""
        names = (op_name, op_name.partition(".")[0])
        name = next((name for name in names if name in self.level.types_of), "")
        key = (name, id(type_))
        if (known := self.known.get(key)) is None:
            admits = self.level.types_of.get(name, self.level.admits_type)
            self.known[key] = known = admits(type_)
        return known

    def check(self, op: Operation) -> None:
        """Check an op, without those inside it."""
        level = self.level
        if not level.admits(op):
            fail(op, f"is not legal at level {level.name}", hint=level.hint(op.name))
        values = [*op.operands, *op.results]
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            if not self.admits(value.type, op.name):
                fail(
                    op,
                    f"must not use type {value.type} at level {level.name}",
                    hint=level.hint(value.type.name),
                )
        if level.checks_attributes:
            self._check_attributes(op)

    def _check_attributes(self, op: Operation) -> None:
        level = self.level
        for name, attribute in (*op.properties.items(), *op.attributes.items()):
            if name in _KEPT:
                continue
            if name.startswith("croq."):
                fail(op, f"must not have attribute '{name}' at level {level.name}")
            for type_ in _types_in(attribute):
                if not self.admits(type_, ""):
                    fail(
                        op,
                        f"must not use type {type_} in attribute '{name}' at level "
                        f"{level.name}",
                        hint=level.hint(type_.name),
                    )


def check_level(module: ModuleOp, level: Level) -> None:
    """
    Check that a module consists of what a level admits.

    Raises:
        CompileError: at the first op that does not belong there.
    """
    check = _Check(level)
    for op in module.walk():
        check.check(op)
