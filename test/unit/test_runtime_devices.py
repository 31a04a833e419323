"""Which devices run what is compiled for a target."""

from __future__ import annotations

import pytest
from support.fake_driver import FakeApi

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.runtime.device import Device, open_device
from croqtile_mlir.targets.architecture import SM_80, SM_89, SM_90A


def device(*capability: int) -> Device:
    major, minor = capability
    return open_device(FakeApi(capability=(major, minor)).driver(), 0)


@pytest.mark.parametrize("capability", [(8, 0), (8, 6), (9, 0), (10, 0), (12, 1)])
def test_later_devices_run_what_is_for_an_earlier_one(capability: tuple[int, int]):
    device(*capability).require(SM_80)


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (8, 6)])
def test_earlier_devices_do_not(capability: tuple[int, int]):
    with pytest.raises(DeviceError, match=r"sm_89 needs .* at least 8\.9, device 0"):
        device(*capability).require(SM_89)


@pytest.mark.parametrize("capability", [(8, 9), (10, 0)])
def test_a_targets_run_on_one_device_only(capability: tuple[int, int]):
    device(9, 0).require(SM_90A)
    with pytest.raises(DeviceError, match=r"sm_90a needs .* exactly 9\.0, device 0"):
        device(*capability).require(SM_90A)


def test_a_later_device_may_have_less_shared_memory():
    device(8, 0).require(SM_80, 128 * 1024)
    device(9, 0).require(SM_80, 128 * 1024)
    device(12, 1).require(SM_80, 128 * 1024)
    with pytest.raises(DeviceError, match=r"131072 bytes .* has 101376 .*target sm_86"):
        device(8, 6).require(SM_80, 128 * 1024)
