"""Host time of `croq.matmul` beside torch's: `python benchmarks/launch_time.py`.

Small products, so that the device is never the slower one. Median and range of rounds
of calls; the device is waited for between rounds only. Also the first call of a shape,
compiled and read from disk.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from statistics import median
from typing import Any

ROUNDS, CALLS = 9, 500
SIZE = 256


def microseconds(torch: Any, call: Callable[[], object]) -> str:
    """The time of one call."""
    for _ in range(20):
        call()
    found: list[float] = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        found.append((time.perf_counter() - began) / CALLS * 1e6)
    torch.cuda.synchronize()
    return f"{median(found):6.1f} us [{min(found):.1f}-{max(found):.1f}]"


def main() -> None:
    """Print one line for each way to call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", action="store_true", help="only the first call")
    options = parser.parse_args()
    import croqtile_mlir as croq

    torch: Any = import_module("torch")

    a, b = (torch.randn(SIZE, SIZE, device="cuda").half() for _ in range(2))
    w, out = b.T, torch.empty_like(a)
    torch.matmul(a, b, out=out)
    torch.cuda.synchronize()
    began = time.perf_counter()
    croq.matmul(a, w, out)
    torch.cuda.synchronize()
    print(
        f"first call of a shape          {1e3 * (time.perf_counter() - began):8.1f} ms"
    )
    if options.first:
        return
    kernel = croq.compile("examples/matmul.mlir")
    prepared = kernel.prepare(a, b, out)
    others = [torch.empty_like(a) for _ in range(CALLS)]

    def elsewhere() -> None:
        croq.matmul(a, w, others.pop())

    lines: list[tuple[str, Callable[[], object]]] = [
        ("prepared.launch()", prepared.launch),
        ("kernel(a, b, out)", lambda: kernel(a, b, out)),
        ("croq.matmul(a, w, out)", lambda: croq.matmul(a, w, out)),
        ("croq.matmul(a, w)", lambda: croq.matmul(a, w)),
        ("torch.matmul(a, w, out=out)", lambda: torch.matmul(a, w, out=out)),
        ("torch.matmul(a, w)", lambda: torch.matmul(a, w)),
    ]
    for name, call in lines:
        print(f"{name:30} {microseconds(torch, call)}")
    began = time.perf_counter()
    for _ in range(CALLS // 2):
        elsewhere()
    spent = (time.perf_counter() - began) / (CALLS // 2) * 1e6
    print(f"{'croq.matmul, new memory':30} {spent:6.1f} us")
    torch.cuda.synchronize()
    again = [sys.executable, __file__, "--first"]
    print("a new process, kernel on disk: ", end="", flush=True)
    subprocess.run(again, check=True, env=os.environ)


if __name__ == "__main__":
    main()
