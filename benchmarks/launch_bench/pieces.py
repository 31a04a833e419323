"""Where the host time of a repeated call goes, piece by piece; no device is needed.

The tensors are real ones of torch, in host memory where there is no device. The launch
is one that does nothing, so that what is left is the time of the package's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import croqtile_mlir as croq
from croqtile_mlir.compiler import Source
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.call_kinds import CallKinds
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.parameters import Parameters
from croqtile_mlir.runtime.repeated_calls import Repeats
from croqtile_mlir.runtime.replay import Replay
from croqtile_mlir.runtime.tensor_guards import guard_of

from .measures import Contender, ready
from .variants import address_reader

COUNTS = 3, 19


def pieces(torch: Any, device: str) -> Iterator[Contender]:
    """The pieces of calls of three and of nineteen tensors."""
    yield Contender("a call of a Python function", ready(lambda number: None))
    if device != "cpu":
        current = torch._C._cuda_getCurrentRawStream
        yield Contender("torch's current stream", ready(lambda number: current(0)))
    for count in COUNTS:
        tensors = tuple(torch.randn(256, device=device) for _ in range(count))
        yield from _pieces(torch, tensors)


def _pieces(torch: Any, tensors: Sequence[Any]) -> Iterator[Contender]:
    count, what = len(tensors), f"{len(tensors)} tensors"
    guard, addresses = guard_of(torch, tensors), address_reader(count)
    read: Callable[[Any], int] = torch.Tensor.data_ptr
    # Equal, but not the same numbers, as in a call.
    found, again = addresses(*tensors), addresses(*tensors)
    replays = BoundedCache[Any, Replay](16)
    enqueue = Enqueue(_none(), _nothing_on, {0: _nothing})
    replays.put(found, Replay.of(enqueue, Parameters(0, ())))
    kernel = _kernel(tensors, Repeats(replays, 0, _stream_0))
    yield Contender(f"{what}: guard", ready(lambda number: guard(*tensors)))
    yield Contender(f"{what}: addresses", ready(lambda number: addresses(*tensors)))
    yield Contender(
        f"{what}: addresses by a loop", ready(lambda number: tuple(map(read, tensors)))
    )
    yield Contender(f"{what}: look-up", ready(lambda number: replays.get(again)))
    yield Contender(f"{what}: call with no launch", ready(lambda n: kernel(*tensors)))


def _refuse(*args: Any) -> Any:
    """A launcher of calls that are not like earlier ones."""
    raise RuntimeError("this call must be launched again")


def _kernel(tensors: Sequence[Any], repeats: Repeats) -> croq.Kernel:
    """A kernel that was called with these tensors."""
    kinds = CallKinds[None](len(tensors), tuple(range(len(tensors))))
    arrays = kinds.plain(tensors)
    assert arrays is not None
    kinds.add(arrays, None, repeats)
    made = croq.Kernel("kernel", Source("", "kernel.mlir"), "", _none())
    vars(made).update(launcher=_refuse, _again=kinds.again)
    return made


def _none() -> Any:
    """Stands for what these calls do not look at."""
    return None


def _stream_0(device: int) -> int:
    return 0


def _nothing_on(stream: int) -> Any:
    return _nothing


_OK = (0,)


def _nothing(parameters: int, extra: int) -> tuple[int]:
    """The driver's launch, without the driver."""
    return _OK
