"""Calls of real torch tensors that change in place: each launch gets what is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from croqtile_mlir.runtime import torch_tensors
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.call_kinds import CallKinds
from croqtile_mlir.runtime.repeated_calls import Repeats
from croqtile_mlir.runtime.replay import Replay
from croqtile_mlir.runtime.tensor_guards import attribute_guard, is_trusted

torch = pytest.importorskip("torch")


def random(*shape: int, **more: Any) -> Any:
    return torch.randn(*shape, device="cpu", **more)


@pytest.fixture(params=["torch's own", "attributes"], autouse=True)
def guards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guards that kinds of calls are told apart by."""
    if request.param == "attributes":
        monkeypatch.setattr(torch_tensors, "guard_of", attribute_guard)
    elif not is_trusted(torch):
        pytest.skip("this torch has no guards of its own that are of use")


def stream_7(device: int) -> int:
    """The current stream of every device."""
    return 7


@dataclass
class Calls:
    """Kinds of calls of so many tensors; launches are written down."""

    count: int
    launched: list[int] = field(default_factory=list[int])
    """What stands for the parameters of each launch."""

    def __post_init__(self) -> None:
        self.kinds = CallKinds[str](self.count, tuple(range(self.count)))
        self.replays: dict[str, BoundedCache[Any, Replay]] = {}

    def add(self, name: str, tensors: Sequence[Any], parameters: int) -> None:
        """A call was made, and checked, with these parameters."""
        cache = self.replays.get(name)
        if cache is None:
            cache = self.replays[name] = BoundedCache[Any, Replay](32)
            repeats = Repeats(cache, 0, stream_7)
            arrays = self.kinds.plain(tensors)
            assert arrays is not None
            self.kinds.add(arrays, name, repeats)
        enqueue: Any = SimpleNamespace(launches={7: self.launch})
        packed: Any = SimpleNamespace(address=parameters)
        addresses = tuple(each.data_ptr() for each in tensors)
        cache.put(addresses, Replay.of(enqueue, packed))

    def launch(self, parameters: int, extra: int) -> tuple[int]:
        self.launched.append(parameters)
        return (0,)

    def again(self, *args: Any, stream: int | None = None) -> int | None:
        """The parameters that a call is launched with; None: it is checked anew."""
        self.launched.clear()
        did = any(again(args, stream) for again in self.kinds.again)
        assert len(self.launched) == did
        return self.launched[0] if did else None


def with_other_data(tensor: Any, data: Any) -> None:
    tensor.data = data


CHANGES: dict[str, Callable[[Any], object]] = {
    "transposed": lambda tensor: tensor.t_(),
    "squeezed": lambda tensor: tensor.unsqueeze_(0),
    "a smaller extent": lambda tensor: tensor.resize_(4, 3),
    "larger, elsewhere": lambda tensor: tensor.resize_(400, 400),
    "other strides": lambda tensor: tensor.as_strided_((4, 4), (1, 1)),
    "an offset": lambda tensor: tensor.as_strided_((3, 4), (4, 1), 4),
    "the memory of another": lambda tensor: tensor.set_(random(4, 4)),
    "the data of another": lambda tensor: with_other_data(tensor, random(4, 4)),
    "another element type": lambda tensor: with_other_data(
        tensor, tensor.data.view(torch.int32)
    ),
    "negated": lambda tensor: with_other_data(tensor, torch._neg_view(tensor.data)),
    "its memory was given up": lambda tensor: tensor.untyped_storage().resize_(0),
    "a derived class": lambda tensor: setattr(tensor, "__class__", Derived),
}


class Derived(torch.Tensor):
    """Might say of its memory what it likes."""


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("count", [2, 5])
def test_a_tensor_that_changed_in_place_is_seen(count: int, name: str):
    calls = Calls(count)
    args = [random(4, 4) for _ in range(count)]
    calls.add("first", args, 1)
    for number in range(count):
        assert calls.again(*args) == 1
        kept = args[number]
        changed = args[number] = kept.clone()
        calls.add("first", args, 2)
        assert calls.again(*args) == 2
        CHANGES[name](changed)
        assert calls.again(*args) is None
        args[number] = kept


@pytest.mark.parametrize("name", ["negated", "a derived class", "transposed"])
def test_what_is_no_plain_tensor_is_of_no_kind(name: str):
    """Nor is it by hash, which takes no more than shape, strides and element type."""
    calls = Calls(2)
    one, out = random(4, 4), random(4, 4)
    calls.add("first", (one, out), 1)
    CHANGES[name](one)
    if name == "transposed":
        one.t_()
        assert calls.kinds.find((one, out)) is not None
    else:
        assert calls.kinds.find((one, out)) is None


def test_memory_of_another_call():
    """Where a tensor is now is what counts, also where it was known before."""
    calls = Calls(2)
    one, other, out = random(4, 4), random(4, 4), random(4, 4)
    calls.add("first", (one, out), 1)
    calls.add("first", (other, out), 2)
    for change in (one.set_, partial(with_other_data, one)):
        before = random(4, 4)
        calls.add("first", (before, out), 3)
        change(before)
        assert calls.again(one, out) == 3
        change(other)
        assert calls.again(one, out) == 2
    torch.utils.swap_tensors(out, other)
    assert calls.again(one, out) is None


def test_another_tensor_in_freed_memory():
    """A new tensor at an old address: launched if like the old one, else not."""
    calls = Calls(2)
    memory, out = random(64), random(4, 4)
    calls.add("first", (memory[16:32].view(4, 4), out), 1)
    assert calls.again(memory[16:32].view(4, 4), out) == 1
    assert calls.again(memory[16:32].view(2, 8), out) is None
    assert calls.again(memory[16:48:2].view(4, 4), out) is None
    assert calls.again(memory.view(torch.int32)[16:32].view(4, 4), out) is None
    assert calls.again(memory[17:33].view(4, 4), out) is None


def test_a_tensor_given_twice():
    """It is of a kind of its own; both kinds are launched again."""
    calls = Calls(3)
    a, b, out = (random(4, 4) for _ in range(3))
    calls.add("two", (a, b, out), 1)
    assert calls.again(a, a, out) is None
    calls.add("one", (a, a, out), 2)
    for _ in range(2):
        assert calls.again(a, b, out) == 1
        assert calls.again(a, a, out) == 2
        assert calls.again(b, b, out) is None
    calls.add("one", (b, b, out), 3)
    assert calls.again(b, b, out) == 3
    assert calls.again(b, a, out) is None
    b.t_()
    assert calls.again(b, b, out) is None


def test_streams_and_counts():
    calls = Calls(2)
    args = random(4, 4), random(4, 4)
    calls.add("first", args, 1)
    assert calls.again(*args, stream=7) == 1
    assert calls.again(*args, stream=8) is None
    assert calls.again(*args, random(4, 4)) is None
    assert calls.again(args[0]) is None
    assert calls.again(args[0], None) is None


@pytest.mark.parametrize("count", [1, 2, 19])
def test_each_address_is_read(count: int):
    calls = Calls(count)
    room = [random(64) for _ in range(count)]
    calls.add("first", [each[:60] for each in room], 1)
    for number in range(count):
        args = [each[:60] for each in room]
        assert calls.again(*args) == 1
        args[number] = room[number][4:]
        assert calls.again(*args) is None
        calls.add("first", args, 2 + number)
        assert calls.again(*args) == 2 + number
