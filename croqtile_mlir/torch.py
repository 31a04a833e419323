"""Kernels as custom operators of PyTorch.

```python
import croqtile_mlir as croq

kernel = croq.compile("examples/matmul_returned.mlir")
matmul = croq.torch.custom_op(kernel, "mylib::matmul")
c = torch.compile(lambda a, b: torch.relu(matmul(a, b)))(a, b)
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.exporting.c_names import c_names
from croqtile_mlir.kernel import Kernel, check_kernel
from croqtile_mlir.launch.plan import LaunchPlan, ScalarArg, TileArg
from croqtile_mlir.runtime.outputs import torch_tile

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*", re.ASCII)


def custom_op(kernel: Kernel, name: str | None = None) -> Any:
    """Register a kernel as a custom operator, `torch.library.custom_op`.

    The operator takes what `kernel(...)` takes, in the same order. Tiles that the
    kernel stores to are arguments that it mutates; tiles that it returns are new
    tensors. Its fake implementation knows their shapes, strides and types, so that it
    works on fake tensors and under `torch.compile`, with dynamic shapes, too. On
    tensors of a CUDA device it launches the kernel on the current stream; on tensors in
    host memory it runs it in the simulator. It has no derivative: `register_autograd`
    of what is returned, a `CustomOpDef`, gives it one if it mutates nothing.

    `name` is `namespace::operator`, by default `croqtile::` and the kernel's name. A
    second operator of one name takes the place of the first.

    Raises:
        ArgumentError: the name is of another form, `kernel` is none, or no argument of
            it is a tile, which the operator could be dispatched by.
        ImportError: there is no torch, or it is older than 2.4.
    """
    check_kernel(kernel)
    chosen = f"croqtile::{_identifier(kernel.name)}" if name is None else name
    if not _NAME.fullmatch(str(chosen)):
        raise ArgumentError(f"name must be like namespace::operator, got {chosen!r}")
    plan = kernel.plan
    if not any(isinstance(arg, TileArg) for arg in plan.inputs):
        raise ArgumentError(f"kernel {kernel.name} must take a tile to be an operator")
    library: Any = import_module("torch.library")
    if not hasattr(library, "custom_op"):
        raise ImportError("custom operators need torch 2.4 or later")
    operator = _Operator(kernel)
    made = library.custom_op(
        chosen,
        operator.launch,
        mutates_args=operator.mutated,
        device_types="cuda",
        schema=operator.schema,
    )
    made.register_kernel("cpu")(operator.simulate)
    made.register_fake(operator.fake)
    return made


def _identifier(name: str) -> str:
    (made,) = c_names({name: name}).values()
    return made


@dataclass(frozen=True)
class _Operator:
    """What an operator does on each kind of tensors."""

    kernel: Kernel

    @property
    def plan(self) -> LaunchPlan:
        return self.kernel.plan

    @cached_property
    def names(self) -> dict[str, str]:
        """What the schema calls the arguments."""
        return c_names({arg.name: arg.name for arg in self.plan.inputs})

    @property
    def mutated(self) -> tuple[str, ...]:
        """The arguments that the kernel stores to."""
        return tuple(
            self.names[arg.name]
            for arg in self.plan.inputs
            if isinstance(arg, TileArg) and arg.written
        )

    @property
    def schema(self) -> str:
        """As `(Tensor lhs, Tensor(a0!) out, float alpha) -> ()`."""
        parts: list[str] = []
        for number, arg in enumerate(self.plan.inputs):
            if isinstance(arg, ScalarArg):
                kind = "bool" if arg.dtype == "i1" else "int"
                kind = kind if arg.dtype.startswith("i") else "float"
            else:
                kind = f"Tensor(a{number}!)" if arg.written else "Tensor"
            parts.append(f"{kind} {self.names[arg.name]}")
        results = ", ".join(["Tensor"] * len(self.plan.outputs))
        one = len(self.plan.outputs) == 1
        return f"({', '.join(parts)}) -> {results if one else f'({results})'}"

    def launch(self, *args: Any) -> Any:
        """On tensors of a device."""
        return self.kernel(*args)

    def simulate(self, *args: Any) -> Any:
        """On tensors in host memory."""
        outputs = self._outputs(args)
        given = [
            value.detach() if isinstance(arg, TileArg) else value
            for arg, value in zip(self.plan.inputs, args, strict=True)
        ]
        found = self.kernel.simulate(*given)
        several = found if len(outputs) > 1 else (found,)
        for output, result in zip(outputs, several, strict=False):
            output.copy_(_from_numpy(result, output.dtype))
        return _results(outputs)

    def fake(self, *args: Any) -> Any:
        """The results without elements."""
        return _results(self._outputs(args))

    def _outputs(self, args: Sequence[Any]) -> list[Any]:
        given = zip(self.plan.inputs, args, strict=True)
        tiles = {arg.name: value for arg, value in given if isinstance(arg, TileArg)}
        dims = self.plan.bind({name: value.shape for name, value in tiles.items()})
        device = next(iter(tiles.values())).device
        return [
            torch_tile(self.plan, tile, dims, device).make()
            for tile in self.plan.outputs
        ]


def _from_numpy(array: Any, dtype: Any) -> Any:
    """A tensor of a numpy array, also of a type that torch does not know numpy's of."""
    torch: Any = import_module("torch")
    size = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}[array.dtype.itemsize]
    return torch.from_numpy(array.view(size)).view(dtype)


def _results(outputs: Sequence[Any]) -> Any:
    if not outputs:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
