"""Running cases in a process that may hang or die, without losing the other cases.

The worker is this program again. It reads cases on its standard input and says on its
standard output what it is about to do, one line of JSON at a time; the supervisor ends
it when it is silent for too long, and starts another for what is left.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

MARK = "@@ "
"""How a line of the protocol begins; others are passed on."""


def announce(event: str, text: str) -> None:
    """Tell the supervisor something, from the worker."""
    print(MARK + json.dumps([event, text]), flush=True)


@dataclass(frozen=True)
class Ending:
    """How a worker came to its end."""

    reason: str
    """Empty when it did everything."""

    stage: str
    """What it did last."""


def supervise(
    command: Sequence[str],
    task: str,
    seconds: float,
    progress: Callable[[str, str], None] = lambda event, text: None,
) -> Ending:
    """Run a worker on a task; `seconds` is how long it may be silent."""
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(
        target=_forward, args=(process.stdout, lines), daemon=True
    )
    reader.start()
    stage, finished, timed_out = "start", False, False
    try:
        process.stdin.write(task)
        process.stdin.close()
    except OSError:
        pass  # It is over already; its exit status says so.
    try:
        while True:
            try:
                line = lines.get(timeout=seconds)
            except queue.Empty:
                timed_out = True
                break
            if line is None:
                break
            if not line.startswith(MARK):
                print(line, end="", flush=True)
                continue
            event, text = json.loads(line.removeprefix(MARK))
            if event == "stage":
                stage = text
            finished = finished or event == "finished"
            progress(event, text)
    finally:
        code = _end(process, at_once=timed_out)
        # The pipe ends with the last process that holds it.
        reader.join(5)
        if not reader.is_alive():
            process.stdout.close()
    if timed_out:
        return Ending(f"hung: no word for {seconds:.0f} s", stage)
    if not finished:
        return Ending(f"ended with status {code}", stage)
    return Ending("", stage)


def _forward(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str], *, at_once: bool) -> int:
    """Wait for a worker, but not for long; its exit status."""
    try:
        if not at_once:
            return process.wait(15)
    except subprocess.TimeoutExpired:
        pass
    try:
        # The worker leads a group of its own, with the processes that it started.
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        return process.wait(15)
    except subprocess.TimeoutExpired:
        # In the driver, where no signal reaches it.
        print(f"process {process.pid} cannot be ended", file=sys.stderr)
        return -signal.SIGKILL
