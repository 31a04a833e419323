"""Occupancy from tables beside the driver's, on a device."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import croqtile_mlir as croq
from croqtile_mlir.occupancy import best_block, compute
from croqtile_mlir.resources import barriers_of
from croqtile_mlir.runtime.device import Device, open_device
from croqtile_mlir.runtime.driver import load_driver
from croqtile_mlir.runtime.module import LoadedKernel, load
from croqtile_mlir.targets.architecture import Architecture, architecture_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BLOCKS = (32, 64, 96, 128, 160, 256, 288, 384, 512, 640, 768, 1024)
SHARED = (0, 1, 127, 7 * 1024, 32 * 1024, 49152, 49153, 75 * 1024, 113 * 1024, 232448)
TEXT = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry probe(.param .u64 out) {
BODY
ret;
}
"""


@pytest.fixture(scope="module")
def device() -> Device:
    state = croq.runtime.available()
    if not state:
        pytest.skip(state.reason)
    found = open_device(load_driver(), 0)
    if found.compute_capability != (9, 0):
        pytest.skip(f"needs compute capability 9.0, got {found.compute_capability}")
    return found


@pytest.fixture(scope="module")
def arch(device: Device) -> Architecture:
    found = architecture_of(device.compute_capability)
    assert found is not None
    return found


def test_limits_of_the_table(device: Device, arch: Architecture):
    def attribute(member: str) -> int:
        kind = device.driver.enum("CUdevice_attribute", f"CU_DEVICE_ATTRIBUTE_{member}")
        return int(device.driver.call("cuDeviceGetAttribute", kind, device.handle))

    assert {
        "MAX_THREADS_PER_BLOCK": arch.max_threads_per_block,
        "MAX_THREADS_PER_MULTIPROCESSOR": arch.max_threads_per_multiprocessor,
        "MAX_BLOCKS_PER_MULTIPROCESSOR": arch.max_blocks_per_multiprocessor,
        "MAX_REGISTERS_PER_MULTIPROCESSOR": arch.registers_per_multiprocessor,
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": arch.shared_bytes_per_multiprocessor,
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": arch.shared_bytes_per_block,
        "RESERVED_SHARED_MEMORY_PER_BLOCK": arch.shared_bytes_reserved,
        "WARP_SIZE": arch.warp_size,
    } == {
        member: attribute(member)
        for member in (
            "MAX_THREADS_PER_BLOCK",
            "MAX_THREADS_PER_MULTIPROCESSOR",
            "MAX_BLOCKS_PER_MULTIPROCESSOR",
            "MAX_REGISTERS_PER_MULTIPROCESSOR",
            "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
            "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
            "RESERVED_SHARED_MEMORY_PER_BLOCK",
            "WARP_SIZE",
        )
    }


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda p: p.stem)
def test_examples(path: Path):
    resources = croq.compile(path).resources
    assert resources.source == "driver"
    assert resources.occupancy is not None
    assert resources.occupancy.blocks == resources.blocks_per_multiprocessor


def driver_blocks(kernel: LoadedKernel, threads: int, shared: int) -> int:
    """Blocks on a multiprocessor, as the driver counts them."""
    device = kernel.device
    with device.current():
        found = device.driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            kernel.function,
            threads,
            shared,
        )
    return int(found)


def differences(device: Device, arch: Architecture, ptx: str, entry: str) -> list[str]:
    """Block sizes and shared memory of which the driver and the tables disagree."""
    kernel = load(device, ptx, entry, 32, arch.shared_bytes_per_block)
    found: list[str] = []
    for threads in BLOCKS:
        for shared in SHARED:
            blocks = driver_blocks(kernel, threads, shared)
            ours = compute(
                arch,
                threads=threads,
                registers=kernel.registers,
                shared_bytes=shared + kernel.static_shared_bytes,
                barriers=barriers_of(ptx),
            )
            if ours.blocks != blocks:
                found.append(
                    f"{threads} threads, {kernel.registers} registers, {shared} bytes: "
                    f"driver {blocks}, tables {ours}"
                )
    return found


@pytest.mark.parametrize("name", ["add", "copy", "row_sums", "matmul"])
def test_kernels_at_all_block_sizes(device: Device, arch: Architecture, name: str):
    kernel = croq.compile(EXAMPLES / f"{name}.mlir")
    # Without bounds the driver answers for every block size.
    ptx = re.sub(r"\.(reqntid|maxntid|minnctapersm) .*\n", "", kernel.ptx)
    assert differences(device, arch, ptx, kernel.name) == []


@pytest.mark.parametrize("shared", [0, 20 * 1024, 60 * 1024])
@pytest.mark.parametrize("name", ["add", "matmul"])
def test_best_block(device: Device, arch: Architecture, name: str, shared: int):
    kernel = croq.compile(EXAMPLES / f"{name}.mlir")
    ptx = re.sub(r"\.(reqntid|maxntid|minnctapersm) .*\n", "", kernel.ptx)
    loaded = load(device, ptx, kernel.name, 32, arch.shared_bytes_per_block)
    _, largest = max(
        (driver_blocks(loaded, threads, shared) * threads, threads)
        for threads in range(32, 1025, 32)
    )
    ours = best_block(
        arch,
        registers=loaded.registers,
        shared_bytes=shared + loaded.static_shared_bytes,
        barriers=barriers_of(ptx),
    )
    assert ours.threads == largest


@pytest.mark.parametrize("values", [1, 24, 32, 40, 56, 64, 80, 100, 128, 168, 200, 240])
def test_registers(device: Device, arch: Architecture, values: int):
    """Volatile loads stay before the stores: so many values are live at a time."""
    body = [f".reg .b32 %r<{values}>;", ".reg .b64 %p;", "ld.param.u64 %p, [out];"]
    body += [f"ld.volatile.global.b32 %r{n}, [%p+{4 * n}];" for n in range(values)]
    body += [f"st.volatile.global.b32 [%p+{4 * n}], %r{n};" for n in range(values)]
    ptx = TEXT.replace("BODY", "\n".join(body))
    assert differences(device, arch, ptx, "probe") == []


@pytest.mark.parametrize("highest", [0, 1, 2, 3, 7, 12, 15])
def test_barriers(device: Device, arch: Architecture, highest: int):
    ptx = TEXT.replace("BODY", f"bar.sync {highest}, 32;")
    assert differences(device, arch, ptx, "probe") == []
