"""Products by clusters of blocks, against torch in float64, on a device.

`python test/device/check_clusters.py` compiles examples/matmul.mlir for clusters of
several shapes and prints one line for each product. The products of one kernel run in a
process of their own; one that hangs is killed, and the next process goes on behind it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REPEATS = 20
COMPILE_SECONDS = 90
"""Until the first line of a process: imports, compilation, start of the device."""

CASE_SECONDS = 30


@dataclass(frozen=True)
class Variant:
    """A kernel: how its tiles and clusters are made."""

    cluster: str
    params: str = ""
    persist: bool = True
    overlap: bool = True
    specialize: str = ""

    def __str__(self) -> str:
        parts = [self.cluster, self.params.replace(" ", ","), self.specialize]
        parts += ["" if self.persist else "one tile a block"]
        parts += ["" if self.overlap else "plain epilogue"]
        return " ".join(filter(None, parts))

    @property
    def schedule(self) -> str:
        """The passes before the lowering."""
        passes = [
            f"bind-params{{{self.params}}}" if self.params else "bind-params",
            f"make-clusters{{cluster={self.cluster}}}",
            "persist" if self.persist else "",
            f"warp-specialize{{{self.specialize}}}"
            if self.specialize
            else "warp-specialize",
            "multicast",
            "overlap-epilogue" if self.overlap else "",
        ]
        return ",".join(filter(None, passes))


VARIANTS = (
    Variant("2x1"),
    Variant("1x2"),
    Variant("2x2"),
    Variant("2x1", persist=False),
    Variant("1x2", "BM=128 BN=128"),
    Variant("2x1", "BM=128 BN=128", specialize="mode=pingpong"),
    Variant("4x1", overlap=False, specialize="stages=3"),
    Variant("2x1", specialize="in_flight=1"),
)

SHAPES = (
    (256, 512, 64),
    (128, 256, 8),
    (300, 520, 200),
    (1000, 1000, 1000),
    (129, 2056, 72),
    (2688, 4096, 136),
    (2048, 4096, 72),
    (4096, 4096, 4096),
    (8192, 3000, 520),
)
"""M, N, K: whole clusters of tiles, less than one, and ragged edges of either; short K
with many tiles for each block."""


def product(kernel: Any, shape: tuple[int, int, int], seed: int) -> str:
    """What is wrong with repeated products of one shape; empty if nothing is."""
    torch: Any = importlib.import_module("torch")
    m, n, k = shape
    generator = torch.Generator(device="cuda").manual_seed(seed)

    def random(rows: int) -> Any:
        values = torch.randn(rows, k, device="cuda", generator=generator)
        return values.to(torch.float16)

    lhs, rhs = random(m), random(n)
    exact = lhs.double() @ rhs.double().T
    # The sum is rounded to f32 at each step of K, the result to f16.
    allowed = 1e-3 * exact.abs() + 2e-4 * k**0.5
    first: Any = None
    for turn in range(REPEATS):
        out = torch.full((m, n), float("nan"), dtype=torch.float16, device="cuda")
        kernel(lhs, rhs, out)
        torch.cuda.synchronize()
        wrong = ~((out.double() - exact).abs() <= allowed)
        if bool(wrong.any()):
            row, column = (int(i) for i in wrong.nonzero()[0])
            return (
                f"{int(wrong.sum())} wrong in run {turn}, first [{row}, {column}] = "
                f"{float(out[row, column])} for {float(exact[row, column])}"
            )
        if first is None:
            first = out
        elif not torch.equal(first, out):
            return f"run {turn} differs from the first"
    return ""


def child(number: int, start: int) -> int:
    """Run the products of one variant from one shape on; a line for each."""
    import croqtile_mlir as croq

    variant = VARIANTS[number]
    text = (ROOT / "examples" / "matmul.mlir").read_text()
    try:
        kernel = croq.compile(text, schedule=variant.schedule)
        resources = kernel.resources
    except Exception as error:  # Whatever it is, the other variants go on.
        print(f"refused: {str(error).splitlines()[0]}", flush=True)
        return 1
    print(
        f"ready: {resources.registers} registers, {resources.spill_bytes} bytes "
        f"spilled, {resources.clusters} clusters at a time {resources.messages}",
        flush=True,
    )
    failed = False
    for index in range(start, len(SHAPES)):
        began = time.monotonic()
        wrong = product(kernel, SHAPES[index], seed=index)
        failed |= bool(wrong)
        seconds = time.monotonic() - began
        print(f"{index} {wrong or 'ok'} ({seconds:.1f} s)", flush=True)
    return int(failed)


def run_variant(number: int) -> int:
    """Run a variant in processes of its own; how many products are wrong."""
    name = str(VARIANTS[number])
    start, wrong = 0, 0
    while start < len(SHAPES):
        done, reached = run_process(name, number, start)
        wrong += done
        if reached == start and done == 0:
            print(f"{name}: no product was made  FAILED", flush=True)
            return wrong + 1
        start = reached
    return wrong


def run_process(name: str, number: int, start: int) -> tuple[int, int]:
    """Run a process until it ends or hangs: wrong products, and where to go on."""
    command = [sys.executable, __file__, "--child", str(number), "--start", str(start)]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )
    assert process.stdout is not None
    wrong, reached = 0, start
    for line in timed_lines(process):
        if line is None:
            shape = "x".join(map(str, SHAPES[reached]))
            print(f"{name} {shape}: HUNG", flush=True)
            return wrong + 1, reached + 1
        if line.startswith("refused:"):
            print(f"{name}: {line}  FAILED", flush=True)
            return wrong + 1, len(SHAPES)
        index, _, text = line.partition(" ")
        if not index.isdigit():
            print(f"{name}: {line}", flush=True)
            continue
        shape = "x".join(map(str, SHAPES[int(index)]))
        verdict = "" if text.startswith("ok") else "  FAILED"
        wrong += bool(verdict)
        print(f"{name} {shape}: {text}{verdict}", flush=True)
        reached = int(index) + 1
    if process.returncode not in (0, 1):
        # A fault of the device ends the process.
        print(f"{name}: exit status {process.returncode}  FAILED", flush=True)
        return wrong + 1, reached + 1
    return wrong, reached


def timed_lines(process: subprocess.Popen[str]) -> Iterator[str | None]:
    """The lines of a process; None when the next does not come in time."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    seconds = COMPILE_SECONDS
    while True:
        try:
            line = lines.get(timeout=seconds)
        except queue.Empty:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            yield None
            return
        if line is None:
            process.wait()
            return
        seconds = CASE_SECONDS
        yield line


def main(argv: Sequence[str] | None = None) -> int:
    """Check all variants, or those of a cluster; 0 when all products are right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", help="a cluster, as 2x1")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.child is not None:
        return child(options.child, options.start)
    wrong = 0
    for number, variant in enumerate(VARIANTS):
        if options.only in (None, variant.cluster):
            wrong += run_variant(number)
    print(f"{wrong} wrong" if wrong else "all right")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
