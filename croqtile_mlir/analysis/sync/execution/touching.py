"""From the accesses of actions to parts of buffers with numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from croqtile_mlir.analysis.sync.execution.compiled import AccessCode
from croqtile_mlir.analysis.sync.execution.regions import Bounds, Part, Parts
from croqtile_mlir.analysis.sync.expressions import Environment, NotEvaluated, Reading

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.lanes import Mask


class Memo:
    """Parts of buffers, remembered between executions of one program."""

    def __init__(self) -> None:
        self.parts = Parts()
        self._known: dict[tuple[object, ...], Part] = {}

    def part(
        self,
        agent: int,
        code: AccessCode,
        env: Environment,
        mask: Mask | None,
        threads: int,
    ) -> Part:
        """The part that an access touches; what is not known counts as all of it."""
        key = [agent, id(code), None if mask is None else mask.tobytes()]
        for at in code.depends:
            value = env[at]
            key.append(value if isinstance(value, int) else value.tobytes())
        found = self._known.get(tuple(key))
        if found is None:
            found = self._known[tuple(key)] = self._part(code, env, mask, threads)
        return found

    def _part(
        self, code: AccessCode, env: Environment, mask: Mask | None, threads: int
    ) -> Part:
        guessed = False
        slot: int | None = None
        if code.slot is not None:
            try:
                slot = code.slot.number(env)
            except NotEvaluated:
                guessed = True
        box: list[Bounds | None] = []
        for side in code.box:
            try:
                box.append(None if side is None else _bounds(side, env, mask, threads))
            except NotEvaluated:
                box.append(None)
                guessed = True
        buffer = code.access.region.buffer
        return self.parts.part(buffer, slot, tuple(box), guessed)


def _bounds(
    side: tuple[Reading, Reading], env: Environment, mask: Mask | None, threads: int
) -> Bounds:
    lower, upper = side[0].value(env), side[1].value(env)
    if isinstance(lower, int) and isinstance(upper, int):
        return lower, upper
    from croqtile_mlir.analysis.sync import lanes

    return lanes.bounds(lower, upper, mask, threads)
