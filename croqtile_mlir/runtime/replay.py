"""Launching again with the same addresses: parameters stay packed, nothing is checked.

```python
replay = Replay.of(kernel.prepare(a, b, out))
replay(stream)
```
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.runtime.launch import PreparedLaunch
from croqtile_mlir.runtime.module import LoadedKernel
from croqtile_mlir.runtime.parameters import Parameters


@dataclass(frozen=True, eq=False, slots=True)
class Replay:
    """A launch by addresses. It keeps no tensor alive: the caller's must be."""

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
            self._run(stream)
        else:
            with self.kernel.device.current():
                self._run(stream)

    def _run(self, stream: int) -> None:
        assert self.parameters is not None
        address = self.parameters.address
        status = self._launch(*self._before, stream, address, 0)[0]
        if int(status):
            raise self.kernel.device.driver.error("cuLaunchKernel", status)
