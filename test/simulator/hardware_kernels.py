"""Examples at hardware level, as text to change and to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.compiler import compile, ir_after, source_of
from croqtile_mlir.simulator.faults import Fault
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.ptx.kernel import executable as ptx_executable
from croqtile_mlir.simulator.simulate import Options, Report, load, run_loaded

EXAMPLES = Path(__file__).parents[2] / "examples"
POLICIES = ("rr", "late", "early", "random:7")
STAGES = 4
DTYPES = {"f16": np.float16, "f32": np.float32}


def source_text(example: str) -> str:
    """The text of an example."""
    return (EXAMPLES / f"{example}.mlir").read_text(encoding="utf-8")


@lru_cache(maxsize=32)
def hardware_text(text: str) -> str:
    """Text at tile level, lowered to hardware level."""
    return ir_after(source_of(text), "nvvm")


@lru_cache(maxsize=128)
def loaded(text: str) -> Loaded:
    """A kernel at either level, ready to run at hardware level."""
    return load(source_of(text), level="nvvm")


def product_arrays(rows: int, cols: int, depth: int) -> list[NDArray[Any]]:
    """Random operands, and an output that holds something else."""
    rng = np.random.default_rng(rows + 3 * cols + 7 * depth)
    return [
        rng.standard_normal((rows, depth)).astype(np.float16),
        rng.standard_normal((cols, depth)).astype(np.float16),
        np.full((rows, cols), np.nan, np.float16),
    ]


def run_product(
    text: str, size: tuple[int, int, int], policy: str, *, checks: bool = True
) -> tuple[Report, NDArray[Any], NDArray[Any]]:
    """The report, the result, and the product in f64."""
    kernel = loaded(text)
    lhs, rhs, out = product_arrays(*size)
    args = (lhs, rhs) if kernel.plan.outputs else (lhs, rhs, out)
    report = run_loaded(kernel, args, Options(policy, checks=checks))
    result = report.result if kernel.plan.outputs else out
    return report, result, lhs.astype(np.float64) @ rhs.astype(np.float64).T


def names(faults: tuple[Fault, ...]) -> set[str]:
    """The kinds of faults."""
    return {fault.kind.name for fault in faults}


def texts(faults: tuple[Fault, ...]) -> str:
    """All faults, for a message."""
    return "\n".join(str(fault.diagnostic()) for fault in faults)


@dataclass(frozen=True)
class Tile:
    """An argument of constant extents; its pointer is a parameter of that name."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    box: tuple[int, ...] = ()
    """Also a tensor map `<name>_map` of such boxes."""

    swizzle: int = 0


def kernel_text(
    tiles: Sequence[Tile],
    body: str,
    *,
    threads: int = 32,
    shared: int = 4096,
    blocks: int = 1,
    cluster: tuple[int, int, int] = (1, 1, 1),
) -> str:
    """
    A kernel of blocks along x. `%tid`, `%smem` and integers `%i0` .. `%i9` are there.

    `%lane_offset` is four times the number of the thread.
    """
    byval = (
        "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, "
        "nvvm.grid_constant}"
    )
    mapped = [tile for tile in tiles if tile.box]
    params = [f"%{tile.name}_map: {byval}" for tile in mapped]
    params += [f"%{tile.name}: !llvm.ptr<1>" for tile in tiles]
    records = [
        f'{{kind = "tensor_map", arg = "{tile.name}", box = [{_integers(tile.box)}], '
        f"swizzle = {tile.swizzle} : i64}}"
        for tile in mapped
    ]
    records += [f'{{kind = "pointer", arg = "{tile.name}"}}' for tile in tiles]
    args = [
        f'{{kind = "tile", name = "{tile.name}", dtype = "{tile.dtype}", '
        f"shape = [{_integers(tile.shape)}]}}"
        for tile in tiles
    ]
    dim, record = "", ""
    if cluster != (1, 1, 1):
        dim = f"nvvm.cluster_dim = array<i32: {', '.join(map(str, cluster))}>,"
        record = f"cluster = [{_integers(cluster)}],"
    integers = "\n".join(f"%i{n} = arith.constant {n} : i32" for n in range(10))
    return f"""
builtin.module attributes {{croq.target = "sm_90a", gpu.container_module}} {{
gpu.module @k_module {{
llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}}
  : !llvm.array<0 x i8>
llvm.func @k({", ".join(params)}) attributes {{nvvm.kernel,
  nvvm.reqntid = array<i32: {threads}, 1, 1>, nvvm.minctasm = 1 : i32, {dim}
  croq.launch = {{args = [{", ".join(args)}], dims = [],
    params = [{", ".join(records)}],
    grid = affine_map<() -> ({blocks}, 1, 1)>, {record} block = {threads} : i64,
    shared_bytes = {shared} : i64, checks = [], target = "sm_90a"}}}} {{
%smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
%tid = nvvm.read.ptx.sreg.tid.x : i32
{integers}
%all = arith.constant -1 : i32
%lane_offset = arith.muli %tid, %i4 : i32
{body}
llvm.return
}}
}}
}}
"""


def _integers(values: Sequence[int]) -> str:
    return ", ".join(f"{value} : i64" for value in values)


def load_lane(name: str, value: str, type_: str = "i32") -> str:
    """Each thread loads its 32-bit element of a tile."""
    return (
        f"%{name}_at = llvm.getelementptr %{name}[%lane_offset] "
        f": (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
        f"%{value} = llvm.load %{name}_at : !llvm.ptr<1> -> {type_}\n"
    )


def store_lane(value: str, name: str, type_: str = "i32") -> str:
    """Each thread stores its 32-bit element of a tile."""
    return (
        f"%{name}_to = llvm.getelementptr %{name}[%lane_offset] "
        f": (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
        f"llvm.store %{value}, %{name}_to : {type_}, !llvm.ptr<1>\n"
    )


def run_text(text: str, arrays: Sequence[NDArray[Any]], policy: str = "rr") -> Report:
    """Run a kernel on arrays, which change in place."""
    return run_loaded(loaded(text), arrays, Options(policy))


def run_ptx(text: str, arrays: Sequence[NDArray[Any]], target: str) -> None:
    """Run the PTX text of a kernel, as it is for a target; arrays change in place."""
    kernel = compile(text.replace('"sm_90a"', f'"{target}"'))
    executable = ptx_executable(kernel.ptx, kernel.plan)
    state = Loaded(executable, kernel.plan, "ptx")
    run_loaded(state, arrays, Options(checks=False)).check()


def run_right(text: str, arrays: Sequence[NDArray[Any]], policy: str = "rr") -> None:
    """Run a kernel that must have no faults."""
    report = run_text(text, arrays, policy)
    assert not report.faults, texts(report.faults)
