"""`croq-run --device-info`, with a driver in host memory and without any."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.fake_driver import FakeApi, Status

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.runtime.device import open_device
from croqtile_mlir.runtime.device_info import DeviceInfo, device_info, slice_profile
from croqtile_mlir.tools import croq_run

pytest.importorskip("cuda.bindings.driver")

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "croq-run.md"
ATTRIBUTES = {
    "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 32,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 233472,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 232448,
    "RESERVED_SHARED_MEMORY_PER_BLOCK": 1024,
    "GLOBAL_MEMORY_BUS_WIDTH": 6144,
    "L2_CACHE_SIZE": 62914560,
    "ECC_ENABLED": 1,
    "CLOCK_RATE": 1980000,
    "MEMORY_CLOCK_RATE": 3201000,
}


@dataclass
class DescribedApi(FakeApi):
    """A driver that tells all of a device."""

    name: bytes = b"NVIDIA H200"

    __hash__ = object.__hash__

    def cuDeviceGetName(self, length: int, device: int) -> Status:
        return self._done("cuDeviceGetName", self.name + bytes(8))

    def cuDeviceGetAttribute(self, attribute: Any, device: int) -> Status:
        member = attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_")
        if member in ATTRIBUTES:
            return self._done("cuDeviceGetAttribute", ATTRIBUTES[member])
        return super().cuDeviceGetAttribute(attribute, device)

    def cuDeviceTotalMem(self, device: int) -> Status:
        return self._done("cuDeviceTotalMem", 139 << 30)

    def cuDriverGetVersion(self) -> Status:
        return self._done("cuDriverGetVersion", 13010)

    def cuDeviceGetPCIBusId(self, length: int, device: int) -> Status:
        return self._done("cuDeviceGetPCIBusId", b"0000:1B:00.0\0")


class NvmlError(Exception):
    pass


def no_nvml(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def init_v2() -> None:
        raise error

    module = SimpleNamespace(init_v2=init_v2, NvmlError=NvmlError)
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvml", module)


def some_nvml(monkeypatch: pytest.MonkeyPatch, refuses: bool = False) -> list[str]:
    """An NVML that knows one device; the calls made."""
    calls: list[str] = []

    def limit(handle: int) -> int:
        assert handle == 5
        if refuses:
            raise NvmlError("not supported")
        return 700000

    def by_bus(text: str) -> int:
        calls.append(text)
        return 5

    module = SimpleNamespace(
        init_v2=lambda: calls.append("init"),
        shutdown=lambda: calls.append("shutdown"),
        device_get_handle_by_pci_bus_id_v2=by_bus,
        device_get_enforced_power_limit=limit,
        NvmlError=NvmlError,
    )
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvml", module)
    return calls


def info(api: FakeApi) -> DeviceInfo:
    return device_info(open_device(api.driver(), 0))


def run(monkeypatch: pytest.MonkeyPatch, *args: str) -> object:
    monkeypatch.setattr(sys, "argv", ["croq-run", *args])
    with pytest.raises(SystemExit) as exit:
        croq_run.main()
    return exit.value.code


def test_all_that_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    some_nvml(monkeypatch)
    driver = DescribedApi().driver()
    monkeypatch.setattr("croqtile_mlir.runtime.driver.load_driver", lambda: driver)
    assert run(monkeypatch, "--device-info") == 0
    output = capsys.readouterr().out
    assert output in DOCUMENTATION.read_text()
    assert output.splitlines() == [
        "NVIDIA H200: device 0, compute capability 9.0",
        "  part      the whole GPU",
        "  target    sm_90a",
        "  driver    for CUDA 13.1",
        "  compute   132 multiprocessors, each with up to 2048 threads in 32 blocks, "
        "and 65536 registers",
        "  shared    228 KiB in a multiprocessor, up to 227 KiB for a block, which "
        "takes 1 KiB more",
        "  l2        60 MiB",
        "  memory    139 GiB, ECC on, 6144 bits wide",
        "  clocks    up to 1980 MHz, memory up to 3201 MHz",
        "  power     limited to 700 W",
    ]


def test_a_slice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    some_nvml(monkeypatch)
    driver = DescribedApi(name=b"NVIDIA H200 MIG 1g.18gb").driver()
    monkeypatch.setattr("croqtile_mlir.runtime.driver.load_driver", lambda: driver)
    assert run(monkeypatch, "--device-info") == 0
    output = capsys.readouterr().out
    assert "part      a MIG slice (1g.18gb) of a GPU that others may use" in output
    assert "limited to 700 W for the whole GPU\n" in output


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("NVIDIA H200", None),
        ("NVIDIA H200 MIG 3g.71gb", "3g.71gb"),
        ("NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb", "1c.3g.40gb"),
        ("NVIDIA H200 MIG", "of unknown size"),
        ("NVIDIA MIGRANT", None),
    ],
)
def test_names_of_slices(name: str, profile: str | None):
    assert slice_profile(name) == profile


def test_the_power_limit_is_left_out_where_it_is_not_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from croqtile_mlir.tools.device_report import print_device

    calls = some_nvml(monkeypatch)
    told = info(DescribedApi())
    assert told.power_limit == 700.0
    assert calls == ["init", "0000:1B:00.0", "shutdown"]
    calls = some_nvml(monkeypatch, refuses=True)
    assert info(DescribedApi()) == replace(told, power_limit=None)
    assert calls[-1] == "shutdown"
    for error in (RuntimeError("no library"), NvmlError("driver not loaded")):
        no_nvml(monkeypatch, error)
        assert info(DescribedApi()) == replace(told, power_limit=None)
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvml", None)
    untold = info(DescribedApi())
    assert untold == replace(told, power_limit=None)
    print_device(untold)
    assert "power" not in capsys.readouterr().out


def test_a_device_that_is_no_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from croqtile_mlir.tools.device_report import print_device

    no_nvml(monkeypatch, RuntimeError("no library"))
    print_device(info(DescribedApi(capability=(7, 5))))
    assert "target    none of this compiler's" in capsys.readouterr().out
    print_device(info(DescribedApi(capability=(10, 0))))
    assert "target    sm_89, the latest that it runs" in capsys.readouterr().out


def test_without_a_device(monkeypatch: pytest.MonkeyPatch):
    def load_driver() -> None:
        raise DeviceError("no device: the NVIDIA driver is not installed")

    monkeypatch.setattr("croqtile_mlir.runtime.driver.load_driver", load_driver)
    assert run(monkeypatch, "--device-info") == (
        "croq-run: error: no device: the NVIDIA driver is not installed"
    )


def test_a_driver_without_devices(monkeypatch: pytest.MonkeyPatch):
    driver = DescribedApi(devices=0).driver()
    monkeypatch.setattr("croqtile_mlir.runtime.driver.load_driver", lambda: driver)
    assert run(monkeypatch, "--device-info") == (
        "croq-run: error: no device: the driver sees none"
    )


def test_a_file_is_needed_for_all_else(
    monkeypatch: pytest.MonkeyPatch,
):
    told = str(run(monkeypatch, "--resources"))
    assert told.startswith("croq-run: error: must be given the file of a kernel")
    told = str(run(monkeypatch, "--device-info", "kernel.mlir"))
    assert told.startswith("croq-run: error: --device-info takes no file")
