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

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from croqtile_mlir.building.checks import (
    caller,
    check_argument_name,
    check_defaults,
    check_kind,
    check_multiples,
    check_texts,
    check_values,
    element_type,
    tile_type,
)
from croqtile_mlir.building.control import Case, Control, Loop, While
from croqtile_mlir.building.elements import Body, Elements
from croqtile_mlir.building.lanes import Lanes
from croqtile_mlir.building.meeting import Meeting
from croqtile_mlir.building.movement import Movement, Pad
from croqtile_mlir.building.products import Products
from croqtile_mlir.building.views import Views
from croqtile_mlir.diagnostics import CompileError, fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Dim, Space
from croqtile_mlir.pass_manager.running import verify_module, verify_op
from croqtile_mlir.printing import module_text

__all__ = ["Body", "Case", "KernelBuilder", "Loop", "Pad", "While"]

OpT = TypeVar("OpT", bound=Operation)


@dataclass(eq=False)
class KernelBuilder(Control, Views, Movement, Meeting, Elements, Lanes, Products):
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
        return module_text(self._complete(), debuginfo=True)

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
        if not isinstance(self._body.last_op, croq.ReturnOp):
            self.add(croq.ReturnOp())
        check_texts(name=self.name)
        check_multiples(self.dims)
        check_defaults(self.params)
        attributes: dict[str, Attribute] = {}
        if self.reference is not None:
            check_texts(reference=self.reference)
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
        verify_module(module)
        return module

    def add(self, op: OpT) -> OpT:
        """Put any op at the end of what is being built."""
        if self._built is not None:
            fail(caller(), f"kernel {self.name} is complete, and cannot be added to")
        check_kind(op, Operation, "an op")
        op.location = caller()
        self._at.add_op(op)
        # What has regions is complete later, and what ends one belongs to its op.
        if not (op.regions or op.has_trait(IsTerminator)):
            try:
                verify_op(op)
            except CompileError:
                # Who types it again goes on with the same kernel.
                op.detach()
                op.erase()
                raise
        return op

    def argument(self, name: str, dtype: str, *shape: Dim) -> SSAValue:
        """A global tile that the caller passes."""
        check_argument_name(name)
        tile = tile_type(dtype, shape, Space.Global)
        value = self._body.insert_arg(tile, len(self._body.args))
        value.name_hint = name
        return value

    def scalar(self, name: str, dtype: str) -> SSAValue:
        """A number that the caller passes."""
        check_argument_name(name)
        value = self._body.insert_arg(element_type(dtype), len(self._body.args))
        value.name_hint = name
        return value

    def returns(self, *tiles: SSAValue) -> None:
        """End the kernel with what it returns: `alloc`s of global memory."""
        check_values(*tiles)
        self.add(croq.ReturnOp(tiles))

    @contextmanager
    def inside(self, body: Block) -> Generator[None]:
        """Put ops in a body, as long as it is open."""
        check_kind(body, Block, "a block")
        around, self._at = self._at, body
        try:
            yield
        finally:
            self._at = around
