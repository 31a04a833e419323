"""Compiling many schedules at once, in processes that know nothing of the device."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .schedules import Schedule, compile_schedule
from .shapes import Shape

if TYPE_CHECKING:
    from croqtile_mlir import Kernel


@dataclass(frozen=True)
class Compiled:
    """A schedule's kernel, or why there is none."""

    schedule: Schedule
    kernel: Kernel | None
    refusal: str = ""


class _Pickler(pickle.Pickler):
    """Pickles the read-only mappings of launch plans as well."""

    def reducer_override(self, obj: object, /) -> Any:
        if type(obj) in (MappingProxyType,):
            return _read_only, (_items(obj),)
        return NotImplemented


def _items(mapping: Any) -> dict[Any, Any]:
    return dict(mapping)


def _read_only(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


def _compiled(schedule: Schedule, shape: Shape) -> Compiled:
    try:
        return Compiled(schedule, compile_schedule(schedule, shape))
    except Exception as error:  # a crash of the compiler costs its schedule only
        return Compiled(schedule, None, f"{type(error).__name__}: {error}")


def _pickled(schedule: Schedule, shape: Shape) -> bytes:
    output = io.BytesIO()
    _Pickler(output).dump(_compiled(schedule, shape))
    return output.getvalue()


def compile_all(
    schedules: Iterable[Schedule],
    shape: Shape,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Compiled]:
    """The kernels of schedules for a shape, in the order given."""
    wanted = list(schedules)
    workers = min(os.cpu_count() or 1, len(wanted))
    if workers < 2:
        made: list[Compiled] = []
        for each in wanted:
            progress(each.name)
            made.append(_compiled(each, shape))
        return made
    found: dict[str, Compiled] = {}
    # A process that uses a device must not be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures: dict[Future[bytes], Schedule] = {
            pool.submit(_pickled, each, shape): each for each in wanted
        }
        for future in as_completed(futures):
            name = futures[future].name
            progress(name)
            try:
                found[name] = pickle.loads(future.result())
            except Exception as error:  # a process that died
                refusal = f"{type(error).__name__}: {error}"
                found[name] = Compiled(futures[future], None, refusal)
    return [found[each.name] for each in wanted]
