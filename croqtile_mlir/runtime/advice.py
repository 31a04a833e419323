"""What to do about a status of the CUDA driver: the hint of its error."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PREFIX = "CUDA_ERROR_"

ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "INVALID_VALUE": "an argument of the launch is out of range: compare "
        "grid, block and shared memory with `croq-run --device-info`",
        "OUT_OF_MEMORY": "free tensors, or let torch give back what it keeps "
        "(torch.cuda.empty_cache())",
        "NOT_INITIALIZED": "the process was forked after CUDA was used: start "
        "workers with the method spawn",
        "NO_DEVICE": "check nvidia-smi and CUDA_VISIBLE_DEVICES; without a "
        "device kernels run in the simulator, on numpy arrays",
        "INVALID_DEVICE": "CUDA_VISIBLE_DEVICES hides devices and renumbers the others",
        "INVALID_IMAGE": "the PTX or cubin is cut off, or for another device: "
        "compile it again for this one",
        "INVALID_CONTEXT": "the device was reset, or its context destroyed, "
        "since the kernel was loaded: compile it again in a new process",
        "INVALID_PTX": "the driver's assembler refuses the text; its log is "
        "below, and `croq-opt -t cubin` shows what ptxas says",
        "UNSUPPORTED_PTX_VERSION": "the driver is older than the PTX: update "
        "the driver",
        "NO_BINARY_FOR_GPU": "the kernel was compiled for another device: "
        "`croq-run --device-info` names this one's target",
        "LAUNCH_OUT_OF_RESOURCES": "the block needs more registers or shared "
        "memory than there are: `croq-run --resources` shows what limits it; use fewer "
        "threads, stages or columns",
        "ILLEGAL_ADDRESS": "a kernel accessed memory outside of its tensors, "
        "or memory that was freed before it ran; the process cannot use the device any "
        "more. Find it with kernel.simulate or compute-sanitizer",
        "MISALIGNED_ADDRESS": "an address was no multiple of its access; the "
        "process cannot use the device any more. Find it with kernel.simulate or "
        "compute-sanitizer",
        "ILLEGAL_INSTRUCTION": "the device does not have an instruction of "
        "the kernel, or a barrier was used wrongly; the process cannot use the device "
        "any more. Run it under compute-sanitizer",
        "LAUNCH_TIMEOUT": "the display's watchdog stopped a kernel that ran "
        "too long, or hung: `--verify-sync` and kernel.simulate find deadlocks",
        "LAUNCH_FAILED": "a kernel failed on the device, and the process "
        "cannot use it any more: run it under compute-sanitizer",
        "ECC_UNCORRECTABLE": "the device's memory is defective: see nvidia-smi -q",
        "COOPERATIVE_LAUNCH_TOO_LARGE": "the blocks of a kernel with a "
        "barrier of the grid must all run at once: use fewer, or smaller ones",
        "SYSTEM_NOT_READY": "the fabric of the machine is not ready: check "
        "nvidia-fabricmanager",
        "SYSTEM_DRIVER_MISMATCH": "the driver was updated and not loaded "
        "again: restart the machine",
        "STREAM_CAPTURE_INVALIDATED": "another call broke the capture of the "
        "graph: look for allocations and synchronisation between begin and end",
        "STREAM_CAPTURE_UNSUPPORTED": "the stream is being captured into a "
        "graph: call the kernel once before the capture, so that it is loaded",
        "STREAM_CAPTURE_IMPLICIT": "the legacy stream cannot be used while "
        "another is captured: pass stream=",
    }
)
"""By the driver's name of the status without `CUDA_ERROR_` (`CUresult`)."""


def advice(status: str) -> str | None:
    """What to do about a status, by the driver's name for it; None: nobody knows."""
    return ADVICE.get(status.removeprefix(_PREFIX))
