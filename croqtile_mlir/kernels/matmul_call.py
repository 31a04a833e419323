"""`croqtile_mlir.matmul`: the product of two matrices, its kernel chosen and kept."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from croqtile_mlir.compiler import compile
from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.kernels.matmul_launches import Launches
from croqtile_mlir.kernels.matmul_model import Problem
from croqtile_mlir.kernels.matmul_operands import (
    Operands,
    check_result,
    check_strided,
    dtype_name,
    extents,
    is_transposed,
    operands,
    read_operand,
    result_type,
)
from croqtile_mlir.kernels.matmul_results import empty, zero
from croqtile_mlir.kernels.matmul_schedules import choose_schedule, ranked_schedules
from croqtile_mlir.kernels.schedule import Schedule
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.device import available, current_ordinal, open_device
from croqtile_mlir.runtime.driver import load_driver
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.runtime.jax_arrays import in_kind, is_jax
from croqtile_mlir.runtime.streams import stream_handle
from croqtile_mlir.runtime.tensors import Tensor
from croqtile_mlir.targets.architecture import SM_90A

TARGET = SM_90A.name

MULTIPROCESSORS = 132
"""Of an H200; schedules are for it where there is no device."""

SIMULATED = 1 << 27
"""The most multiplications that are simulated: seconds."""

_CHOICES = 64
"""Types of results and schedules whose launches are kept."""

_THREAD_ACCUMULATORS = 96
"""Registers of sums beside a producer that keeps its share of the registers."""


def matmul(
    a: Any,
    b: Any,
    out: Any = None,
    *,
    dtype: Any = None,
    schedule: Schedule | None = None,
    stream: Any = None,
) -> Any:
    """
    The product of two matrices of f16 or bf16, as `numpy.matmul`: a [M, K], b [K, N].

    Takes torch and cupy tensors on a device, or numpy arrays, which are copied there
    and back, or simulated where there is no device; gives a tensor of the same library,
    or `out`. One dim of each operand must be contiguous, whichever: `w.T` of a weight
    [N, K] costs nothing. Sums are f32. `dtype` is the result's element type (f16, bf16
    or f32; the operands' by default). Kernel and schedule are chosen for the shape and
    kept; `schedule` sets one. The launch goes to `stream`, else to the library's
    current stream, and is not waited for.

    Raises:
        ArgumentError: an argument breaks a rule; nothing was launched.
        DeviceError: there is no device for it, or the driver failed.
    """
    return multiplier()(a, b, out, dtype=dtype, schedule=schedule, stream=stream)


@cache
def multiplier() -> Multiplier:
    """The one that `matmul` uses."""
    return Multiplier()


@dataclass(frozen=True)
class Multiplier:
    """Products of matrices, with the kernels and launches that were needed so far."""

    launches: BoundedCache[Hashable, Launches] = field(
        default_factory=lambda: BoundedCache[Hashable, Launches](_CHOICES)
    )
    """By the name of the result's type and the schedule, where they are given."""

    def __call__(
        self,
        a: Any,
        b: Any,
        out: Any = None,
        *,
        dtype: Any = None,
        schedule: Schedule | None = None,
        stream: Any = None,
    ) -> Any:
        """See `matmul`."""
        if schedule is not None:
            _check_kind(schedule)
        handle = None if stream is None else stream_handle(stream)
        kind = None if dtype is None else dtype_name(dtype)
        launches = self.launches.get((kind, schedule))
        if launches is None:
            launches = Launches()
            self.launches.put((kind, schedule), launches)
        result = out
        if out is None and handle is None:
            result = launches.new_result(a, b)
        for again in launches.again:
            if again((a, b, result), handle):
                return result
        if (found := launches.find(a, b, result)) is not None:
            replay, current = found
            replay(current() if handle is None else handle)
            return result
        request = _Request(a, b, result, kind, schedule, handle)
        made = self._launch(request, launches)
        if result is None and is_jax(a):
            return in_kind(made, (a,))
        if result is None:
            launches.know(a, b, made)
        return made

    def _launch(
        self,
        request: _Request,
        launches: Launches,
        swapped: tuple[Any, Any, Any] | None = None,
    ) -> Any:
        """Check everything, choose a kernel, launch it, and remember the launch.

        `swapped` are a, b and out as the caller gave them, where the request is for
        the transposed product.
        """
        stream = request.stream
        a = read_operand("a", request.a, load_driver, stream or 0)
        b = read_operand("b", request.b, load_driver, stream or 0)
        dtype = result_type(a, b, request.dtype)
        m, n, k = extents(a, b)
        check_strided("a", a)
        check_strided("b", b)
        if a.device is None and not available():
            return self._simulate(request, a, b, dtype)
        result = request.out
        if result is None:
            result = empty(a, (m, n), dtype, stream)
        out = read_operand("out", result, load_driver, stream or 0)
        dtype = check_result(out, (m, n), a, b, request.dtype)
        if out.device is not None and is_transposed(out):
            other = _Request(
                request.b.T, request.a.T, result.T, dtype, request.schedule, stream
            )
            self._launch(other, launches, (request.a, request.b, result))
            return result
        check_strided("out", out)
        if 0 in (m, n, k):
            zero(out, stream)
            return result
        found = operands(a, b, out, dtype)
        kernel = choose_kernel(found, request.schedule, _multiprocessors(a.device))
        prepared = kernel.prepare(*request.sides(found), result, stream=stream)
        prepared.launch()
        prepared.finish()
        given = swapped or (request.a, request.b, result)
        launches.add(*given, prepared, swapped=swapped is not None)
        return result

    def _simulate(self, request: _Request, a: Tensor, b: Tensor, dtype: str) -> Any:
        m, n, k = extents(a, b)
        if m * n * k > SIMULATED:
            reason = available().reason
            raise DeviceError(
                f"{reason}; the simulator takes products of at most {SIMULATED} "
                f"multiplications, got {m} * {n} * {k} = {m * n * k}"
            )
        result = request.out
        if result is None:
            result = empty(a, (m, n), dtype, None)
        out = read_operand("out", result, load_driver, 0)
        dtype = check_result(out, (m, n), a, b, request.dtype)
        if 0 in (m, n, k):
            zero(out, None)
            return result
        found = operands(a, b, out, dtype)
        kernel = choose_kernel(found, request.schedule, MULTIPROCESSORS)
        kernel.simulate(*request.sides(found), result, level="croq")
        return result


@dataclass(frozen=True)
class _Request:
    """The arguments of one call."""

    a: Any
    b: Any
    out: Any
    dtype: str | None
    schedule: Schedule | None
    stream: int | None

    def sides(self, found: Operands) -> tuple[Any, Any]:
        """The operands as the kernel takes them: the contiguous dim last."""
        plain = found.plain
        lhs = self.a if plain.lhs_by_k else self.a.T
        return lhs, self.b.T if plain.rhs_by_k else self.b


def _multiprocessors(device: int | None) -> int:
    driver = load_driver()
    ordinal = current_ordinal(driver) if device is None else device
    return open_device(driver, ordinal).multiprocessors


def _check_kind(schedule: object) -> None:
    """Refuse what cannot be looked up; `Schedule.why_not` tells the rest."""
    if not isinstance(schedule, Schedule):
        raise ArgumentError(f"schedule must be a croq.Schedule, got {schedule!r}")
    try:
        hash(schedule)
    except TypeError as error:
        raise ArgumentError(
            f"schedule cannot be compiled: {schedule.why_not()}"
        ) from error


def choose_kernel(
    found: Operands, schedule: Schedule | None, multiprocessors: int
) -> Kernel:
    """The kernel for a product: compiled once for each shape and layout."""
    plain = found.plain
    sizes = dtype_named(plain.dtype).bytes, dtype_named(plain.out_dtype).bytes
    if schedule is None:
        problem = Problem(found.m, found.n, found.k, *sizes, multiprocessors)
        schedule = choose_schedule(problem, plain.kind)
        if "threads" in (plain.lhs_engine, plain.rhs_engine):
            schedule = _by_threads(problem)
    elif (reason := schedule.why_not(*sizes)) is not None:
        raise ArgumentError(f"schedule cannot be compiled: {reason}")
    return compile(plain, dims=found.dims, schedule=schedule, target=TARGET)


def _by_threads(problem: Problem) -> Schedule:
    """The best schedule whose producer may copy by threads."""
    return next(
        each
        for each in ranked_schedules(problem)
        if not each.is_clustered and each.accumulators <= _THREAD_ACCUMULATORS
    )
