"""What `--cache-info` and `--cache-clear` do, in `croq-opt` and `croq-run`."""

from __future__ import annotations

import argparse

END = ", and exit"
FLAGS = (
    ("--cache-info", "say what the cache of compiled kernels holds" + END),
    ("--cache-clear", "empty the cache of compiled kernels" + END),
)


def add_cache_flags(parser: argparse.ArgumentParser) -> None:
    """The two flags."""
    for flag, text in FLAGS:
        parser.add_argument(flag, action="store_true", help=text)


def report_cache(options: argparse.Namespace) -> bool:
    """Do what the flags ask for; False where they ask for nothing. Raises `OSError`."""
    if not (options.cache_info or options.cache_clear):
        return False
    from croqtile_mlir.storage.disk_cache import MOST_BYTES, MOST_ENTRIES, disk_cache

    cache = disk_cache()
    if cache is None:
        print("The cache is off (CROQ_CACHE), or there is no home folder.")
        return True
    if options.cache_clear:
        gone = cache.clear()
        print(f"{gone.entries} kernels deleted, {_size(gone.bytes)}: {cache.folder}")
    if options.cache_info:
        held = cache.usage()
        print(f"folder   {cache.folder}")
        print(f"kernels  {held.entries} of at most {MOST_ENTRIES}")
        print(f"size     {_size(held.bytes)} of at most {_size(MOST_BYTES)}")
    return True


def _size(count: int) -> str:
    if count < 1 << 20:
        return f"{count / (1 << 10):.1f} KiB"
    return f"{count / (1 << 20):.1f} MiB"
