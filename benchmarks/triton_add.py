"""A sum of vectors in Triton. Importing this module imports Triton."""

from importlib import import_module
from typing import Any

# Triton takes a parameter for a constant by the name of its annotation.
from typing import Any as constexpr

triton: Any = import_module("triton")
tl: Any = import_module("triton.language")

BLOCK = 1024


@triton.jit
def add(
    a: "Any", b: "Any", out: "Any", count: "Any", SIZE: "constexpr"
) -> "None":  # fmt: skip
    """out = a + b over `count` elements."""
    place = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = place < count
    total = tl.load(a + place, mask=inside) + tl.load(b + place, mask=inside)
    tl.store(out + place, total, mask=inside)


def launch(a: Any, b: Any, out: Any) -> None:
    """One call, as a user of Triton writes it."""
    count = out.numel()
    add[(-(-count // BLOCK),)](a, b, out, count, SIZE=BLOCK)
