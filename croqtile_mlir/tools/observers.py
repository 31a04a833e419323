"""What `croq-opt` shows of a running pipeline, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.pass_manager.running import Moment, Observer
from croqtile_mlir.printing import module_text

_BANNERS = {
    Moment.Before: "IR Dump Before {}",
    Moment.After: "IR Dump After {}",
    Moment.Failed: "IR Dump After {} Failed",
}


def _shown(module: ModuleOp, generic: bool) -> str:
    """The text of a module in whatever state."""
    try:
        return module_text(module, generic=generic)
    except Exception as error:
        # What a failed pass leaves behind need not even be printable.
        return f"// cannot be printed: {error}"


def print_ir(*moments: Moment, generic: bool = False) -> Observer:
    """Print the module at certain moments, with mlir-opt's banner."""

    def observe(each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment not in moments:
            return
        text = _shown(module, generic)
        banner = _BANNERS[moment].format(each.name)
        print(f"// -----// {banner} //----- //\n{text}\n", file=sys.stderr)

    return observe


@dataclass
class IRFiles:
    """The module after each pass in a file of its own: `03-lower-events.mlir`.

    `begin` writes the input as `00-input.mlir` and starts a module; those after the
    first (`--split-input-file`) get folders of their own, `part-2` and so on.
    """

    folder: Path
    generic: bool = False
    modules: int = 0
    written: int = 0

    def begin(self, module: ModuleOp) -> None:
        """Write the input. Raises `OSError`."""
        self.modules += 1
        self.written = 0
        self._write("input", module)

    def __call__(self, each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment is Moment.After:
            self._write(each.name, module)
        elif moment is Moment.Failed:
            self._write(f"{each.name}-failed", module)

    def _write(self, name: str, module: ModuleOp) -> None:
        one = self.modules == 1
        folder = self.folder if one else self.folder / f"part-{self.modules}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{self.written:02}-{name}.mlir"
        file.write_text(_shown(module, self.generic) + "\n", encoding="utf-8")
        self.written += 1


def print_times(clock: Callable[[], float] = perf_counter) -> Observer:
    """Print how long each pass took, without the verification around it."""
    started = [0.0]

    def observe(each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment is Moment.Before:
            started[0] = clock()
        else:
            took = (clock() - started[0]) * 1000
            print(f"{took:9.2f} ms  {each.name}", file=sys.stderr)

    return observe
