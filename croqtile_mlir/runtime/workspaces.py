"""Memory of a kernel's own, which its launches on one stream share."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from croqtile_mlir.runtime.arrays import DeviceMemory
from croqtile_mlir.runtime.device import Device

_PER_THREAD = 2
"""The handle of the default stream of each thread (CU_STREAM_PER_THREAD)."""

_Key = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Workspaces:
    """
    The workspaces of one kernel on one device. Safe to share between threads.

    Launches on one stream run one after the other and share one; those on different
    streams may run at the same time and never do.
    """

    device: Device
    size: int
    """Bytes of each; 0: the kernel has none."""

    _kept: dict[_Key, DeviceMemory] = field(default_factory=dict[_Key, DeviceMemory])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, stream: int) -> DeviceMemory | None:
        """That of a stream, zeroed on it at its first use."""
        if not self.size:
            return None
        key = stream, threading.get_ident() if stream == _PER_THREAD else 0
        found = self._kept.get(key)
        if found is not None:
            return found
        with self._lock:
            if (found := self._kept.get(key)) is None:
                found = DeviceMemory.allocate(self.device, self.size)
                with self.device.current():
                    self.device.driver.call(
                        "cuMemsetD8Async", found.address, 0, found.size, stream
                    )
                self._kept[key] = found
            return found
