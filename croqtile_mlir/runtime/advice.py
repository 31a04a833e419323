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
        "LAUNCH_FAILED": "a kernel failed on the device, perhaps an assertion of "
        "it, and the process cannot use the device any more. Find it with "
        "kernel.simulate or compute-sanitizer",
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
        "STREAM_CAPTURE_ISOLATION": "the kernel was to wait in a captured stream for "
        "work outside of the graph: make its arguments before the capture begins",
        "STREAM_CAPTURE_MERGE": "two captures met: capture one graph at a time, or "
        "launch on streams that do not wait for each other",
        "STREAM_CAPTURE_UNJOINED": "a stream that joined the capture must be waited "
        "for by the one that began it, before the capture ends",
        "STREAM_CAPTURE_UNMATCHED": "end the capture on the stream that began it",
        "STREAM_CAPTURE_WRONG_THREAD": "end the capture in the thread that began it",
        "CAPTURED_EVENT": "an event of a captured stream cannot be waited for on the "
        "host: wait after the graph has been launched",
        "INVALID_HANDLE": "a stream was destroyed, or is of another device than the "
        "tensors: pass one that their library has for their device",
        "NOT_FOUND": "the code has no kernel of that name: compile it again",
        "INVALID_CLUSTER_SIZE": "the device does not take clusters of so many blocks: "
        "make them smaller (`--make-clusters`)",
        "DEINITIALIZED": "the process ends, and the driver before it: launch nothing "
        "from destructors and exit handlers",
        "STUB_LIBRARY": "libcuda.so is the toolkit's, for linking alone: take the "
        "folder `stubs` out of LD_LIBRARY_PATH",
        "INSUFFICIENT_LOADER_VERSION": "the driver is older than the code: update "
        "the driver",
        "CALL_REQUIRES_NEWER_DRIVER": "the driver is older than cuda-python: update "
        "the driver, or install cuda-python for it",
        "DEVICE_UNAVAILABLE": "another process has the device for itself: see the "
        "compute mode in nvidia-smi -q",
        "DEVICE_NOT_LICENSED": "the virtual GPU has no licence: see nvidia-smi -q",
        "JIT_COMPILER_NOT_FOUND": "the driver's assembler, libnvidia-ptxjitcompiler, "
        "is not there: install the whole driver, and let containers have the "
        "capability compute",
        "JIT_COMPILATION_DISABLED": "CUDA_DISABLE_PTX_JIT forbids to assemble PTX: "
        "unset it, or load what `croq-opt -t cubin` makes",
        "CONTEXT_IS_DESTROYED": "the device was reset, or its context destroyed, "
        "since the kernel was loaded: compile it again in a new process",
        "ASSERT": "an assertion in a kernel of the process did not hold; the process "
        "cannot use the device any more. The kernel printed which",
        "HARDWARE_STACK_ERROR": "a kernel's call stack was broken; the process cannot "
        "use the device any more. Run it under compute-sanitizer",
        "INVALID_ADDRESS_SPACE": "an instruction of a kernel got an address of another "
        "kind of memory; the process cannot use the device any more. Run it under "
        "compute-sanitizer",
        "INVALID_PC": "a kernel jumped out of its code; the process cannot use the "
        "device any more. Run it under compute-sanitizer",
        "NVLINK_UNCORRECTABLE": "a link between devices failed: see nvidia-smi nvlink "
        "-e",
        "NOT_SUPPORTED": "the device, or how it is shared (MIG, vGPU), does not have "
        "what was asked for: `croq-run --device-info` says what it is",
        "COMPAT_NOT_SUPPORTED_ON_DEVICE": "the package cuda-compat is for other "
        "devices: take it out of LD_LIBRARY_PATH",
        "OPERATING_SYSTEM": "the operating system refused something: see dmesg and "
        "the limits of the container",
        "MPS_CONNECTION_FAILED": "the MPS server does not answer: start it "
        "(nvidia-cuda-mps-control -d), or unset CUDA_MPS_PIPE_DIRECTORY",
        "MPS_SERVER_NOT_READY": "the MPS server starts again after a fault: try later",
        "MPS_MAX_CLIENTS_REACHED": "the MPS server has as many processes as it takes: "
        "end some",
        "MPS_MAX_CONNECTIONS_REACHED": "the MPS server has as many processes as it "
        "takes: end some",
        "MPS_CLIENT_TERMINATED": "the MPS server ended this process's work, perhaps "
        "for another's fault: start the process again",
        "FABRIC_NOT_READY": "the fabric of the machine is not ready: check "
        "nvidia-fabricmanager",
        "UNKNOWN": "the driver does not say what failed: lines of NVRM in dmesg may; "
        "the process must start again",
    }
)
"""By the driver's name of the status without `CUDA_ERROR_` (`CUresult`)."""

OTHERWISE = (
    "NVIDIA's documentation of the driver API says more of it, at CUresult; lines of "
    "NVRM in dmesg may, too"
)
"""For statuses that launches are not known to end with."""


def advice(status: str) -> str:
    """What to do about a status, by the driver's name for it."""
    return ADVICE.get(status.removeprefix(_PREFIX), OTHERWISE)
