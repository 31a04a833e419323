"""The options of Croqtile source, which several tools take."""

from __future__ import annotations

import argparse


def add_source_flags(parser: argparse.ArgumentParser) -> None:
    """Add `-D`, `--strict-names` and `--strict-init`."""
    group = parser.add_argument_group("Croqtile source (.co)")
    group.add_argument(
        "-D",
        dest="define",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="define a macro; it overrides the file's",
    )
    group.add_argument(
        "--strict-names",
        action="store_true",
        help="refuse a name that is defined nowhere, rather than make it a parameter",
    )
    group.add_argument(
        "--strict-init",
        action="store_true",
        help="refuse a result that is read before it is written, rather than clear it",
    )
