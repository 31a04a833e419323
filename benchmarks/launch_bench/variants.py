"""Other ways to launch a call again, measured beside the package's own.

Each guards tensors and reads addresses, as a launch must; they differ in how. Some use
what torch keeps to itself, and are here to know what it would gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.replay import Replay
from croqtile_mlir.runtime.streams import current_stream_of
from croqtile_mlir.runtime.tensor_guards import guard_of

Launch = Callable[..., object]


def variants(
    torch: Any, prepared: PreparedLaunch, tensors: Sequence[Any]
) -> Iterator[tuple[str, Callable[[], Launch]]]:
    """By name, what makes a call of these tensors, whose launch was prepared."""
    parameters = prepared.parameters
    assert parameters is not None
    replay = Replay.of(prepared.enqueue, parameters)
    guard = guard_of(torch, tensors)
    device = prepared.kernel.device.ordinal
    current = current_stream_of(torch)
    # Launched once, so that the stream is known.
    replay(current(device))
    addresses = address_reader(len(tensors))
    read: Callable[[Any], int] = torch.Tensor.data_ptr
    known = {addresses(*tensors): replay}

    class Loop:
        """Addresses are read by a loop, in C."""

        def __call__(self, *args: Any, stream: Any = None) -> None:
            if not guard(*args):
                raise LookupError
            launches, parameters, _, _ = known[tuple(map(read, args))]
            launch = launches[current(device) if stream is None else stream]
            if launch(parameters, 0)[0]:
                raise RuntimeError

    class Flat:
        """All of it in the one function that is called."""

        def __call__(self, *args: Any, stream: Any = None) -> None:
            if not guard(*args):
                raise LookupError
            launches, parameters, _, _ = known[addresses(*args)]
            launch = launches[current(device) if stream is None else stream]
            if launch(parameters, 0)[0]:
                raise RuntimeError

    class Latest:
        """Flat, and the addresses of the latest call are compared, not looked up."""

        latest = addresses(*tensors), replay

        def __call__(self, *args: Any, stream: Any = None) -> None:
            if not guard(*args):
                raise LookupError
            found, (launches, parameters, _, _) = self.latest
            if addresses(*args) != found:
                raise LookupError
            launch = launches[current(device) if stream is None else stream]
            if launch(parameters, 0)[0]:
                raise RuntimeError

    def by_torch() -> Launch:
        equal: Any = torch._C._tensors_data_ptrs_at_indices_equal
        found, places = [*addresses(*tensors)], [*range(len(tensors))]

        class ByTorch:
            """Flat, and torch compares addresses with the latest, in one call."""

            def __call__(self, *args: Any, stream: Any = None) -> None:
                if not guard(*args) or not equal([*args], found, places):
                    raise LookupError
                launches, parameters, _, _ = replay
                launch = launches[current(device) if stream is None else stream]
                if launch(parameters, 0)[0]:
                    raise RuntimeError

        return ByTorch()

    def tree() -> Launch:
        matches = _guard_tree(torch, tensors)

        class Tree:
            """Flat, and the guard is the tree that dynamo makes of them."""

            def __call__(self, *args: Any, stream: Any = None) -> None:
                if not matches(args):
                    raise LookupError
                launches, parameters, _, _ = known[addresses(*args)]
                launch = launches[current(device) if stream is None else stream]
                if launch(parameters, 0)[0]:
                    raise RuntimeError

        return Tree()

    class Unchecked:
        """What no check can be faster than: the latest launch, whatever is given."""

        def __call__(self, *args: Any, stream: Any = None) -> None:
            launches, parameters, _, _ = replay
            launch = launches[current(device) if stream is None else stream]
            if launch(parameters, 0)[0]:
                raise RuntimeError

    yield "addresses by a loop", Loop
    yield "one function", Flat
    yield "one function, latest addresses", Latest
    yield "one function, latest addresses by torch", by_torch
    yield "one function, guards in a tree", tree
    yield "nothing checked", Unchecked


def address_reader(count: int) -> Callable[..., tuple[int, ...]]:
    """What reads the addresses of so many tensors, a call for each written out."""
    names = [f"tensor_{number}" for number in range(count)]
    calls = [f"{name}.data_ptr()" for name in names]
    return eval(f"lambda {', '.join(names)}: ({', '.join(calls)},)", {})


def _guard_tree(torch: Any, tensors: Sequence[Any]) -> Callable[[Any], bool]:
    """dynamo's guards of a tuple of tensors."""
    guards: Any = torch._C._dynamo.guards
    kind = import_module("torch._dynamo.guards").GuardManagerType.GUARD_MANAGER
    root = guards.RootGuardManager()
    for number, tensor in enumerate(tensors):
        name = f"tensor_{number}"
        manager = root.tuple_getitem_manager(number, name, tensor, kind)
        shape, strides = list(tensor.shape), list(tensor.stride())
        keys = torch._C._dispatch_keys(tensor)
        first: list[Any] = [tensor, shape, strides, name, [name]]
        last: list[Any] = [type(tensor), keys]
        try:
            manager.add_tensor_match_guard(*first, None, *last)
        except TypeError:
            # Some versions take no stack of the user's.
            manager.add_tensor_match_guard(*first, *last)
    return root.check
