"""The schedules that the library chooses itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from .operands import Operands
from .schedules import NAMED, Schedule
from .shapes import Shape

if TYPE_CHECKING:
    from croqtile_mlir.kernels.matmul_model import Problem
    from croqtile_mlir.kernels.schedule import Schedule as Choice

LIBRARY = Schedule("croq.matmul", ())
"""Stands for `croqtile_mlir.matmul`: its own choice for the shape."""

MULTIPROCESSORS = 132
"""Of the device that the cost model is asked about: an H200."""

KIND = "f16-f16-row.row"
"""The library's name for these element types and layouts."""

_MODEL = re.compile(r"model:(?P<count>\d+)")


def named(text: str) -> tuple[Schedule, ...]:
    """Schedules by name: `croq.matmul`, `named`, `model:20`, or one of `NAMED`.

    `model:20` stands for the best twenty of the cost model, other ones for each shape.
    """
    if text == LIBRARY.name:
        return (LIBRARY,)
    if text == "named":
        return NAMED
    if _MODEL.fullmatch(text):
        return (Schedule(text, ()),)
    return tuple(each for each in NAMED if each.name == text)


def for_shape(schedules: Iterable[Schedule], shape: Shape) -> tuple[Schedule, ...]:
    """The schedules, with those that the cost model proposes for the shape."""
    found: dict[str, Schedule] = {}
    for schedule in schedules:
        model = _MODEL.fullmatch(schedule.name)
        listed = _proposed(shape, int(model["count"])) if model else [schedule]
        found |= {each.name: each for each in listed}
    return tuple(found.values())


def saved(titles: Mapping[Shape, str]) -> dict[str, object]:
    """Schedules of the cost model, by title, as the library's saved search has them.

    Those that the model does not propose are left out.
    """
    from croqtile_mlir.kernels.matmul_schedules import (
        ranked_schedules,
        searched_key,
        to_record,
    )

    found: dict[str, object] = {}
    for shape, name in titles.items():
        problem = _problem(shape)
        known = {title(each): each for each in ranked_schedules(problem)}
        if name in known:
            found[searched_key(problem, KIND)] = to_record(known[name])
    return found


def _problem(shape: Shape, multiprocessors: int = MULTIPROCESSORS) -> Problem:
    from croqtile_mlir.kernels.matmul_model import Problem

    return Problem(shape.m, shape.n, shape.k, multiprocessors=multiprocessors)


def _proposed(shape: Shape, count: int) -> list[Schedule]:
    from croqtile_mlir.kernels.matmul_schedules import ranked_schedules

    problem = _problem(shape)
    bound = "bind-dims{M=$M N=$N K=$K}"
    return [
        Schedule(title(each), (bound, *each.passes))
        for each in ranked_schedules(problem)[:count]
    ]


def title(choice: Choice) -> str:
    """A schedule of the library in a word, such as `pp128x192.s5.2x1`."""
    mode = "pp" if choice.mode == "pingpong" else f"coop{choice.consumers}."
    across, down = choice.cluster
    parts = [f"{mode}{choice.bm}x{choice.bn}", f"s{choice.stages}"]
    if choice.bk != 64:
        parts.append(f"k{choice.bk}")
    if choice.is_clustered:
        parts.append(f"{across}x{down}")
    if choice.persistent:
        parts.append(f"{choice.order[0]}{choice.group}")
    parts.append(f"e{choice.epilogue_cols}x{choice.epilogue_buffers}")
    return ".".join(parts)


def chosen(shape: Shape, multiprocessors: int) -> str:
    """What `croqtile_mlir.matmul` takes for a shape, as far as this can be told."""
    from croqtile_mlir.kernels.matmul_schedules import choose_schedule

    return title(choose_schedule(_problem(shape, multiprocessors)))


def launcher(operands: Operands) -> Callable[[int], None]:
    """What calls `croqtile_mlir.matmul` on a set of operands."""
    from croqtile_mlir.kernels.matmul_call import matmul

    transposed = [each.T for each in operands.rhs]
    lhs, out, stream = operands.lhs, operands.out, operands.stream.cuda_stream

    def launch(number: int) -> None:
        matmul(lhs[number], transposed[number], out[number], stream=stream)

    return launch
