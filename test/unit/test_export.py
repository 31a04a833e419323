"""Exported kernels: what the header tells the driver is what the runtime tells it."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from support.c_programs import compile_c, nowhere, run
from support.fake_driver import FakeApi, Launch
from support.launched_plan import PLAN
from xdsl.ir.affine import AffineMap

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.exporting.c_header import Header
from croqtile_mlir.exporting.c_names import c_name, c_names, c_string
from croqtile_mlir.launch.plan import (
    DimParam,
    LaunchPlan,
    PitchCheck,
    PointerParam,
    RangeCheck,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
    WorkspaceParam,
)
from croqtile_mlir.ptx_tools import find_ptxas
from croqtile_mlir.runtime.dtypes import DTYPES, dtype_named, pack_scalar
from croqtile_mlir.runtime.launch import Launcher

EXAMPLES = Path(__file__).parents[2] / "examples"
INPUTS = Path(__file__).parent / "Inputs"
INTEGER = "strtoll(argv[++at], NULL, 10)"
needs_ptxas = pytest.mark.skipif(find_ptxas() is None, reason="there is no ptxas")

VOLUME = LaunchPlan(
    args=(
        TileArg("volume", "f32", ("A", "B", "C", 8), written=False),
        TileArg("int", "f16", ("C",)),
        TileArg("int_", "i64", ("A", "B"), output=True),
        ScalarArg("scale", "f64"),
        ScalarArg("half", "f16"),
        ScalarArg("flag", "i1"),
        ScalarArg("count", "i64"),
    ),
    dims=("A", "B", "C"),
    params=(
        TensorMapParam("volume", (1, 4, 16, 8), 32),
        PointerParam("int"),
        StrideParam("volume", 1),
        ScalarParam("half"),
        ScalarParam("scale"),
        TensorMapParam("int", (64,), 128),
        ScalarParam("flag"),
        DimParam("B"),
        PointerParam("int_"),
        StrideParam("int_", 0),
        ScalarParam("count"),
    ),
    grid=AffineMap.from_callable(
        lambda a, b, c: (a.ceil_div(2) * 3 + b, (c + 3) // 4, c % 3 + 1)
    ),
    block=96,
    shared_bytes=200_000,
    checks=(
        PitchCheck("int_", 0, 8, 'a file "with" a name\\.mlir:3:5'),
        RangeCheck("rows?", AffineMap.from_callable(lambda a, b, c: (a * 2 - b,)), -3),
    ),
)
"""Names that C reserves, rank 1 and 4, every kind of scalar and expression."""


@dataclass(frozen=True)
class Memory:
    """A tensor that is nowhere: its address is only passed on."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""

    typestr: str

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        size = int(self.typestr[2:])
        return {
            "version": 3,
            "shape": self.shape,
            "strides": tuple(stride * size for stride in self.strides),
            "data": (self.pointer, False),
            "typestr": self.typestr,
        }


@dataclass(frozen=True)
class Program:
    """The header of a plan, compiled with a driver that prints what it is asked."""

    path: Path
    plan: LaunchPlan

    def run(self, values: Sequence[int | float], fails: str = "") -> list[str]:
        """Load, check, launch and unload with values for the fields of the struct."""
        done = subprocess.run(
            [self.path, *map(str, values)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env={**os.environ, "FAILS": fails},
        )
        return done.stdout.splitlines()


def parameter_bytes(plan: LaunchPlan) -> list[int]:
    scalars = {a.name: a.dtype for a in plan.args if isinstance(a, ScalarArg)}
    sizes: list[int] = []
    for param in plan.params:
        match param:
            case TensorMapParam():
                sizes.append(128)
            case DimParam():
                sizes.append(4)
            case ScalarParam(arg):
                sizes.append(dtype_named(scalars[arg]).bytes)
            case _:
                sizes.append(8)
    return sizes


def build(folder: Path, plan: LaunchPlan, language: str = "c") -> Program:
    """A program whose arguments are the fields of the header's struct, in order."""
    text = Header("k", "entry$1", plan).text()
    (folder / "k.h").write_text(text)
    struct = text.split("typedef struct {")[2].split("}")[0]
    reads: list[str] = []
    for line in (each.split(";")[0] for each in struct.splitlines() if ";" in each):
        kind, field = line.split()
        read = "atof(argv[++at])" if kind in ("float", "double") else INTEGER
        name, _, count = field.partition("[")
        places = [f"{name}[{n}]" for n in range(int(count[:-1]))] if count else [name]
        reads += [f"  args.{place} = {read};" for place in places]
    sizes = ", ".join(map(str, parameter_bytes(plan)))
    source = folder / "main.c"
    source.write_text(
        f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "k.h"
#ifdef __cplusplus
extern "C" {{
#endif
extern const int parameter_bytes[];
extern const int parameter_count;
const int parameter_bytes[] = {{{sizes or "0"}}};
const int parameter_count = {len(plan.params)};
#ifdef __cplusplus
}}
#endif
int main(int argc, char **argv) {{
  int at = 0;
  k_kernel kernel;
  k_args args;
  const char *wrong;
  CUresult status = k_load(&kernel, "PTX");
  (void)argc;
  (void)argv;
  (void)at;
  memset(&args, 0, sizeof args);
  if (status != CUDA_SUCCESS) {{
    printf("status %d\\n", (int)status);
    return 0;
  }}
{chr(10).join(reads)}
  wrong = k_check(&args);
  printf("check %s\\n", wrong == NULL ? "fine" : wrong);
  printf("status %d\\n", (int)k_launch(&kernel, &args, (CUstream)(uintptr_t)11));
  return (int)k_unload(&kernel);
}}
"""
    )
    driver, main, program = folder / "driver.o", folder / "main.o", folder / "program"
    compile_c(INPUTS / "recording_driver.c", driver, language="c")
    compile_c(source, main, language=language)
    run(["cc" if language == "c" else "c++", driver, main, "-o", program])
    return Program(program, plan)


def told_by_runtime(plan: LaunchPlan, arguments: Mapping[str, Any]) -> list[str]:
    """What the runtime asks of a driver for a launch, in the words of the program."""
    lines: list[str] = []

    def record(launch: Launch) -> None:
        grid = " ".join(map(str, launch.grid))
        sizes = f"{launch.block} 1 1 {launch.shared_bytes} {launch.stream}"
        lines.append(f"launch 9 {grid} {sizes}")
        maps = 0
        for place, size in enumerate(parameter_bytes(plan)):
            if size == 128:
                lines.append(f"parameter map {maps.to_bytes(4, 'little').hex()}")
                maps += 1
            else:
                data = ctypes.string_at(launch.parameters[place], size)
                lines.append(f"parameter {data.hex()}")

    api = FakeApi(parameter_count=len(plan.params), kernel=record)
    # A program passes the tiles that a kernel returns like all others.
    args = (
        replace(arg, output=False) if isinstance(arg, TileArg) else arg
        for arg in plan.args
    )
    given = replace(plan, args=tuple(args))
    Launcher(given, "ptx", "entry$1", api.driver())(list(arguments.values()), 11)
    return [_map_line(api.real, each.fields) for each in api.descriptors] + lines


def _map_line(real: Any, fields: Mapping[str, Any]) -> str:
    rank = len(fields["extents"])
    words = [
        int(getattr(real.CUtensorMapDataType, fields["dtype"])),
        fields["address"],
        *fields["extents"],
        *fields["pitches"][: rank - 1],
        *fields["box"],
        *[1] * rank,
        int(real.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE),
        int(getattr(real.CUtensorMapSwizzle, fields["swizzle"])),
        int(real.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B),
        int(real.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
    ]
    return " ".join(["map", *map(str, words)])


_TYPES = {"f16": "<f2", "f32": "<f4", "i64": "<i8"}


def random_arguments(
    plan: LaunchPlan, dims: Mapping[str, int], rng: random.Random
) -> tuple[dict[str, Any], list[int | float]]:
    """Arguments for the runtime, and the same as fields of the header's struct."""
    arguments, fields = dict[str, Any](), list[int | float](dims.values())
    for arg in plan.args:
        if isinstance(arg, ScalarArg):
            value = rng.uniform(-9, 9) if arg.dtype[0] == "f" else rng.randint(0, 1)
            if arg.dtype in ("i16", "i64"):
                value = rng.randint(-(2**14), 2**14)
            arguments[arg.name] = value
            if arg.dtype == "f16":
                bits = pack_scalar(arg.name, DTYPES["f16"], value)
                value = int.from_bytes(bits, "little")
            fields.append(value)
            continue
        shape = plan.shape(arg, dims)
        strides, inside = [1], shape[-1]
        for extent in reversed(shape[:-1]):
            pitch = -(-max(inside, 1) // 16) * 16 + 16 * rng.randint(0, 3)
            strides.insert(0, pitch)
            inside = pitch * extent
        pointer = 4096 * rng.randint(1, 1 << 30)
        made = Memory(pointer, shape, tuple(strides), _TYPES[arg.dtype])
        arguments[arg.name] = made
        fields += [pointer, *strides[:-1]]
    return arguments, fields


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_tells_the_driver_what_the_runtime_tells_it(
    language: str, tmp_path: Path
):
    rng = random.Random(11)
    plan = replace(PLAN, checks=())
    program = build(tmp_path, plan, language)
    for m, n, k in ((40, 24, 64), (1, 1, 8), (129, 8, 1), (8, 8, 0), (300, 7, 72)):
        dims = {"M": m, "N": n, "K": k}
        arguments, fields = random_arguments(plan, dims, rng)
        told = program.run(fields)
        assert told[:3] == ["load PTX", "function 7 entry$1", "alloc 16"]
        assert told[3] == "check fine"
        assert told[-3:] == ["status 0", "free 20480", "unload 7"]
        expected = told_by_runtime(plan, arguments)
        if k == 0:
            # Both read zeros of their own.
            assert told[4] == "memset 20480 0 16 11"
            told.pop(4)
            words = expected[0].split()
            words[2] = "20480"
            expected[0] = " ".join(words)
        assert told[4:-3] == expected


def test_the_workspace_is_the_last_field_and_passed_on(tmp_path: Path):
    plan = LaunchPlan(
        args=(TileArg("workspace", "f32", ("N",)),),
        dims=("N",),
        params=(WorkspaceParam(4), PointerParam("workspace")),
        grid=AffineMap.from_callable(lambda n: (n, 1, 1)),
        block=64,
    )
    told = build(tmp_path, plan).run([3, 0x1230, 0x4560])
    passed = [(0x4560).to_bytes(8, "little"), (0x1230).to_bytes(8, "little")]
    assert [f"parameter {data.hex()}" for data in passed] == told[-5:-3]


def test_ranks_reserved_names_and_expressions(tmp_path: Path):
    rng = random.Random(12)
    program = build(tmp_path, VOLUME)
    for a, b, c in ((3, 5, 16), (1, 1, 1), (7, 2, 33)):
        dims = {"A": a, "B": b, "C": c}
        arguments, fields = random_arguments(VOLUME, dims, rng)
        told = program.run(fields)
        attribute = next(line for line in told if line.startswith("attribute"))
        assert attribute == "attribute 9 8 200000"
        start = told.index("check fine") + 1
        expected = told_by_runtime(VOLUME, arguments)
        assert told[start:-3] == expected


FIELDS = {
    **{"M": 40, "N": 24, "K": 64, "lhs": 0x1000, "lhs_strides": 64, "alpha": 1},
    **{"out": 0x2000, "out_strides": 24, "n": 7},
}
"""Of the struct of `PLAN`, in order: no rule is broken."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A program for `PLAN`."""
    return build(tmp_path_factory.mktemp("checked"), PLAN)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({}, "fine"),
        ({"M": -1}, "dim 'M' must not be negative"),
        ({"M": 0}, "fine"),
        ({"lhs": 0x1008}, "argument 'lhs': address must be a multiple of 16 bytes"),
        ({"lhs": 0x1008, "K": 0}, "fine"),
        (
            {"out": 0x1010},
            "argument 'out': address must be a multiple of 32 bytes (needed at "
            "kernel.mlir:3:5)",
        ),
        (
            {"lhs_strides": 65},
            "argument 'lhs': pitch of dim 0 must be a multiple of 16 bytes",
        ),
        ({"lhs_strides": 65, "M": 1}, "rows must be between 4 and 4000"),
        ({"K": 60}, "dim 'K' must be a multiple of 8"),
        ({"M": 3000}, "rows must be between 4 and 4000"),
        ({"M": 500}, "fine"),
        (
            {"M": 500, "K": 56},
            "M < 500 or K == 64 must hold (few rows) (needed at kernel.mlir:4:7)",
        ),
        ({"M": 499, "K": 56}, "fine"),
    ],
)
def test_broken_rules_are_named_and_nothing_is_launched(
    change: dict[str, int], rule: str, checked: Program
):
    told = checked.run([*(FIELDS | change).values()])
    (said,) = [line for line in told if line.startswith("check ")]
    assert said == f"check {rule}"
    launched = any(line.startswith("launch") for line in told)
    assert launched == (rule == "fine" and change.get("M") != 0)
    assert f"status {0 if rule == 'fine' else 1}" in told


@pytest.mark.parametrize("call", ["load", "function", "alloc", "map", "launch"])
def test_what_the_driver_refuses_is_returned(call: str, checked: Program):
    told = checked.run([*FIELDS.values()], fails=call)
    assert "status 999" in told
    assert ("unload 7" in told) == (call != "load")
    assert ("free 20480" in told) == (call in ("map", "launch"))


def test_all_arithmetic_of_maps(tmp_path: Path):
    """Floor division and remainder of what is negative, as the runtime's."""
    difference = AffineMap.from_callable(
        lambda m, n, k: (
            (m - n) // 3 + 40,
            (m - n).ceil_div(3) + 40,
            (m - n) % 3 + 1,
        )
    )
    program = build(tmp_path, replace(PLAN, checks=(), grid=difference))
    for m, n in ((5, 24), (24, 5), (8, 8), (7, 9), (1, 100)):
        told = program.run([*(FIELDS | {"M": m, "N": n}).values()])
        (launch,) = [line for line in told if line.startswith("launch")]
        grid = difference.eval((m, n, 64), ())
        assert launch.split()[2:5] == [str(extent) for extent in grid]


def test_names_of_c():
    assert c_name("int") == "int_"
    assert c_name("a b-c") == "a_b_c"
    assert c_name("2d") == "_2d"
    assert c_name("") == "_"
    made = c_names({"one": "int", "two": "int_", "three": "x", "four": "x"})
    assert made == {"one": "int_", "two": "int__", "three": "x", "four": "x_"}
    assert c_string('a"b\\?\n\u00e9') == '"a\\"b\\\\\\?\\012\\303\\251"'


@needs_ptxas
def test_the_files_of_an_example(tmp_path: Path):
    kernel = croq.compile(EXAMPLES / "matmul_returned.mlir", params={"S": 3})
    made = croq.export(kernel, tmp_path / "new" / "folder", name="product")
    assert made.ptx.read_text() == kernel.ptx
    assert made.cubin.read_bytes()[:4] == b"\x7fELF"
    text = made.header.read_text()
    assert f'"{kernel.name}"' in text
    assert "returned" in text
    assert sorted(made.header.parent.iterdir()) == sorted(
        [made.header, made.cubin, made.ptx]
    )
    folder = tmp_path / "program"
    folder.mkdir()
    program = build(folder, kernel.plan)
    # 300 x 200 x 64: three times two blocks.
    told = program.run([300, 200, 64, 4096, 64, 8192, 64, 1 << 20, 208])
    assert "launch 9 3 2 1" in " ".join(told)


@needs_ptxas
def test_the_example_program_compiles(tmp_path: Path):
    kernel = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
    croq.export(kernel, tmp_path, name="matmul")
    source, made = EXAMPLES / "exported_matmul.c", tmp_path / "program.o"
    compile_c(source, made, f"-I{tmp_path}", language="c")
    assert made.stat().st_size > 0


@needs_ptxas
def test_refusals_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kernel = croq.compile(EXAMPLES / "add.mlir")
    for name in ("two words", "2d", "k-1", "\u00e9"):
        with pytest.raises(ArgumentError, match="must be an identifier of C"):
            croq.export(kernel, tmp_path, name=name)
    with pytest.raises(ArgumentError, match="kernel must be what croq"):
        croq.export(cast(Any, "add.mlir"), tmp_path)
    with pytest.raises(ArgumentError, match="identifier of C, got '3'"):
        croq.export(kernel, tmp_path, name=cast(Any, 3))
    monkeypatch.setattr("croqtile_mlir.ptx_tools.find_program", nowhere)
    with pytest.raises(FileNotFoundError, match="ptxas must be on PATH"):
        croq.export(kernel, tmp_path)
    assert not list(tmp_path.iterdir())
