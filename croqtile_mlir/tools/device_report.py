"""What `croq-run --device-info` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from croqtile_mlir.tools.run_output import print_line

if TYPE_CHECKING:
    from croqtile_mlir.runtime.device_info import DeviceInfo


def report_device() -> int:
    """Say what the current device is; `DeviceError` where there is none."""
    from croqtile_mlir.errors import DeviceError
    from croqtile_mlir.runtime import device, driver
    from croqtile_mlir.runtime.device_info import device_info

    found = driver.load_driver()
    if device.device_count(found) == 0:
        raise DeviceError("no device: the driver sees none")
    print_device(device_info(device.open_device(found, device.current_ordinal(found))))
    return 0


def print_device(info: DeviceInfo) -> None:
    """The device in plain words, a fact a line."""
    major, minor = info.compute_capability
    print(f"{info.name}: device {info.ordinal}, compute capability {major}.{minor}")
    print_line(
        "part",
        "the whole GPU"
        if info.slice is None
        else f"a MIG slice ({info.slice}) of a GPU that others may use, too",
    )
    print_line("target", _target(info))
    print_line("driver", "for CUDA {}.{}".format(*info.driver_version))
    print_line(
        "compute",
        f"{info.multiprocessors} multiprocessors, each with up to "
        f"{info.threads_per_multiprocessor} threads in {info.blocks_per_multiprocessor}"
        f" blocks, and {info.registers_per_multiprocessor} registers",
    )
    print_line(
        "shared",
        f"{_kib(info.shared_per_multiprocessor)} in a multiprocessor, up to "
        f"{_kib(info.shared_per_block)} for a block, which takes "
        f"{_kib(info.shared_reserved)} more",
    )
    print_line("l2", f"{info.l2 / 2**20:.4g} MiB")
    print_line(
        "memory",
        f"{info.memory / 2**30:.4g} GiB, ECC {'on' if info.ecc else 'off'}, "
        f"{info.memory_bus_bits} bits wide",
    )
    print_line(
        "clocks",
        f"up to {info.clock // 1000} MHz, memory up to {info.memory_clock // 1000} MHz",
    )
    if info.power_limit is not None:
        whole = "" if info.slice is None else " for the whole GPU"
        print_line("power", f"limited to {info.power_limit:.0f} W{whole}")


def _target(info: DeviceInfo) -> str:
    from croqtile_mlir.targets.architecture import latest_for

    found = latest_for(info.compute_capability)
    if found is None:
        return "none of this compiler's"
    its_own = found.compute_capability == info.compute_capability
    return found.name if its_own else f"{found.name}, the latest that it runs"


def _kib(size: int) -> str:
    return f"{size / 1024:.4g} KiB"
