"""What numbers hold for: hardware, driver, versions, sources."""

from __future__ import annotations

import ctypes
import datetime
import hashlib
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("triton", "cuda-bindings", "xdsl", "numpy", "nvidia-cublas")


def environment(torch: Any) -> dict[str, str]:
    """The environment, with today's date."""
    properties = torch.cuda.get_device_properties(0)
    found = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "device": str(properties.name),
        "multiprocessors": str(properties.multi_processor_count),
        "memory": f"{properties.total_memory / 2**30:.0f} GiB",
        "driver": driver_version(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cuda of torch": str(torch.version.cuda),
        "kernels": sources_digest(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def driver_version() -> str:
    """The version of the driver, from NVML."""
    try:
        library: Any = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return "unknown"
    text = ctypes.create_string_buffer(96)
    if library.nvmlInit_v2():
        return "unknown"
    failed = library.nvmlSystemGetDriverVersion(text, ctypes.c_uint(len(text)))
    return "unknown" if failed else text.value.decode()


def sources_digest() -> str:
    """What tells two states of the compiler apart: a digest of its Python files."""
    package: Any = import_module("croqtile_mlir")
    folder = Path(package.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def why_no_device(*, open_device: bool = True) -> str:
    """Why nothing can be measured here; empty where it can.

    Without `open_device` the device is looked for, but not used.
    """
    try:
        torch: Any = import_module("torch")
    except ImportError:
        return "torch is not installed"
    if not torch.cuda.is_available():
        return "torch sees no CUDA device"
    if not open_device:
        return ""
    import croqtile_mlir as croq

    state = croq.runtime.available()
    return "" if state else state.reason
