"""What is built and installed is complete: a wheel and an archive of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSIDE = ("croqtile_mlir", "pyproject.toml", "README.md", "LICENSE")

_USE = """
import sys
import croqtile_mlir as croq
assert "numpy" not in sys.modules and "xdsl" not in sys.modules
import numpy as np
rng = np.random.default_rng(1)
kernel = croq.compile(sys.argv[1])
a, b = (rng.standard_normal((m, 72)).astype("f2") for m in (40, 24))
c = kernel.simulate(a, b)
assert np.abs(c - a.astype("f4") @ b.T.astype("f4")).max() < 0.05
assert croq.matmul(a, b.T).shape == (40, 24)
print(croq.__file__)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive, made of a copy of the sources, and its wheel."""
    folder = tmp_path_factory.mktemp("package")
    source, built = folder / "source", folder / "dist"
    source.mkdir()
    built.mkdir()
    for name in INSIDE:
        path = ROOT / name
        if path.is_dir():
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, source / name, ignore=leave)
        else:
            shutil.copy(path, source)
    build = f"from setuptools import build_meta as b; b.build_sdist({str(built)!r})"
    _run(source, sys.executable, "-c", build)
    (archive,) = built.glob("*.tar.gz")
    # Builds in an environment of its own, for which it gets setuptools.
    make = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(built))
    try:
        _run(folder, *make, str(archive))
    except AssertionError as error:
        if "No matching distribution" in str(error) or "onnection" in str(error):
            pytest.skip("needs a package index")
        raise
    return built


def _run(folder: Path, *command: str) -> str:
    """What a command prints, run in a folder and without this repository's path."""
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_everything_is_inside(built: Path):
    """The same modules and data in both as in the repository."""
    folder = ROOT / "croqtile_mlir"
    wanted = {
        str(path.relative_to(ROOT))
        for path in folder.rglob("*")
        if path.suffix in (".py", ".json", ".typed")
    }
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        packed = {n for n in opened.namelist() if n.startswith("croqtile_mlir/")}
    assert packed == wanted
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert wanted | {"README.md", "LICENSE", "pyproject.toml"} <= names


def test_an_installed_wheel_runs_a_kernel(built: Path, tmp_path: Path):
    """In an environment of its own, which sees what the wheel depends on."""
    place = tmp_path / "venv"
    _run(tmp_path, sys.executable, "-m", "venv", "--without-pip", str(place))
    python = place / "bin" / "python"
    packages = Path(
        _run(
            tmp_path, str(python), "-c", "import site; print(*site.getsitepackages())"
        ).split()[0]
    )
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(packages)
    # After the wheel's own modules; what is installed for editing is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    example = ROOT / "examples" / "matmul_returned.mlir"
    file = _run(tmp_path, str(python), "-c", _USE, str(example)).strip()
    assert Path(file).is_relative_to(packages)
    tool = [str(python), "-m", "croqtile_mlir.tools.croq_opt"]
    assert "--lower-events" in _run(tmp_path, *tool, "--show-passes")
    assert "usage: croq-opt" in _run(tmp_path, *tool, "--help")
