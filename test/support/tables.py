"""
Small kernels at hardware level that lay open what the hardware does with layouts.

Each copies raw bytes: what TMA writes for a swizzle, what it stores from raw bytes, the
registers that a wgmma makes of raw operands and a descriptor. The same text runs on a
device and in the simulator, and must give the same bits. `warp_tables` has those of
instructions of a warp.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import bf16, f16, i8

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq import Layout, Major, Space, TileType
from croqtile_mlir.layouts.wgmma import operand_descriptor

BASE = 1024
"""Shared byte offset of the data; the mbarrier is at 0."""

THREADS = 128


@dataclass(frozen=True)
class Argument:
    """A tile of constant extents."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    written: bool = False
    values: str = ""
    """What an input holds, where that is not what the table says."""


@dataclass(frozen=True)
class Table:
    """A kernel, its arguments, and which of them are inputs of small integers."""

    name: str
    text: str
    arguments: tuple[Argument, ...]
    values: str = "bytes"
    """
    What inputs hold: `bytes` that make no infinity or NaN, any `words`, `fractions` of
    all sizes in f32, or small integers of a type (`f16`).
    """

    def inputs(self) -> tuple[NDArray[Any], ...]:
        """An array for each argument, the same every time; outputs start at 0."""
        seed = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], "little")
        rng = np.random.default_rng(seed)
        return tuple(
            np.zeros(arg.shape, _DTYPES[arg.dtype])
            if arg.written
            else self._random(rng, arg)
            for arg in self.arguments
        )

    def _random(self, rng: np.random.Generator, arg: Argument) -> NDArray[Any]:
        dtype = _DTYPES[arg.dtype]
        count = int(np.prod(arg.shape)) * dtype.itemsize
        values = arg.values or self.values
        if values in ("bytes", "words"):
            # No infinities or NaN: their payloads are not what is looked at.
            last = 120 if values == "bytes" else 256
            data = rng.integers(0, last, count).astype(np.uint8)
        elif values == "fractions":
            wide = rng.standard_normal(count // 4) * 2.0 ** rng.integers(
                -40, 40, count // 4
            )
            data = wide.astype(np.float32).view(np.uint8)
        else:
            element = _DTYPES[values]
            small = rng.integers(-4, 5, count // element.itemsize)
            data = small.astype(np.float32).astype(element).view(np.uint8)
        return data.view(dtype).reshape(arg.shape)

    def digest(self, arrays: Sequence[NDArray[Any]]) -> str:
        """A hash of the outputs."""
        digest = hashlib.sha256()
        for arg, array in zip(self.arguments, arrays, strict=True):
            if arg.written:
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


_DTYPES: Mapping[str, np.dtype[Any]] = {
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
}


def table_of(
    name: str,
    arguments: Sequence[Argument],
    maps: Sequence[tuple[str, tuple[int, ...], int]],
    shared_bytes: int,
    body: str,
    values: str = "bytes",
    target: str = "sm_90a",
) -> Table:
    """A kernel of one block; `maps` are argument, box and swizzle of tensor maps."""
    byval = (
        "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, "
        "nvvm.grid_constant}"
    )
    params = [f"%{arg}_map: {byval}" for arg, _, _ in maps]
    params += [f"%{arg.name}: !llvm.ptr<1>" for arg in arguments]
    records = [
        f'{{kind = "tensor_map", arg = "{arg}", '
        f"box = [{', '.join(f'{e} : i64' for e in box)}], swizzle = {width} : i64}}"
        for arg, box, width in maps
    ]
    records += [f'{{kind = "pointer", arg = "{arg.name}"}}' for arg in arguments]
    args = [
        f'{{kind = "tile", name = "{arg.name}", dtype = "{arg.dtype}", '
        f"shape = [{', '.join(f'{e} : i64' for e in arg.shape)}]"
        + ("}" if arg.written else ", written = false}")
        for arg in arguments
    ]
    text = f"""
builtin.module attributes {{croq.target = "{target}", gpu.container_module}} {{
  gpu.module @{name}_module {{
    llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    llvm.func @{name}({", ".join(params)}) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}, 1, 1>, nvvm.minctasm = 1 : i32,
        croq.launch = {{args = [{", ".join(args)}], dims = [], params = [{", ".join(records)}],
        grid = affine_map<() -> (1, 1, 1)>, block = {THREADS} : i64, shared_bytes = {shared_bytes} : i64,
        checks = [], target = "{target}"}}}} {{
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %four = arith.constant 4 : i32
      %threads = arith.constant {THREADS} : i32
      %first = arith.cmpi eq, %tid, %zero : i32
      %data = llvm.getelementptr %smem[{BASE}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
{body}
      llvm.return
    }}
  }}
}}
"""
    return Table(name, text, tuple(arguments), values)


def copy_words(words: int, source: str, target: str) -> str:
    """All threads copy 32-bit words between two pointers."""
    spaces = {"data": "3"}
    a, b = spaces.get(source, "1"), spaces.get(target, "1")
    return f"""
      %{source}_words = arith.constant {words} : i32
      scf.for %{source}_i = %tid to %{source}_words step %threads : i32 {{
        %offset = arith.muli %{source}_i, %four : i32
        %from = llvm.getelementptr %{source}[%offset] : (!llvm.ptr<{a}>, i32) -> !llvm.ptr<{a}>, i8
        %to = llvm.getelementptr %{target}[%offset] : (!llvm.ptr<{b}>, i32) -> !llvm.ptr<{b}>, i8
        %word = llvm.load %from {{alignment = 4 : i64}} : !llvm.ptr<{a}> -> i32
        llvm.store %word, %to {{alignment = 4 : i64}} : i32, !llvm.ptr<{b}>
      }}"""


_PUBLISH = """
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.barrier"""


def tma_load(width: int, bits: int, rows: int) -> Table:
    """The bytes that a TMA load with a swizzle of `width` bytes (0: none) writes."""
    row_bytes = width or 64
    cols = row_bytes * 8 // bits
    size = rows * row_bytes
    source = Argument("source", {8: "i8", 16: "f16", 32: "f32"}[bits], (rows, cols))
    image = Argument("image", "i32", (size // 4,), written=True)
    body = f"""
      scf.if %first {{
        nvvm.mbarrier.init %smem, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }}
      nvvm.barrier
      %cluster = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
      scf.if %first {{
        %bytes = arith.constant {size} : i32
        nvvm.mbarrier.arrive.expect_tx %smem, %bytes : !llvm.ptr<3>, i32
        nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %source_map, %smem, box[%zero, %zero] : !llvm.ptr<7>, !llvm.ptr
      }}
      scf.while () : () -> () {{
        %done = nvvm.mbarrier.try_wait %smem, %zero : !llvm.ptr<3>, i32 -> i1
        %yes = arith.constant true
        %again = arith.xori %done, %yes : i1
        scf.condition(%again)
      }} do {{
        scf.yield
      }}
{copy_words(size // 4, "data", "image")}"""
    return table_of(
        f"tma_load_{width}_{bits}_{rows}",
        (source, image),
        [("source", (rows, cols), width)],
        BASE + size,
        body,
    )


def tma_store(width: int, bits: int, rows: int) -> Table:
    """What a TMA store with a swizzle makes of raw bytes."""
    row_bytes = width or 64
    cols = row_bytes * 8 // bits
    size = rows * row_bytes
    image = Argument("image", "i32", (size // 4,))
    target = Argument(
        "target", {8: "i8", 16: "f16", 32: "f32"}[bits], (rows, cols), written=True
    )
    body = f"""{copy_words(size // 4, "image", "data")}{_PUBLISH}
      scf.if %first {{
        nvvm.cp.async.bulk.tensor.global.shared.cta %target_map, %data, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }}"""
    return table_of(
        f"tma_store_{width}_{bits}_{rows}",
        (image, target),
        [("target", (rows, cols), width)],
        BASE + size,
        body,
    )


_LAYOUTS = {
    16: Layout.SwizzleNone,
    32: Layout.Swizzle32,
    64: Layout.Swizzle64,
    128: Layout.Swizzle128,
}


def wgmma(
    width: int, n: int, inputs: str, result: str, a_mn: bool, b_mn: bool
) -> Table:
    """
    The registers of one m64 wgmma of raw operands, by thread.

    `width` is that of the swizzle in bytes (16: none), `result` f32 or f16; `a_mn` and
    `b_mn` say that an operand is MN-major.
    """
    element = {"f16": f16, "bf16": bf16, "e4m3": i8}[inputs]
    element_bytes = 1 if inputs == "e4m3" else 2
    k = 32 // element_bytes
    panel = width // element_bytes
    descriptors: list[int] = []
    start = BASE
    sizes: list[int] = []
    for extent, is_mn in ((64, a_mn), (n, b_mn)):
        rows, cols = (k, extent) if is_mn else (extent, k)
        cols = -(-cols // panel) * panel
        tile = TileType([rows, cols], element, Space.Shared, _LAYOUTS[width])
        major = Major.MN if is_mn else Major.K
        descriptors.append(operand_descriptor(tile, major).encode(start))
        size = -(-layouts.tile_bytes(tile) // 1024) * 1024
        sizes.append(size)
        start += size
    words = sum(sizes) // 4
    registers = n // 2 if result == "f32" else n // 4
    register = "f32" if result == "f32" else "i32"
    struct = f"!llvm.struct<({', '.join([register] * registers)})>"
    image = Argument("image", "i32", (words,))
    dump = Argument("dump", register, (registers, THREADS), written=True)
    lines = [
        # Shared memory does not begin at address 0 on a device.
        "      %address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32",
        "      %units = arith.shrui %address, %four : i32",
        "      %start = arith.extui %units : i32 to i64",
        f"      %a_rest = arith.constant {_signed(descriptors[0])} : i64",
        f"      %b_rest = arith.constant {_signed(descriptors[1])} : i64",
        "      %a = arith.addi %a_rest, %start : i64",
        "      %b = arith.addi %b_rest, %start : i64",
        f"      %none = llvm.mlir.zero : {struct}",
        "      nvvm.wgmma.fence.aligned",
        f"      %acc = nvvm.wgmma.mma_async %a, %b, %none, <m = 64, n = {n}, k = {k}>, "
        f"D[<{result}>, <zero>], A[<{inputs}>, <one>, <{'col' if a_mn else 'row'}>], "
        f"B[<{inputs}>, <one>, <{'row' if b_mn else 'col'}>] : {struct} -> {struct}",
        "      nvvm.wgmma.commit.group.sync.aligned",
        "      nvvm.wgmma.wait.group.sync.aligned 0",
        "      %mine = arith.muli %tid, %four : i32",
    ]
    for index in range(registers):
        lines += [
            f"      %v{index} = llvm.extractvalue %acc[{index}] : {struct}",
            f"      %p{index} = llvm.getelementptr %dump[{index * THREADS * 4}] : "
            "(!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
            f"      %q{index} = llvm.getelementptr %p{index}[%mine] : "
            "(!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8",
            f"      llvm.store %v{index}, %q{index} {{alignment = 4 : i64}} : "
            f"{register}, !llvm.ptr<1>",
        ]
    majors = ("mn" if a_mn else "k") + ("mn" if b_mn else "k")
    return table_of(
        f"wgmma_{width}_{n}_{inputs}_{result}_{majors}",
        (image, dump),
        [],
        start,
        copy_words(words, "image", "data") + _PUBLISH + "\n" + "\n".join(lines),
        inputs,
    )


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def tables() -> Iterator[Table]:
    """Every entry that the lowering uses, and the wgmma shapes at both ends."""
    for width in (0, 32, 64, 128):
        for bits in (8, 16, 32):
            yield tma_load(width, bits, 24)
            yield tma_store(width, bits, 24)
    for width in (16, 32, 64, 128):
        for inputs, result in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
            for n in (8, 24, 64, 136, 256):
                yield wgmma(width, n, inputs, result, False, False)
            if inputs != "f16" or result != "f32":
                continue
            for a_mn, b_mn in ((True, False), (False, True), (True, True)):
                for n in (64, 128, 256):
                    yield wgmma(width, n, inputs, result, a_mn, b_mn)
        yield wgmma(width, 64, "e4m3", "f32", False, False)
