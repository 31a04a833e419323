"""
Launching again without checking again.

```python
prepared = kernel.prepare(a, b, out)
variant = Variant.of(prepared)  # tensors like these, elsewhere
replay = variant.at({"lhs": x.data_ptr(), "rhs": y.data_ptr(), "out": z.data_ptr()})
replay(stream)
```

Neither keeps a tensor alive: the caller's must be when the kernel runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.parameters import ParameterLayout, Parameters, no_zeros
from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.tensor_maps import TensorMapCache


class Replay(NamedTuple):
    """A launch by addresses; a tuple, which is taken apart in one step."""

    launches: dict[int, Any]
    """Those of its grid that were made so far, by stream."""

    address: int
    """Of the parameters."""

    enqueue: Enqueue
    parameters: Parameters

    @staticmethod
    def of(enqueue: Enqueue, parameters: Parameters) -> Replay:
        """The launch of a grid with these parameters, which it keeps."""
        return Replay(enqueue.launches, parameters.address, enqueue, parameters)

    def __call__(self, stream: int) -> None:
        """Put the kernel on a stream of its device."""
        self.enqueue(stream, self.address)


@dataclass(frozen=True, eq=False)
class Variant:
    """Launches of tensors that differ from checked ones in nothing but addresses.

    Those must be multiples of what those of the checked ones were multiples of.
    """

    enqueue: Enqueue
    layout: ParameterLayout
    maps: TensorMapCache

    @staticmethod
    def of(prepared: PreparedLaunch) -> Variant | None:
        """Like a call; None where there is more to it than addresses."""
        layout = prepared.layout
        if layout is None or prepared.results or prepared.staged or layout.scalars:
            return None
        maps = TensorMapCache(prepared.kernel.device.driver)
        return Variant(prepared.enqueue, layout, maps)

    def at(self, addresses: Mapping[str, int]) -> Replay:
        """The launch with tensors at these addresses, by the names of arguments."""
        places = [addresses[name] for name in self.layout.tiles]
        parameters = self.layout.pack(places, (), self.maps, no_zeros)
        return Replay.of(self.enqueue, parameters)
