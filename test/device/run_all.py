"""Everything that needs a Hopper device, in one run: `python test/device/run_all.py`.

Each group is a process of its own with a time limit, so that a kernel that hangs costs
its group only. Prints a table last; logs and results go to the folder `--out`. The
groups together take less than ten minutes; `--only` picks some.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "examples/matmul_1p1c.mlir"
PYTEST = (
    sys.executable,
    *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default"),
)
RUN = (sys.executable, "-m", "croqtile_mlir.tools.croq_run")
SHOWN_LINES = 12


@dataclass(frozen=True)
class Group:
    """One process."""

    name: str
    command: tuple[str, ...]
    seconds: int
    """Its time limit."""

    needs: str | None = None
    """A program without which it is skipped."""


def matmul(name: str, pick: str, seconds: int) -> Group:
    """Some of the tests of the matrix products."""
    command = (*PYTEST, "test/end-to-end/test_matmul.py", "-k", pick)
    return Group(name, command, seconds)


def groups(out: Path) -> list[Group]:
    """What is run, the most telling first."""
    small = ("--size", "M=200,N=136,K=200", "--check", "--repeat", "0")
    sanitizer = ("compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9")
    threads = "examples/matmul_1p1c_threads.mlir"
    report = str(out / "matmul.json")
    return [
        Group("elementwise", (*PYTEST, "test/end-to-end/test_elementwise.py"), 60),
        Group("epilogues", (*PYTEST, "test/end-to-end/test_epilogues.py"), 60),
        Group("occupancy", (*PYTEST, "test/end-to-end/test_occupancy.py"), 60),
        Group("scoped", (*PYTEST, "test/end-to-end/test_scoped.py"), 90),
        Group("copies", (*PYTEST, "test/end-to-end/test_copies.py"), 90),
        Group(
            "register tiles", (*PYTEST, "test/end-to-end/test_register_tiles.py"), 150
        ),
        Group("field cases", (*PYTEST, "test/end-to-end/test_field_cases.py"), 90),
        Group("written", (*PYTEST, "test/end-to-end/test_written_examples.py"), 90),
        Group("jax", (*PYTEST, "test/end-to-end/test_jax.py"), 90),
        Group(
            "Croqtile sources",
            (*PYTEST, "test/end-to-end/test_croqtile_sources.py"),
            240,
        ),
        Group("sm_80", (*PYTEST, "test/end-to-end/test_ampere.py"), 90),
        Group(
            "swapped buffers",
            (*PYTEST, "test/end-to-end/test_swap_products.py"),
            90,
        ),
        Group(
            "sm_80, products",
            (*PYTEST, "test/end-to-end/test_ampere_products.py"),
            180,
        ),
        Group("device", (*RUN, "--device-info"), 20),
        Group("seed kernel", (*RUN, EXAMPLE, *small), 30),
        matmul("products, TMA", "test_products and not threads", 75),
        matmul("products, threads", "test_products and threads", 75),
        matmul("other products", "not test_products", 75),
        Group("tables", (sys.executable, "test/device/check_tables.py"), 90),
        Group("SASS", (sys.executable, "test/device/check_sass.py"), 60),
        Group(
            "4096^3",
            (*RUN, EXAMPLE, "--size", "M=4096,N=4096,K=4096", "--check"),
            45,
        ),
        Group(
            "benchmark",
            (sys.executable, "benchmarks/matmul.py", "--json", report),
            75,
        ),
        Group("memcheck, TMA", (*sanitizer, *RUN, EXAMPLE, *small), 75, sanitizer[0]),
        Group(
            "memcheck, threads", (*sanitizer, *RUN, threads, *small), 75, sanitizer[0]
        ),
    ]


def run(group: Group, log: Path) -> tuple[str, float]:
    """Run a group; the verdict and the seconds it took."""
    if group.needs is not None and shutil.which(group.needs) is None:
        return f"skipped: {group.needs} is not installed", 0.0
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    began = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(
            group.command,
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        try:
            code = process.wait(group.seconds)
            verdict = "ok" if code == 0 else f"FAILED (exit status {code})"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            verdict = f"HUNG (killed after {group.seconds} s)"
    return verdict, time.monotonic() - began


def main(argv: Sequence[str] | None = None) -> int:
    """Run the groups; 0 when all are right or skipped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=Path(os.environ.get("OUT", "build/device"))
    )
    parser.add_argument("--only", action="append", help="a group, by its name")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    verdicts: list[tuple[str, str, float]] = []
    for group in groups(options.out):
        if options.only and group.name not in options.only:
            continue
        file = group.name.replace(" ", "-").replace(",", "").replace("^", "")
        log = options.out / f"{file}.log"
        verdict, seconds = run(group, log)
        verdicts.append((group.name, verdict, seconds))
        print(f"=== {group.name}: {verdict}, {seconds:.1f} s", flush=True)
        if log.exists():
            lines = log.read_text(errors="replace").splitlines()
            print("\n".join(lines[-SHOWN_LINES:]), flush=True)
    print()
    for name, verdict, seconds in verdicts:
        print(f"{name:<20}{seconds:>7.1f} s  {verdict}")
    return int(any("FAILED" in v or "HUNG" in v for _, v, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main())
