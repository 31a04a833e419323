"""Whether tensors are like some others in everything but addresses.

Every call asks it. torch answers it in C++ for code that `torch.compile` made, eight
times as fast as its public attributes do, but that class is none of its public
interface: it is used once it has told apart what matters here, else the attributes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from croqtile_mlir.runtime.array_library import Guard
from croqtile_mlir.runtime.scalar_arguments import chosen


def guard_of(torch: Any, tensors: Sequence[Any]) -> Guard:
    """The guard of some plain tensors of torch: it lets no other kind through.

    It compares class, element type, device, shape and strides, and whatever else makes
    memory mean something else, and keeps no tensor alive.
    """
    if is_trusted(torch):
        return compiled_guard(torch, tensors)
    return attribute_guard(torch, tensors)


def compiled_guard(torch: Any, tensors: Sequence[Any]) -> Guard:
    """torch's own guard, with no extent and no stride left open."""
    firsts = [next(n for n, other in enumerate(tensors) if other is t) for t in tensors]
    if len(set(firsts)) < len(tensors):
        return _guard_of_repeated(torch, tensors, firsts)
    guards: Any = torch._C._dynamo.guards.TensorGuards
    made = guards(
        *tensors,
        dynamic_dims_sizes=[list(tensor.shape) for tensor in tensors],
        dynamic_dims_strides=[list(tensor.stride()) for tensor in tensors],
    )
    return made.check


def _guard_of_repeated(
    torch: Any, tensors: Sequence[Any], firsts: Sequence[int]
) -> Guard:
    """The guard of tensors some of which come again, at the same places in each call.

    torch's own lets none through that is there twice.
    """
    kept = sorted(set(firsts))
    pick = chosen(kept)
    guard = compiled_guard(torch, pick(tensors))
    repeated = [(n, first) for n, first in enumerate(firsts) if n != first]

    def check(*found: Any) -> bool:
        for number, first in repeated:
            if found[number] is not found[first]:
                return False
        return guard(*pick(found))

    return check


def attribute_guard(torch: Any, tensors: Sequence[Any]) -> Guard:
    """What the public attributes say."""
    strided = torch.strided
    expected: list[tuple[Any, ...]] = [
        (type(each), each.dtype, each.shape, each.stride(), each.device)
        for each in tensors
    ]

    def check(*found: Any) -> bool:
        for tensor, (kind, dtype, shape, strides, device) in zip(
            found, expected, strict=True
        ):
            if (
                type(tensor) is not kind
                or tensor.layout is not strided
                or tensor.dtype != dtype
                or tensor.shape != shape
                or tensor.stride() != strides
                or tensor.device != device
                or tensor.is_neg()
            ):
                return False
        return True

    return check


@cache
def is_trusted(torch: Any) -> bool:
    """Whether this torch has the class, and it tells apart what it has to."""
    try:
        with torch.inference_mode(False):
            return _tells_apart(torch)
    except Exception:
        # Not public: another version may have none, or one that is called otherwise.
        return False


def _tells_apart(torch: Any) -> bool:
    """Whether a guard takes what is like its tensors, and nothing else."""
    zeros = partial(torch.zeros, device="cpu")
    tensor, other = zeros(4, 6), zeros(4, 6)
    check = compiled_guard(torch, [tensor, tensor[:, :2]])
    like = other[:, :2]
    differ = [
        (other.double(), like),
        (other.to(torch.int32), like),
        (other.to("meta"), like),
        (zeros(4, 7), like),
        (zeros(24), like),
        (zeros(6, 4).T, like),
        (other, zeros(4, 2)),
        (torch.nn.Parameter(other), like),
        (zeros(4, 6, dtype=torch.complex64).conj().imag, like),
        (other.to_sparse(), like),
        (other.numpy(), like),
        (like, other),
    ]
    return (
        check(tensor, tensor[:, :2])
        and check(other, like)
        and not any(check(*each) for each in differ)
    )
