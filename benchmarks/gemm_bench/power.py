"""Clocks and power of a device while something runs, from NVML."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

PERIOD_SECONDS = 0.02
_LIBRARIES = ("libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1")
_CLOCK_SM = 1
_POWER_INSTANT = 186


class _FieldValue(ctypes.Structure):
    """`nvmlFieldValue_t`."""

    _fields_ = [
        ("field", ctypes.c_uint),
        ("scope", ctypes.c_uint),
        ("timestamp", ctypes.c_longlong),
        ("latency", ctypes.c_longlong),
        ("kind", ctypes.c_int),
        ("status", ctypes.c_int),
        ("value", ctypes.c_ulonglong),
    ]


@dataclass(frozen=True)
class Sample:
    """The state of a device at one moment; NaN is what it does not tell."""

    seconds: float
    """`time.perf_counter` at the sample."""

    sm_mhz: float
    watts: float
    joules: float
    """Energy since the driver was loaded."""


@dataclass(frozen=True)
class Meter:
    """NVML for one device."""

    library: Any
    device: ctypes.c_void_p

    @staticmethod
    def open(uuid: str) -> Meter | None:
        """The meter of a device by its UUID; None where there is no NVML."""
        for name in _LIBRARIES:
            try:
                library: Any = ctypes.CDLL(name)
            except OSError:
                continue
            device = ctypes.c_void_p()
            if library.nvmlInit_v2():
                return None
            text = uuid if uuid.startswith("GPU-") else f"GPU-{uuid}"
            found = library.nvmlDeviceGetHandleByUUID(
                ctypes.c_char_p(text.encode()), ctypes.byref(device)
            )
            if found:
                found = library.nvmlDeviceGetHandleByIndex_v2(
                    ctypes.c_uint(0), ctypes.byref(device)
                )
            return None if found else Meter(library, device)
        return None

    def _clock(self) -> float:
        value = ctypes.c_uint()
        status = self.library.nvmlDeviceGetClockInfo(
            self.device, ctypes.c_int(_CLOCK_SM), ctypes.byref(value)
        )
        return float("nan") if status else float(value.value)

    def _watts(self) -> float:
        """The power now; where the device does not tell, over the last second."""
        now = _FieldValue(field=_POWER_INSTANT)
        status = self.library.nvmlDeviceGetFieldValues(
            self.device, ctypes.c_int(1), ctypes.byref(now)
        )
        if not status and not now.status:
            # An unsigned int in the low bytes of the union, in milliwatts.
            return (now.value & 0xFFFFFFFF) / 1e3
        value = ctypes.c_uint()
        status = self.library.nvmlDeviceGetPowerUsage(self.device, ctypes.byref(value))
        return float("nan") if status else value.value / 1e3

    def _joules(self) -> float:
        value = ctypes.c_ulonglong()
        status = self.library.nvmlDeviceGetTotalEnergyConsumption(
            self.device, ctypes.byref(value)
        )
        return float("nan") if status else value.value / 1e3

    def sample(self) -> Sample:
        """The state now."""
        return Sample(time.perf_counter(), self._clock(), self._watts(), self._joules())


@dataclass
class Sampler:
    """Samples in a thread of its own, from `with` to its end."""

    sample: Callable[[], Sample] | None
    period: float = PERIOD_SECONDS
    samples: list[Sample] = field(default_factory=list[Sample])
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Sampler:
        if self.sample is not None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        assert self.sample is not None
        while not self._over.wait(self.period):
            self.samples.append(self.sample())

    def between(self, begin: float, end: float) -> list[Sample]:
        """The samples of a time."""
        return [each for each in self.samples if begin <= each.seconds <= end]


def figures(samples: Sequence[Sample]) -> dict[str, float]:
    """Median clock and power, and the mean power by the energy counter, if known."""
    if not samples:
        return {}
    first, last = samples[0], samples[-1]
    found = {
        "sm_mhz": median(each.sm_mhz for each in samples),
        "watts": median(each.watts for each in samples),
        "samples": float(len(samples)),
    }
    if last.seconds > first.seconds:
        spent = last.joules - first.joules
        found["watts_by_energy"] = spent / (last.seconds - first.seconds)
    # NaN is no JSON.
    return {name: value for name, value in found.items() if value == value}
