"""An exported kernel in a program without Python, on a device."""

from __future__ import annotations

import ctypes.util
from pathlib import Path
from typing import Any

import pytest
from support.c_programs import compile_c, run

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import find_ptxas


@pytest.mark.parametrize("image", ["matmul.cubin", "matmul.ptx"])
def test_the_example_program(torch: Any, examples: Path, image: str, tmp_path: Path):
    if find_ptxas() is None:
        pytest.skip("there is no ptxas")
    library = ctypes.util.find_library("cuda") or "libcuda.so.1"
    croq.export(croq.compile(examples / "matmul_1p1c.mlir"), tmp_path, name="matmul")
    made, program = tmp_path / "main.o", tmp_path / "main"
    source = examples / "exported_matmul.c"
    compile_c(source, made, f"-I{tmp_path}", language="c")
    run(["cc", made, f"-l:{library}", "-o", program])
    assert run([program, tmp_path / image]) == "0 of 60000 elements differ\n"
