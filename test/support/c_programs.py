"""C programs for tests: where `cuda.h` is, and a compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


def include_folder() -> Path | None:
    """Where `cuda.h` is, from a wheel or a toolkit."""
    folders = [
        folder for root in _wheels("nvidia") for folder in root.glob("*/include")
    ]
    # Triton has a copy, too.
    folders += [root / "backends" / "nvidia" / "include" for root in _wheels("triton")]
    folders.append(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include")
    return next((each for each in folders if (each / "cuda.h").is_file()), None)


def _wheels(package: str) -> list[Path]:
    spec = find_spec(package)
    roots = spec.submodule_search_locations if spec is not None else None
    return [Path(root) for root in roots or ()]


def compile_c(source: Path, output: Path, *options: str | Path, language: str) -> None:
    """Compile a file to an object, with all warnings; skips without a compiler."""
    include = include_folder()
    if include is None or shutil.which("cc") is None or shutil.which("c++") is None:
        pytest.skip("needs a C compiler and cuda.h")
    compiler = ("cc", "-std=c11") if language == "c" else ("c++", "-std=c++11")
    command = [*compiler, *STRICT, f"-isystem{include}", "-x", language, *options]
    run([*command, "-c", source, "-o", output])


def run(command: Sequence[str | Path]) -> str:
    """What a program prints; a failure shows it."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def nowhere(program: str) -> Path | None:
    """Where a program of the toolkit is on a machine without one."""
    return None
