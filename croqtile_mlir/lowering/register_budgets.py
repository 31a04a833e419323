"""The registers that a thread has, against those that its accumulator takes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import Scope, block_of, block_threads
from croqtile_mlir.diagnostics import fail, warn
from croqtile_mlir.dialects.croq import RoleOp
from croqtile_mlir.targets.architecture import Architecture


@dataclass(frozen=True)
class Need:
    """What an accumulator takes of the registers of a thread."""

    op: Operation
    """What makes the accumulator."""

    registers: int
    spread: str
    """The accumulator, and over what it is spread."""

    hint: str


@dataclass(frozen=True)
class Budget:
    """The registers of a thread, and what gives them."""

    registers: int
    giver: str

    @staticmethod
    def of(scope: Scope, target: Architecture) -> Budget:
        """That of a role where it has one, else that of its block."""
        threads = block_threads(block_of(scope.root))
        role = scope.root if isinstance(scope.root, RoleOp) else None
        if role is None or role.registers is None or not target.has("setmaxnreg"):
            giver = f"a block of {threads} threads"
            return Budget(target.max_registers(threads), giver)
        own = min(role.registers.data, target.max_registers_per_thread)
        return Budget(own, f'role "{role.role_name.data}"')

    def refuse(self, need: Need) -> None:
        """Refuse an accumulator beside which no register is left."""
        if need.registers >= self.registers:
            fail(
                need.op,
                f"must need less than the {self.registers} registers that a thread of "
                f"{self.giver} has, got {need.registers}: {need.spread}",
                hint=need.hint,
            )

    def warn(self, need: Need, others: int, ctx: Context) -> None:
        """Warn of one that leaves less than a thread needs of `others` beside it."""
        left = self.registers - need.registers
        if left < others:
            warn(
                ctx,
                need.op,
                f"leaves {left} of the {self.registers} registers that a thread of "
                f"{self.giver} has: {need.spread}; expect spills",
                hint=need.hint,
            )
