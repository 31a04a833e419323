"""What `--version` prints."""

from __future__ import annotations


def print_version(tool: str) -> None:
    """The version of the package, and that of xDSL."""
    from importlib.metadata import version

    from croqtile_mlir import __version__

    print(f"{tool} {__version__}, on xDSL {version('xdsl')}")
