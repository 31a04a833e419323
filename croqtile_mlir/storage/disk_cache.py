"""
Compiled kernels on disk, for the next process.

An entry is named after everything that its contents depend on: the source's text (or
what builds it) and file name, all choices of `compile`, and the state of the compiler's
own files and of xDSL's version. Entries are written in one step, carry a checksum of
their name and contents, and are left out when they are not whole, renamed or another
user's: a cache can be deleted, copied or cut off at any time. It is in
`$CROQ_CACHE_DIR`, else in `croqtile_mlir` in `$XDG_CACHE_HOME` or `~/.cache`;
`CROQ_CACHE=0` turns it off. The oldest entries go when there are more than
`MOST_ENTRIES` or `MOST_BYTES`; other files of the folder are left alone. What a class
outside of this package builds is not kept: its code may change, and nothing tells.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cache
from importlib.util import find_spec
from inspect import currentframe
from pathlib import Path
from threading import get_ident
from time import monotonic_ns, time
from typing import TYPE_CHECKING

from croqtile_mlir.storage.stored_kernels import Compiled, from_data, to_data

if TYPE_CHECKING:
    from croqtile_mlir.compiler import ModuleBuilder, Source

FORMAT = 2
"""Of the entries; another number is another cache."""

MOST_ENTRIES = 1024
MOST_BYTES = 128 << 20

_SUFFIX = ".kernel"
_ENTRY = re.compile(r"[0-9a-f]{64}\.kernel")
_PART = re.compile(r"\d+-\d+-\d+\.part")
_PART_SECONDS = 3600
"""A file that is being written for longer than this was left by a process that died."""

_PACKAGE = __name__.partition(".")[0]
_OFF = ("0", "off", "false", "no")


@dataclass(frozen=True)
class Usage:
    """What a cache holds."""

    entries: int
    bytes: int


@dataclass(frozen=True)
class DiskCache:
    """A folder of compiled kernels.

    Failures to read or write are no errors; the first one to write is a warning.
    """

    folder: Path

    def load(self, source: Source) -> Compiled | None:
        """What compiling the source gave, if it is there and whole."""
        try:
            path = self.path(source)
            digest, _, text = _read_own(path).partition(b"\n")
            if digest_of(path, text) != digest:
                return None
            found = from_data(json.loads(text))
        except (OSError, KeyError, TypeError, ValueError, RecursionError):
            return None
        with suppress(OSError):
            # Used entries are the last to go.
            os.utime(path)
        return found

    def store(self, source: Source, compiled: Compiled) -> None:
        """Keep what compiling the source gave."""
        try:
            text = json.dumps(to_data(compiled)).encode()
        except ValueError:
            # A map that is no map of dims: no kernel of ours has one.
            return
        path = self.path(source)
        # Complete before it has its name; nobody else writes to this one.
        part = self.folder / f"{os.getpid()}-{get_ident()}-{monotonic_ns()}.part"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _write_new(part, digest_of(path, text) + b"\n" + text)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
            self._prune()
        except OSError as error:
            _warn(f"in {self.folder}: {error.strerror or error}")

    def path(self, source: Source) -> Path:
        """The file of a source's entry."""
        return self.folder / (key_of(source) + _SUFFIX)

    def usage(self) -> Usage:
        """What the cache holds; no folder is an empty one. Raises `OSError`."""
        entries = list(self._entries())
        return Usage(len(entries), sum(size for _, size, _ in entries))

    def clear(self) -> Usage:
        """Delete all entries, and say what they were. Raises `OSError`."""
        count = size = 0
        for _, bytes, path in list(self._entries()):
            with suppress(FileNotFoundError):
                os.unlink(path)
                count, size = count + 1, size + bytes
        return Usage(count, size)

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """When they were last used, their bytes and paths; parts left behind go."""
        try:
            found = os.scandir(self.folder)
        except FileNotFoundError:
            return
        with found:
            for entry in found:
                # Others may take entries away meanwhile.
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if not _is_own(status):
                        continue
                    if _ENTRY.fullmatch(entry.name):
                        yield status.st_mtime, status.st_size, entry.path
                    elif (
                        _PART.fullmatch(entry.name)
                        and status.st_mtime < time() - _PART_SECONDS
                    ):
                        os.unlink(entry.path)

    def _prune(self) -> None:
        entries = list(self._entries())
        size = sum(size for _, size, _ in entries)
        count = len(entries)
        for _, bytes, path in sorted(entries):
            if count <= MOST_ENTRIES and size <= MOST_BYTES:
                return
            with suppress(OSError):
                os.unlink(path)
            count, size = count - 1, size - bytes


@cache
def _warn(where_and_why: str) -> None:
    """Say once that kernels are not kept, at the line that asked for one."""
    warnings.warn(
        f"compiled kernels are not kept {where_and_why} (CROQ_CACHE_DIR names another "
        "folder, CROQ_CACHE=0 turns the cache off)",
        RuntimeWarning,
        stacklevel=_callers_level(),
    )


def _callers_level() -> int:
    """How far up the stack of `_warn` the first code outside of the package is."""
    frame, level = currentframe(), 0
    while frame is not None and _is_of_package(frame.f_globals["__name__"]):
        frame, level = frame.f_back, level + 1
    return level


def _is_of_package(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE


def digest_of(path: Path, text: bytes) -> bytes:
    """
    The checksum of an entry: of its name, too.

    Who may rename files of the folder must not make one kernel stand for another.
    """
    return hashlib.sha256(path.name.encode() + b"\n" + text).hexdigest().encode()


def _write_new(path: Path, data: bytes) -> None:
    """A file that nobody else reads; what is there already, a link say, is kept."""
    with open(path, "xb", opener=_private) as file:
        file.write(data)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _at_once(path: str, flags: int) -> int:
    """Without waiting for who writes to a pipe of that name."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_own(path: Path) -> bytes:
    """The contents of a file of this user; `OSError` for any other."""
    with open(path, "rb", opener=_at_once) as file:
        if not _is_own(os.fstat(file.fileno())):
            raise PermissionError(f"{path} is not a file of this user")
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    """Whether it is a file of this user; there are no users but on POSIX."""
    user = os.geteuid() if sys.platform != "win32" else status.st_uid
    return stat.S_ISREG(status.st_mode) and status.st_uid == user


def is_kept(source: Source) -> bool:
    """Whether all that a source's kernel depends on can be named.

    The state of the compiler says what its own builders build, and no others.
    """
    if source.builder is None:
        return True
    return _is_of_package(type(source.builder).__module__)


def _is_off() -> bool:
    return os.environ.get("CROQ_CACHE", "").lower() in _OFF


def disk_cache() -> DiskCache | None:
    """The cache that the environment asks for; None where it is off, or homeless."""
    if _is_off():
        return None
    environment = os.environ
    if folder := environment.get("CROQ_CACHE_DIR"):
        return DiskCache(Path(folder))
    home = Path(environment.get("XDG_CACHE_HOME", ""))
    if home.is_absolute():  # The specification ignores others.
        return DiskCache(home / "croqtile_mlir")
    try:
        return DiskCache(Path.home() / ".cache" / "croqtile_mlir")
    except RuntimeError:
        return None


def cache_or_warning() -> DiskCache | None:
    """The cache that is asked for; a warning where there is no place for it."""
    found = disk_cache()
    if found is None and not _is_off():
        _warn("on disk: there is no home folder")
    return found


def key_of(source: Source) -> str:
    """A name for all that a source's kernel depends on."""
    parts = (
        FORMAT,
        compiler_state(),
        source.text,
        source.file,
        _builder_name(source.builder),
        source.target,
        source.params,
        source.kernel,
        source.dims,
        source.schedule,
        astuple(source.frontend),
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _builder_name(builder: ModuleBuilder | None) -> tuple[str, str, str] | None:
    if builder is None:
        return None
    kind = type(builder)
    return kind.__module__, kind.__qualname__, builder.key


@cache
def compiler_state() -> str:
    """
    A name for the compiler: the sizes and times of its files, and xDSL's version.

    Reading all files would take longer than reading a kernel.
    """
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for path, size, changed in sorted(_files(str(package))):
        digest.update(f"{path} {size} {changed}\n".encode())
    spec = find_spec("xdsl")
    if spec is not None and spec.origin is not None:
        site = Path(spec.origin).parents[1]
        names = (p.name for p in site.glob("xdsl-*.dist-info"))
        digest.update(" ".join(sorted(names)).encode())
    return digest.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
