"""What the methods of a builder are made with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from xdsl.ir import Block, Operation

from croqtile_mlir.building.checks import refusing

OpT = TypeVar("OpT", bound=Operation)


class Building(ABC):
    """Ops put one after the other, in regions that are open."""

    @abstractmethod
    def add(self, op: OpT) -> OpT:
        """Put any op at the end of what is being built."""

    @abstractmethod
    def inside(self, body: Block) -> AbstractContextManager[None]:
        """Put ops in a body, as long as it is open."""

    def made(self, make: Callable[[], OpT]) -> OpT:
        """Put an op that may refuse its operands when it is made."""
        with refusing():
            op = make()
        return self.add(op)
