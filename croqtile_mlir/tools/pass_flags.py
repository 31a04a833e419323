"""mlir-opt's way of naming passes on the command line: one flag each, in order."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_FLAG = re.compile(r"--?(?P<name>[a-z][a-z0-9-]*)(?:\{(?P<braced>.*)\}|=(?P<eq>.*))?")
PIPELINE_FLAGS = ("-p", "--passes", "--pass-pipeline")
"""The options whose value is a list of passes."""

_ANCHORED = re.compile(r"\s*builtin\.module\((?P<passes>.*)\)\s*", re.DOTALL)


def _unwrapped(pipeline: str) -> str:
    """The passes of a pipeline that may name the op it runs on, as mlir-opt's does."""
    anchored = _ANCHORED.fullmatch(pipeline)
    return anchored["passes"] if anchored else pipeline


def fold_pass_flags(
    argv: Sequence[str], passes: Collection[str]
) -> tuple[list[str], list[str]]:
    """
    Split the arguments in the texts of the passes, in order, and the rest.

    `--my-pass`, `--my-pass=a=1 b=2`, `--my-pass{a=1 b=2}`, `-p a,b`, `--passes=a,b` and
    `--pass-pipeline=builtin.module(a,b)` name passes. The value of `-o` and of `-t` is
    never taken for a flag.
    """
    pipeline: list[str] = []
    rest: list[str] = []
    args = iter(argv)
    for arg in args:
        if arg == "--":
            rest += [arg, *args]
        elif arg in PIPELINE_FLAGS:
            value = next(args, None)
            if value is None:
                rest.append(arg)
            else:
                pipeline.append(_unwrapped(value))
        elif arg in ("-o", "--output-file", "-t", "--target"):
            rest += [arg, *([value] if (value := next(args, None)) is not None else [])]
        elif arg.startswith(tuple(f"{flag}=" for flag in PIPELINE_FLAGS[1:])):
            pipeline.append(_unwrapped(arg.partition("=")[2]))
        elif (m := _FLAG.fullmatch(arg)) and m["name"] in passes:
            options = m["braced"] or m["eq"]
            pipeline.append(f"{m['name']}{{{options}}}" if options else m["name"])
        else:
            rest.append(arg)
    return pipeline, rest
