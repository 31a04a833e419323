"""`croqtile_mlir.compile` and the kernel it gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq
from croqtile_mlir.ptx_tools import find_ptxas
from croqtile_mlir.tools import croq_run

ROOT = Path(__file__).resolve().parents[2]
SCALE = ROOT / "test" / "unit" / "Inputs" / "scale.mlir"


def no_device() -> None:
    if croq.runtime.available():
        pytest.skip("there is a device here")


def test_names_are_resolved_when_used():
    code = (
        "import sys, croqtile_mlir as croq\n"
        "print([m for m in ('xdsl', 'numpy', 'cuda') if m in sys.modules])\n"
        "print(sorted(set(croq.__all__) - set(dir(croq))))\n"
        "print(croq.ArgumentError.__name__, croq.compile.__name__, croq.runtime)\n"
        "try: croq.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "[]",
        "[]",
        f"ArgumentError compile {croq.runtime}",
        "module 'croqtile_mlir' has no attribute 'nothing'",
    ]


def test_a_kernel_from_a_path_and_from_text():
    from_path = croq.compile(str(SCALE))
    assert from_path is croq.compile(SCALE), "the same input is compiled once"
    from_text = croq.compile(SCALE.read_text())
    assert from_text.ptx == from_path.ptx
    assert from_text.name == "scale"
    assert ".visible .entry scale(" in from_text.ptx
    assert [arg.name for arg in from_text.plan.inputs] == ["x", "alpha"]
    assert from_text.plan.reference == "y[i] = alpha * x[i]"


def test_the_ir_at_the_level_of_the_input():
    kernel = croq.compile(SCALE)
    assert "ptx.entry @scale" in kernel.ir("ptx")
    with pytest.raises(croq.CompileError, match=r"level must be one of .*, got 'llvm'"):
        kernel.ir("llvm")
    with pytest.raises(croq.CompileError, match="hint: did you mean ptx"):
        kernel.ir("ptxx")


def test_deep_nesting_is_refused(tmp_path: Path):
    file = tmp_path / "deep.mlir"
    file.write_text("builtin.module {" * 3000 + "}" * 3000)
    with pytest.raises(croq.CompileError) as caught:
        croq.compile(file)
    assert str(caught.value) == (
        f"{file}: error: regions are nested too deeply to process"
    )


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
def test_resources_from_ptxas():
    no_device()
    resources = croq.compile(SCALE).resources
    assert (resources.source, resources.threads) == ("ptxas", 128)
    assert (resources.shared_bytes, resources.spill_bytes) == (0, 0)
    assert resources.registers
    assert resources.threads_per_multiprocessor == 2048


def test_a_call_without_a_device_is_simulated():
    no_device()
    import numpy as np

    kernel = croq.compile(SCALE)
    with pytest.raises(croq.ArgumentError, match="'x': element type must be f32"):
        kernel(np.zeros(4), 1.0)
    with pytest.raises(croq.DeviceError, match="no device: "):
        kernel.prepare(np.zeros(4, np.float32), 1.0)
    x = np.arange(4, dtype=np.float32)
    assert kernel(x, 3.0).tolist() == [0.0, 3.0, 6.0, 9.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {\n  croq.nothing\n}", r"<string>:2:3: error: .*croq\.nothing"),
        ("module {\n}", r"must hold a croq\.kernel"),
        ("module {", r"<string>:1:\d+: error: "),
        ("func.func @f() {\n  func.return %x : i32\n}", r"<string>:2:\d+: error"),
    ],
)
def test_refused_text_is_located(text: str, message: str):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("block = 128,", "", r"<string>:3:3: error: 'ptx.entry' op croq.launch must "),
        ("croq.launch", "launch", "must hold a kernel with the attribute croq.launch"),
        ("%out = ptx.setp", "%out = ptx.nop", r"<string>:\d+:5: error"),
    ],
)
def test_refused_kernels_are_located(old: str, new: str, message: str):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(SCALE.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"target": "sm_70"},
            "target must be one of sm_80, sm_86, sm_89, sm_90a, got 'sm_70'",
        ),
        ({"target": ["sm_90a"]}, r"target must be a text, got \['sm_90a'\]"),
        ({"name": 3}, "name must be a text, got 3"),
        ({"params": {"S": 3}}, r"must hold a croq.kernel to bind S"),
        ({"name": "other"}, "must hold a kernel 'other', got no croq.kernel"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(SCALE, **options)


def test_a_missing_file_is_an_os_error():
    with pytest.raises(FileNotFoundError):
        croq.compile("missing.mlir")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    file = tmp_path / "kernel.cubin"
    file.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(croq.CompileError) as error:
        croq.compile(file)
    assert f"file {file} must be UTF-8 text" in str(error.value)
    with pytest.raises(IsADirectoryError):
        croq.compile(tmp_path)
    with pytest.raises(croq.CompileError, match="source must be IR text or a path"):
        croq.compile("kernel\0mlir")


def test_a_mark_before_the_text_is_none_of_it(tmp_path: Path):
    file, plain = tmp_path / "add.mlir", ROOT / "examples" / "add.mlir"
    file.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert croq.compile(file).ptx == croq.compile(plain).ptx
    sizes = ("--simulate", "--size", "M=3,N=40", "--repeat=0")
    assert croq_run.run((str(file), *sizes)) == 0
