"""cuBLASLt through ctypes: the algorithms of its heuristic for one product.

Numbers of enumerations and the layout of the result are those of `cublasLt.h` (CUDA 12
and 13). cuBLAS counts in columns, so D[M, N] in rows is D^T[N, M] = B^T A here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from .operands import Operands
from .shapes import Shape

ALGORITHMS = 8
WORKSPACE_BYTES = 64 << 20

_COMPUTE_32F = 68
_R_32F, _R_16F = 0, 2
_DESC_TRANSA = 3
_OP_T = 1
_PREFERENCE_MAX_WORKSPACE = 1
_NAMES = ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so")


class _Heuristic(ctypes.Structure):
    """`cublasLtMatmulHeuristicResult_t`."""

    _fields_ = [
        ("algorithm", ctypes.c_uint64 * 8),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]


@dataclass(frozen=True)
class _Library:
    api: Any

    def call(self, function: str, *args: Any) -> None:
        """Call a function; a status other than success is a RuntimeError."""
        status = getattr(self.api, function)(*args)
        if status:
            raise RuntimeError(f"{function} returned status {status}")

    def made(self, function: str, *args: Any) -> ctypes.c_void_p:
        """What a function of the kind `..Create` makes."""
        handle = ctypes.c_void_p()
        self.call(function, ctypes.byref(handle), *args)
        return handle


def _load() -> _Library:
    """The library that torch has loaded, else one of its packages or the system's."""
    problems: list[str] = []
    for path in (*_mapped(), *_packaged(), *_NAMES):
        try:
            return _Library(ctypes.CDLL(path))
        except OSError as error:
            problems.append(str(error))
    raise OSError(problems[-1])


def _mapped() -> list[str]:
    """Paths of the library in this process."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return []
    fields = [line.split(maxsplit=5) for line in maps.read_text().splitlines()]
    paths = [each[5] for each in fields if len(each) == 6]
    return list(dict.fromkeys(each for each in paths if "libcublasLt.so" in each))


def _packaged() -> list[str]:
    """Paths of the library in NVIDIA's packages for Python."""
    try:
        package: Any = import_module("nvidia")
    except ImportError:
        return []
    folders = [Path(each) for each in package.__path__]
    return [str(f) for folder in folders for f in folder.rglob("libcublasLt.so.*")]


@dataclass(frozen=True)
class Product:
    """One product with what the heuristic proposes for it, the best guess first."""

    library: _Library
    handle: ctypes.c_void_p
    operation: ctypes.c_void_p
    layouts: tuple[ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    """Of B, A and D."""

    algorithms: tuple[_Heuristic, ...]
    workspace: Any
    """A tensor of `WORKSPACE_BYTES`."""

    scales: tuple[ctypes.c_float, ctypes.c_float] = field(
        default_factory=lambda: (ctypes.c_float(1.0), ctypes.c_float(0.0))
    )

    @property
    def count(self) -> int:
        """The number of algorithms."""
        return len(self.algorithms)

    @staticmethod
    def find(torch: Any, shape: Shape) -> Product:
        """Ask the heuristic; raises OSError or RuntimeError where that is in vain."""
        library = _load()
        handle = library.made("cublasLtCreate")
        operation = library.made(
            "cublasLtMatmulDescCreate",
            ctypes.c_int(_COMPUTE_32F),
            ctypes.c_int(_R_32F),
        )
        transposed = ctypes.c_int32(_OP_T)
        library.call(
            "cublasLtMatmulDescSetAttribute",
            operation,
            ctypes.c_int(_DESC_TRANSA),
            ctypes.byref(transposed),
            ctypes.c_size_t(ctypes.sizeof(transposed)),
        )

        def layout(rows: int, columns: int) -> ctypes.c_void_p:
            return library.made(
                "cublasLtMatrixLayoutCreate",
                ctypes.c_int(_R_16F),
                ctypes.c_uint64(rows),
                ctypes.c_uint64(columns),
                ctypes.c_int64(rows),
            )

        layouts = (
            layout(shape.k, shape.n),
            layout(shape.k, shape.m),
            layout(shape.n, shape.m),
        )
        found = _heuristic(library, handle, operation, layouts)
        if not found:
            raise RuntimeError("the heuristic knows no algorithm")
        workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        return Product(library, handle, operation, layouts, found, workspace)

    def launcher(self, number: int, operands: Operands) -> Callable[[int], None]:
        """What launches algorithm `number` on a set of operands."""
        algorithm = self.algorithms[number]
        one, zero = self.scales
        b, a, d = self.layouts
        stream = ctypes.c_void_p(operands.stream.cuda_stream)
        matmul = self.library.api.cublasLtMatmul

        def arguments(lhs: Any, rhs: Any, out: Any) -> tuple[Any, ...]:
            target = ctypes.c_void_p(out.data_ptr())
            return (
                *(self.handle, self.operation, ctypes.byref(one)),
                *(ctypes.c_void_p(rhs.data_ptr()), b),
                *(ctypes.c_void_p(lhs.data_ptr()), a),
                *(ctypes.byref(zero), target, d, target, d),
                ctypes.byref(algorithm, _Heuristic.algorithm.offset),
                ctypes.c_void_p(self.workspace.data_ptr()),
                ctypes.c_size_t(algorithm.workspace),
                stream,
            )

        sets = zip(operands.lhs, operands.rhs, operands.out, strict=True)
        prepared = [arguments(*each) for each in sets]

        def launch(number: int) -> None:
            status = matmul(*prepared[number])
            if status:
                raise RuntimeError(f"cublasLtMatmul returned status {status}")

        return launch


def _heuristic(
    library: _Library,
    handle: ctypes.c_void_p,
    operation: ctypes.c_void_p,
    layouts: tuple[ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p],
) -> tuple[_Heuristic, ...]:
    preference = library.made("cublasLtMatmulPreferenceCreate")
    most = ctypes.c_uint64(WORKSPACE_BYTES)
    library.call(
        "cublasLtMatmulPreferenceSetAttribute",
        preference,
        ctypes.c_int(_PREFERENCE_MAX_WORKSPACE),
        ctypes.byref(most),
        ctypes.c_size_t(ctypes.sizeof(most)),
    )
    results = (_Heuristic * ALGORITHMS)()
    count = ctypes.c_int()
    b, a, d = layouts
    library.call(
        "cublasLtMatmulAlgoGetHeuristic",
        *(handle, operation, b, a, d, d, preference),
        ctypes.c_int(ALGORITHMS),
        results,
        ctypes.byref(count),
    )
    return tuple(each for each in results[: count.value] if each.state == 0)
