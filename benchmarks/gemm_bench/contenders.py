"""What can be timed: schedules of ours, torch.matmul, cuBLASLt and Triton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .compile_pool import compile_all
from .library import LIBRARY, chosen, launcher
from .operands import Operands
from .schedules import Schedule
from .tables import CUBLASLT, OURS, TORCH, TRITON

if TYPE_CHECKING:
    from croqtile_mlir import Kernel

Stage = Callable[[str], None]
"""Called with what is about to be done, before it is."""


@dataclass(frozen=True)
class Candidate:
    """One way for a contender to make the product."""

    contender: str
    name: str
    prepare: Callable[[Operands], Callable[[int], None]] = field(repr=False)
    """Returns what launches set number i on the operands' stream, the current one."""

    facts: Callable[[], dict[str, float]] = field(default=dict[str, float], repr=False)
    """What is known of it once it has run: registers, spilled bytes."""

    @property
    def title(self) -> str:
        """The names of contender and candidate, as failures have them."""
        if self.name == self.contender:
            return self.name
        return f"{self.contender}:{self.name}"


@dataclass(frozen=True)
class Found:
    """The candidates of a contender, and those that there are not, with reasons."""

    candidates: tuple[Candidate, ...]
    failures: tuple[tuple[str, str], ...] = ()


def torch_matmul(operands: Operands) -> Found:
    """`torch.matmul`, with the heuristic's own choice of a cuBLAS kernel."""

    def prepare(operands: Operands) -> Callable[[int], None]:
        matmul = operands.torch.matmul
        transposed = [each.T for each in operands.rhs]
        lhs, out = operands.lhs, operands.out

        def launch(number: int) -> None:
            matmul(lhs[number], transposed[number], out=out[number])

        return launch

    return Found((Candidate(TORCH, TORCH, prepare),))


def cublaslt(operands: Operands) -> Found:
    """The first eight algorithms of cuBLASLt's heuristic."""
    from .cublaslt import Product

    try:
        product = Product.find(operands.torch, operands.shape)
    except (OSError, RuntimeError) as error:
        return Found((), ((CUBLASLT, f"not available: {error}"),))

    def candidate(number: int) -> Candidate:
        def prepare(operands: Operands) -> Callable[[int], None]:
            return product.launcher(number, operands)

        return Candidate(CUBLASLT, f"algorithm {number}", prepare)

    return Found(tuple(candidate(number) for number in range(product.count)))


def triton(operands: Operands) -> Found:
    """A list of configurations of a Triton kernel with TMA descriptors."""
    try:
        from . import triton_kernels
    except ImportError as error:
        return Found((), ((TRITON, f"not available: {error}"),))

    def candidate(config: Any) -> Candidate:
        def prepare(operands: Operands) -> Callable[[int], None]:
            return triton_kernels.launcher(config, operands)

        return Candidate(TRITON, str(config), prepare)

    configs = triton_kernels.configs(operands.shape)
    return Found(tuple(candidate(each) for each in configs))


def ours(operands: Operands, schedules: Sequence[Schedule], stage: Stage) -> Found:
    """The kernels of schedules, and what the library chooses if that is asked for."""
    candidates: list[Candidate] = []
    failures: list[tuple[str, str]] = []

    def progress(name: str) -> None:
        stage(f"{OURS}:{name} compile")

    if LIBRARY in schedules:
        stage(f"{OURS}:{LIBRARY.name} choose")
        try:
            candidates.append(_of_library(operands))
        except ImportError as error:
            failures.append((f"{OURS}:{LIBRARY.name}", f"not available: {error}"))
    others = [each for each in schedules if each != LIBRARY]
    for compiled in compile_all(others, operands.shape, progress):
        name = compiled.schedule.name
        if compiled.kernel is None:
            failures.append((f"{OURS}:{name}", compiled.refusal))
        else:
            candidates.append(_of_kernel(name, compiled.kernel))
    return Found(tuple(candidates), tuple(failures))


def _of_library(operands: Operands) -> Candidate:
    properties = operands.torch.cuda.get_device_properties(0)
    choice = chosen(operands.shape, int(properties.multi_processor_count))
    return Candidate(OURS, f"{LIBRARY.name} {choice}", launcher)


def _of_kernel(name: str, kernel: Kernel) -> Candidate:
    def prepare(operands: Operands) -> Callable[[int], None]:
        sets = zip(operands.lhs, operands.rhs, operands.out, strict=True)
        prepared = [
            kernel.prepare(lhs, rhs, out, stream=operands.stream)
            for lhs, rhs, out in sets
        ]
        launches = [each.launch for each in prepared]

        def launch(number: int) -> None:
            launches[number]()

        return launch

    def facts() -> dict[str, float]:
        found = kernel.resources
        known = {
            "registers": found.registers,
            "spill_bytes": found.spill_bytes,
            "shared_bytes": found.shared_bytes,
        }
        return {name: value for name, value in known.items() if value is not None}

    return Candidate(OURS, name, prepare, facts)
