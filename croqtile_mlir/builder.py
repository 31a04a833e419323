"""Building tile-level kernels from Python, without text.

```python
k = KernelBuilder("copy", dims={"M": 1, "N": 8}, params={"BM": 64})
src = k.argument("src", "f16", "M", "N")
dst = k.argument("dst", "f16", "M", "N")
tiles = k.cdiv("M", "BM")
with k.parallel(tiles, threads=128) as (i,):
    buffer = k.alloc("f16", "BM", 64)
    with k.foreach(k.cdiv("N", 64)) as loop:
        k.copy(k.subspan(src, ["BM", 64], [i, loop.index]), buffer)
        k.copy(buffer, k.subspan(dst, ["BM", 64], [i, loop.index]))
module = k.module()
```

Methods are named after the ops of the `croq` dialect (`docs/levels.md`) and take their
operands. An extent or index is an integer, the name of a dim or parameter, or a value.
Ops carry the line of the Python code that asked for them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import currentframe
from types import MappingProxyType
from typing import TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IndexType,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    bf16,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType, Dim, Engine, Level, Space, TileType
from croqtile_mlir.dialects.croq.index import Index

OpT = TypeVar("OpT", bound=Operation)

ELEMENT_TYPES: Mapping[str, TypeAttribute] = MappingProxyType(
    {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64, "i32": i32, "i64": i64}
)
"""Element types by MLIR's spelling."""

_index = IndexType()
_OWN_FILES = (__file__, contextmanager.__code__.co_filename)


@dataclass
class Loop:
    """A loop that is being built."""

    index: SSAValue
    carried: tuple[SSAValue, ...]
    """The carried values at the start of an iteration."""

    next: tuple[SSAValue, ...] = ()
    """The carried values of the next iteration; to be set in the body."""

    results: tuple[SSAValue, ...] = field(default=(), init=False)
    """The carried values after the last iteration."""


@dataclass
class KernelBuilder:
    """Builds one `croq.kernel`, op after op."""

    name: str
    dims: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of the dims, each with what it is a multiple of."""

    params: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of the parameters with their default values."""

    reference: str | None = None
    """What the kernel computes (`docs/croq-run.md`)."""

    _body: Block = field(default_factory=Block, init=False, repr=False)
    _at: Block = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._at = self._body

    def module(self) -> ModuleOp:
        """The module with the kernel, verified; the builder must not be used again."""
        self.add(croq.ReturnOp())
        attributes: dict[str, Attribute] = {}
        if self.reference is not None:
            attributes["reference"] = StringAttr(self.reference)
        kernel = croq.KernelOp(
            self.name,
            Region(self._body),
            dims=list(self.dims),
            multiples=list(self.dims.values()),
            params=self.params,
            attributes=attributes,
        )
        kernel.location = _caller()
        module = ModuleOp([kernel])
        try:
            module.verify()
        except VerifyException as error:
            fail(kernel, f"does not verify: {error}")
        return module

    def add(self, op: OpT) -> OpT:
        """Put any op at the end of what is being built."""
        op.location = _caller()
        self._at.add_op(op)
        return op

    def argument(self, name: str, dtype: str, *shape: Dim) -> SSAValue:
        """A global tile that the caller passes."""
        tile = _tile_type(dtype, shape, Space.Global)
        value = self._body.insert_arg(tile, len(self._body.args))
        value.name_hint = name
        return value

    def scalar(self, name: str, dtype: str) -> SSAValue:
        """A number that the caller passes."""
        value = self._body.insert_arg(_element_type(dtype), len(self._body.args))
        value.name_hint = name
        return value

    def cdiv(self, numerator: Index, denominator: Index) -> SSAValue:
        """The quotient, rounded up."""
        _check_indices((numerator, denominator))
        return self.add(croq.CDivOp(numerator, denominator)).results[0]

    @contextmanager
    def parallel(
        self,
        *extents: Index,
        level: Level = Level.Block,
        threads: int | None = None,
    ) -> Generator[tuple[SSAValue, ...]]:
        """A body for each index of a level; gives the indices."""
        _check_indices(extents)
        _check_extents([each for each in extents if isinstance(each, int)])
        body = Block(arg_types=[_index] * len(extents))
        op = self.add(croq.ParallelOp(extents, level, Region(body), threads))
        with self._inside(body):
            yield tuple(op.body.block.args)

    @contextmanager
    def role(
        self, name: str, first: int, last: int, *, registers: int | None = None
    ) -> Generator[None]:
        """A role of the warpgroups from `first` up to `last`, that one left out."""
        body = Block()
        self.add(croq.RoleOp(name, first, last, Region(body), registers=registers))
        with self._inside(body):
            yield

    @contextmanager
    def foreach(
        self,
        upper: Index,
        *,
        lower: Index = 0,
        step: Index = 1,
        init: Sequence[SSAValue] = (),
    ) -> Generator[Loop]:
        """A loop that carries values from `init` on; its body sets `next`."""
        _check_indices((lower, upper, step))
        body = Block(arg_types=[_index, *(value.type for value in init)])
        op = self.add(
            croq.ForeachOp(
                upper, Region(body), lower=lower, step=step, iter_args=list(init)
            )
        )
        loop = Loop(body.args[0], tuple(body.args[1:]))
        with self._inside(body):
            yield loop
            self.add(croq.YieldOp(loop.next))
        loop.results = tuple(op.results)

    def alloc(self, dtype: str, *shape: Dim) -> SSAValue:
        """A shared buffer whose layout is open."""
        tile = _tile_type(dtype, shape, Space.Shared)
        return self.add(croq.AllocOp(tile)).tile

    def subspan(
        self, source: SSAValue, extents: Sequence[Dim], tile: Sequence[Index]
    ) -> SSAValue:
        """The tile of the given extents at a tile index."""
        _check_extents(extents)
        _check_indices(tile)
        with _refusing():
            op = croq.SubspanOp(source, extents, tile)
        return self.add(op).results[0]

    def copy(
        self, source: SSAValue, destination: SSAValue, engine: Engine = Engine.Auto
    ) -> None:
        """Copy a tile; complete when the op is."""
        self.add(croq.CopyOp(source, destination, engine))

    def fill(self, value: float, rows: Dim, cols: Dim, dtype: str = "f32") -> SSAValue:
        """An accumulator whose elements are all `value`."""
        element = _element_type(dtype)
        _check_extents((rows, cols))
        with _refusing():
            acc = AccType(rows, cols, element)
        return self.add(croq.MmaFillOp(value, acc)).acc

    def mma(
        self, acc: SSAValue, a: SSAValue, b: SSAValue, form: str = "row.row"
    ) -> SSAValue:
        """Start acc + a * b. `form` says how a and b are stored (`croq.mma.exec`)."""
        return self.add(croq.MmaExecOp(form, acc, a, b)).results[0]

    def commit(self, acc: SSAValue) -> SSAValue:
        """Close the group of the products started before."""
        return self.add(croq.MmaCommitOp(acc)).result

    def wait(self, acc: SSAValue, in_flight: int = 0) -> SSAValue:
        """Wait until at most `in_flight` groups are incomplete."""
        return self.add(croq.MmaWaitOp(acc, in_flight)).result

    def store(self, acc: SSAValue, tile: SSAValue) -> None:
        """Store an accumulator to a shared or global tile."""
        self.add(croq.MmaStoreOp(acc, tile))

    @contextmanager
    def _inside(self, body: Block) -> Generator[None]:
        around, self._at = self._at, body
        try:
            yield
        finally:
            self._at = around


def _element_type(dtype: str) -> TypeAttribute:
    for name, found in ELEMENT_TYPES.items():
        if name == dtype:
            return found
    known = ", ".join(ELEMENT_TYPES)
    fail(_caller(), f"element type must be one of {known}, got {dtype!r}")


def _tile_type(dtype: str, shape: Sequence[Dim], space: Space) -> TileType:
    element = _element_type(dtype)
    _check_extents(shape)
    with _refusing():
        return TileType(shape, element, space)


def _check_extents(shape: Sequence[Dim]) -> None:
    """Refuse what is no extent; what suits an op, its verifier says."""
    for extent in shape:
        if not isinstance(extent, str) and (not _is_integer(extent) or extent < 1):
            fail(
                _caller(),
                f"an extent must be a positive integer or a name, got {extent!r}",
            )


def _check_indices(indices: Sequence[Index]) -> None:
    for index in indices:
        if not isinstance(index, str | SSAValue) and not _is_integer(index):
            fail(
                _caller(),
                f"an index must be an integer, a name or a value, got {index!r}",
            )


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@contextmanager
def _refusing() -> Generator[None]:
    """Types and ops that verify when they are made are refused with the line."""
    try:
        yield
    except VerifyException as error:
        fail(_caller(), str(error))


def _caller() -> LocationAttr:
    """Where the code is that called the builder."""
    frame = currentframe()
    while frame is not None and frame.f_code.co_filename in _OWN_FILES:
        frame = frame.f_back
    if frame is None:
        return UNKNOWN_LOC
    name = StringAttr(frame.f_code.co_filename)
    return FileLineColLoc(name, IntAttr(frame.f_lineno), IntAttr(1))
