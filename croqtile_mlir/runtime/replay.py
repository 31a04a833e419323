"""
Launching again without checking again.

```python
prepared = kernel.prepare(a, b, out)
replay = Replay.of(prepared)  # the same addresses
replay(stream)
variant = Variant.of(prepared)  # tensors like these, elsewhere
variant.at({"lhs": x.data_ptr(), "rhs": y.data_ptr(), "out": z.data_ptr()})(stream)
```

Neither keeps a tensor alive: the caller's must be when the kernel runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from croqtile_mlir.runtime.launch import PreparedLaunch
from croqtile_mlir.runtime.module import LoadedKernel
from croqtile_mlir.runtime.parameters import Parameters, pack_parameters
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.tensors import Tensor


@dataclass(frozen=True, eq=False, slots=True)
class Replay:
    """A launch by addresses."""

    kernel: LoadedKernel
    parameters: Parameters | None
    _launch: Any = field(repr=False)
    _current: Any = field(repr=False)
    _context: int = field(repr=False)
    _before: tuple[Any, ...] = field(repr=False)

    @staticmethod
    def of(prepared: PreparedLaunch) -> Replay:
        """The launch of a call whose arguments were checked and packed."""
        kernel, plan = prepared.kernel, prepared.plan
        api = kernel.device.driver.api
        return Replay(
            kernel,
            prepared.parameters,
            api.cuLaunchKernel,
            api.cuCtxGetCurrent,
            int(kernel.device.context),
            (kernel.function, *prepared.grid, plan.block, 1, 1, plan.shared_bytes),
        )

    def __call__(self, stream: int) -> None:
        """Put the kernel on a stream of its device."""
        if self.parameters is None:
            return
        if int(self._current()[1]) == self._context:
            self._run(self.parameters.address, stream)
        else:
            with self.kernel.device.current():
                self._run(self.parameters.address, stream)

    def _run(self, parameters: int, stream: int) -> None:
        status = self._launch(*self._before, stream, parameters, 0)[0]
        if int(status):
            raise self.kernel.device.driver.error("cuLaunchKernel", status)


@dataclass(frozen=True, eq=False)
class Variant:
    """Launches of tensors that differ from checked ones in nothing but addresses.

    Those must be multiples of what those of the checked ones were multiples of.
    """

    prepared: PreparedLaunch
    replay: Replay
    maps: TensorMapCache

    @staticmethod
    def of(prepared: PreparedLaunch) -> Variant | None:
        """Like a call; None where there is more to it than addresses."""
        if prepared.parameters is None or prepared.results or prepared.staged:
            return None
        tensors = {n: replace(t, source=None) for n, t in prepared.tensors.items()}
        prepared = replace(prepared, tensors=tensors)
        maps = TensorMapCache(prepared.kernel.device.driver)
        return Variant(prepared, Replay.of(prepared), maps)

    def at(self, addresses: Mapping[str, int]) -> Replay:
        """The launch with tensors at these addresses, by the names of arguments."""
        prepared = self.prepared
        tensors = {
            name: _moved(tensor, addresses[name])
            for name, tensor in prepared.tensors.items()
        }
        parameters = pack_parameters(
            prepared.plan, tensors, {}, prepared.dims, self.maps, _no_zeros
        )
        return replace(self.replay, parameters=parameters)


def _moved(tensor: Tensor, address: int) -> Tensor:
    return replace(tensor, value=replace(tensor.value, address=address))


def _no_zeros() -> NoReturn:
    raise AssertionError("a launch of blocks has tensors with elements")
