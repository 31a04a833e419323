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
kernel = croqtile_mlir.compile(k)
```

Methods are named after the ops of the `croq` dialect (`docs/levels.md`) and take their
operands. An extent or index is an integer, the name of a dim or parameter, or a value.
Ops carry the line of the Python code that asked for them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import TypeVar

from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.builder_checks import (
    caller,
    check_extents,
    check_indices,
    element_type,
    engine_named,
    refusing,
    tile_type,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import (
    AccType,
    Dim,
    Engine,
    EventType,
    Level,
    Position,
    Space,
)
from croqtile_mlir.dialects.croq.index import Index

OpT = TypeVar("OpT", bound=Operation)

_index = IndexType()


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


@dataclass(eq=False)
class KernelBuilder:
    """Builds one `croq.kernel`, op after op.

    `croqtile_mlir.compile` takes it, when it is complete.
    """

    name: str
    dims: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of the dims, each with what it is a multiple of."""

    params: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of the parameters with their default values."""

    reference: str | None = None
    """What the kernel computes (`docs/croq-run.md`)."""

    _body: Block = field(default_factory=Block, init=False, repr=False)
    _at: Block = field(init=False, repr=False)
    _built: ModuleOp | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._at = self._body

    @property
    def key(self) -> str:
        """The text of the module with the places of its ops."""
        text = StringIO()
        Printer(stream=text, print_debuginfo=True).print_op(self._complete())
        return text.getvalue()

    def build(self) -> ModuleOp:
        """The module with the kernel, verified; a new one in every call.

        The first call completes the kernel: nothing can be added any more.

        Raises:
            CompileError: the kernel does not verify.
        """
        return self._complete().clone()

    def module(self) -> ModuleOp:
        """As `build`."""
        return self.build()

    def _complete(self) -> ModuleOp:
        if self._built is None:
            self._built = self._made()
        return self._built

    def _made(self) -> ModuleOp:
        if self._at is not self._body:
            fail(caller(), "a kernel must be complete, got one in an open region")
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
        kernel.location = caller()
        module = ModuleOp([kernel])
        try:
            module.verify()
        except VerifyException as error:
            fail(kernel, f"does not verify: {error}")
        return module

    def add(self, op: OpT) -> OpT:
        """Put any op at the end of what is being built."""
        if self._built is not None:
            fail(caller(), f"kernel {self.name} is complete, and cannot be added to")
        op.location = caller()
        self._at.add_op(op)
        return op

    def argument(self, name: str, dtype: str, *shape: Dim) -> SSAValue:
        """A global tile that the caller passes."""
        tile = tile_type(dtype, shape, Space.Global)
        value = self._body.insert_arg(tile, len(self._body.args))
        value.name_hint = name
        return value

    def scalar(self, name: str, dtype: str) -> SSAValue:
        """A number that the caller passes."""
        value = self._body.insert_arg(element_type(dtype), len(self._body.args))
        value.name_hint = name
        return value

    def cdiv(self, numerator: Index, denominator: Index) -> SSAValue:
        """The quotient, rounded up."""
        check_indices((numerator, denominator))
        return self.add(croq.CDivOp(numerator, denominator)).results[0]

    @contextmanager
    def parallel(
        self,
        *extents: Index,
        level: Level = Level.Block,
        threads: int | None = None,
    ) -> Generator[tuple[SSAValue, ...]]:
        """A body for each index of a level; gives the indices."""
        check_indices(extents)
        check_extents([each for each in extents if isinstance(each, int)])
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
        check_indices((lower, upper, step))
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
        tile = tile_type(dtype, shape, Space.Shared)
        return self.add(croq.AllocOp(tile)).tile

    def subspan(
        self, source: SSAValue, extents: Sequence[Dim], tile: Sequence[Index]
    ) -> SSAValue:
        """The tile of the given extents at a tile index."""
        check_extents(extents)
        check_indices(tile)
        with refusing():
            op = croq.SubspanOp(source, extents, tile)
        return self.add(op).results[0]

    def slot(self, buffers: SSAValue, at: Index, offset: int | str = 0) -> SSAValue:
        """One stage of an array of buffers, by its order: `at + offset` mod stages."""
        check_indices((at,))
        with refusing():
            op = croq.SlotOp(buffers, Position(at, offset))
        return self.add(op).results[0]

    def copy(
        self,
        source: SSAValue,
        destination: SSAValue,
        engine: Engine | str = Engine.Auto,
    ) -> None:
        """Copy a tile; complete when the op is."""
        self.add(croq.CopyOp(source, destination, engine_named(engine)))

    def copy_async(
        self,
        source: SSAValue,
        destination: SSAValue,
        engine: Engine | str = Engine.Auto,
    ) -> SSAValue:
        """Start to copy a tile; the future that says when it is complete."""
        return self.add(
            croq.CopyAsyncOp(source, destination, engine_named(engine))
        ).future

    def event(self, slots: Dim = 1, *, ready: bool = False) -> SSAValue:
        """A ring of generation counters, one for each slot."""
        check_extents((slots,))
        return self.add(croq.EventOp(EventType(slots), ready=ready)).event

    def wait_for(self, event: SSAValue, at: Index, offset: int | str = 0) -> None:
        """Wait until the generation of an order, `at + offset`, is complete."""
        check_indices((at,))
        self.add(croq.WaitOp(event, Position(at, offset)))

    def trigger(
        self,
        event: SSAValue,
        at: Index,
        offset: int | str = 0,
        *,
        after: Sequence[SSAValue] = (),
    ) -> None:
        """Arrive on the generation of an order, when the copies `after` have landed."""
        check_indices((at,))
        self.add(croq.TriggerOp(event, Position(at, offset), after))

    def barrier(self) -> None:
        """All threads of the role, else of the block, meet."""
        self.add(croq.BarrierOp())

    def load(self, tile: SSAValue, *at: Index) -> SSAValue:
        """One element; inside `parallel` of threads."""
        check_indices(at)
        return self.add(croq.LoadOp(tile, at)).results[0]

    def store_element(self, value: SSAValue, tile: SSAValue, *at: Index) -> None:
        """Set one element; inside `parallel` of threads."""
        check_indices(at)
        self.add(croq.StoreOp(value, tile, at))

    def fill(self, value: float, rows: Dim, cols: Dim, dtype: str = "f32") -> SSAValue:
        """An accumulator whose elements are all `value`."""
        element = element_type(dtype)
        check_extents((rows, cols))
        with refusing():
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
