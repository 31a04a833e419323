"""
The tools that lit tests run, in forks of lit's own processes.

Half a second of a run of `croq-opt` is the import of xDSL, the dialects and the passes.
Here they are imported once, before lit starts its workers; a command of a test is a
fork, which has the pipes, arguments, environment and exit code of a process of its own.
`lit -D exec test` starts processes instead.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

_TOOLS: Mapping[str, str] = MappingProxyType(
    {
        "-m croqtile_mlir.tools.croq_opt": "croqtile_mlir.tools.croq_opt",
        "-m croqtile_mlir.tools.croq_run": "croqtile_mlir.tools.croq_run",
        "filecheck": "filecheck.main",
    }
)
"""How a command begins, and the module whose `main` it is."""


def install() -> None:
    """Let lit fork the tools; once, where lit reads its settings."""
    if os.name != "posix" or issubclass(subprocess.Popen, _ToolProcess):
        return
    for name in _TOOLS.values():
        import_module(name)
    _import_compiler()
    # What is there now stays: forks need not copy it to look for garbage.
    gc.collect()
    gc.freeze()
    setattr(subprocess, "Popen", _ToolProcess)


def _import_compiler() -> None:
    """What `croq-opt` imports when it needs it."""
    from croqtile_mlir.context import new_context
    from croqtile_mlir.passes import get_all_passes

    for factory in get_all_passes().values():
        factory()
    ctx = new_context()
    for name in ("croq", "nvvm", "ptx", "gpu", "llvm", "arith", "scf", "cf", "math"):
        ctx.load_registered_dialect(name)
    import_module("croqtile_mlir.targets.ptx")


class _ToolProcess(subprocess.Popen[Any]):
    """A process; one of our tools does not start the interpreter again."""

    def __init__(self, args: Sequence[str], **options: Any):
        tool = _tool_of(args)
        if tool is not None:
            environment = options.get("env") or os.environ
            main, own = tool
            options["preexec_fn"] = partial(_become, main, own, dict(environment))
        super().__init__(args, **options)


def _tool_of(args: Sequence[str]) -> tuple[Callable[[], object], list[str]] | None:
    """The `main` of a command and its `sys.argv`."""
    for start, own in (" ".join(args[1:3]), args[2:]), (Path(args[0]).name, args):
        if start in _TOOLS:
            return import_module(_TOOLS[start]).main, list(own)
    return None


def _become(
    main: Callable[[], object], argv: list[str], environment: Mapping[str, str]
) -> NoReturn:
    """Be the tool, in a child whose standard streams are what they shall be."""
    # The parent waits for the end of one of these: it would wait for ours.
    os.closerange(3, 4096)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = argv
    sys.stdin, sys.stdout = open(0), open(1, "w")
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")
    code: object = 1
    try:
        code = main()
    except SystemExit as stop:
        code = stop.code
        if isinstance(code, str):
            # As the interpreter does with the text of `sys.exit("..")`.
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    os._exit(code if isinstance(code, int) else bool(code))
