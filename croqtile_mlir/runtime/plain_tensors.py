"""Which tensors of torch say all of themselves by shape, strides and address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def are_plain(torch: Any, tensors: Sequence[Any]) -> bool:
    """Whether all are strided and of torch's own class, or parameters of modules.

    Other classes may say of their memory what they like, and views that negate have
    none of their elements in it. `torch` may still be loading.
    """
    kind, strided = getattr(torch, "Tensor", None), getattr(torch, "strided", None)
    for tensor in tensors:
        if type(tensor) is not kind and not _is_parameter(torch, tensor):
            return False
        if tensor.layout is not strided or tensor.is_neg():
            return False
    return True


def _is_parameter(torch: Any, tensor: object) -> bool:
    """Whether it is a parameter of a module, and no class derived from it."""
    return type(tensor) is getattr(getattr(torch, "nn", None), "Parameter", None)
