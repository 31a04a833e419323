"""The matrix products that are timed: D[M, N] = A[M, K] B[N, K]^T in f16."""

from __future__ import annotations

import re
from dataclasses import dataclass

ELEMENT_BYTES = 2
ROTATED_BYTES = 320 << 20
"""The operands of one shape rotate over at least this many bytes: several L2 caches."""

_CUBE = re.compile(r"(\d+)\^3")


@dataclass(frozen=True, order=True)
class Shape:
    """One product; extents in elements."""

    m: int
    n: int
    k: int

    @property
    def flops(self) -> int:
        """Multiplications and additions of one product."""
        return 2 * self.m * self.n * self.k

    @property
    def bytes(self) -> int:
        """Bytes of A, B and D."""
        m, n, k = self.m, self.n, self.k
        return ELEMENT_BYTES * (m * k + n * k + m * n)

    @property
    def sets(self) -> int:
        """How many sets of operands fill `ROTATED_BYTES`, at least two."""
        return max(2, min(64, -(-ROTATED_BYTES // self.bytes)))

    def teraflops(self, microseconds: float) -> float:
        """TFLOP/s of a product that takes so long."""
        return self.flops / microseconds / 1e6

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"

    @staticmethod
    def parse(text: str) -> Shape:
        """A shape from `4096x4096x1024`, `4096,4096,1024` or `4096^3`."""
        cube = _CUBE.fullmatch(text.strip())
        extents = [cube[1]] * 3 if cube else re.split("[x,]", text.strip())
        if len(extents) != 3 or not all(each.isdigit() for each in extents):
            raise ValueError(f"a shape is MxNxK or EXTENT^3, got '{text}'")
        m, n, k = (int(each) for each in extents)
        if min(m, n, k) < 1:
            raise ValueError(f"extents must be positive, got '{text}'")
        return Shape(m, n, k)


NINE = (
    Shape(4096, 4096, 4096),
    Shape(8192, 8192, 8192),
    Shape(16384, 8192, 8192),
    Shape(8192, 8192, 1024),
    Shape(2048, 2048, 2048),
    Shape(1024, 1024, 1024),
    Shape(512, 14336, 4096),
    Shape(4096, 14336, 4096),
    Shape(4000, 4000, 4096),
)
"""The shapes of the geometric means."""

OTHERS = (
    Shape(128, 8192, 8192),
    Shape(16, 8192, 8192),
    Shape(4093, 4093, 4096),
)
"""Skinny products, and rows that TMA cannot address."""

SUSTAINED = (
    Shape(4096, 4096, 4096),
    Shape(8192, 8192, 8192),
    Shape(4096, 14336, 4096),
    Shape(512, 14336, 4096),
)
"""The shapes that are also timed under the power limit."""

_GROUPS = {"nine": NINE, "others": OTHERS, "all": NINE + OTHERS, "large": SUSTAINED}


def parse_shapes(texts: list[str]) -> tuple[Shape, ...]:
    """Shapes, and the groups `nine`, `others`, `all` and `large`, each shape once."""
    found: list[Shape] = []
    for text in texts:
        found += _GROUPS.get(text) or (Shape.parse(text),)
    return tuple(dict.fromkeys(found))
