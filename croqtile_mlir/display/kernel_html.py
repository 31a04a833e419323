"""A kernel as HTML: arguments, resources, and its text at every level in tabs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING
from uuid import uuid4

from croqtile_mlir.launch.plan import LaunchPlan, TileArg
from croqtile_mlir.pipeline import LEVELS

if TYPE_CHECKING:
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.resources import Resources

_STYLE = """
.croq table { border-collapse: collapse; margin: 0.5em 0; }
.croq td, .croq th { text-align: left; padding: 0.1em 0.8em 0.1em 0; }
.croq pre { display: none; max-height: 30em; overflow: auto; margin: 0;
  padding: 0.5em; border: 1px solid #8888; }
.croq input { display: none; }
.croq label { display: inline-block; padding: 0.2em 0.8em; cursor: pointer; }
.croq input:checked + label { border-bottom: 2px solid currentColor; }
"""


def kernel_html(kernel: Kernel) -> str:
    """A fragment that stands for itself: its own style, no script, nothing loaded."""
    # Tabs of several outputs on one page must not be one group.
    group = f"croq-{uuid4().hex}"
    tabs = dict(_levels(kernel))
    shown = "".join(
        f"#{group}-{number}:checked ~ #{group}-text-{number} {{ display: block; }}\n"
        for number in range(len(tabs))
    )
    return "\n".join(
        [
            f'<div class="croq" id="{group}"><style>{_STYLE}{shown}</style>',
            f"<b>{escape(kernel.name)}</b> for {escape(kernel.plan.target)}",
            _table({name: what for name, what in _arguments(kernel.plan)}),
            _table(dict(_resources(kernel.resources))),
            *_tabs(group, tabs),
            f"<p>{_picture(kernel.plan)}</p>",
            "</div>",
        ]
    )


def _levels(kernel: Kernel) -> Iterator[tuple[str, str]]:
    """The text at each level that the kernel went through, and the PTX text."""
    for level in LEVELS[LEVELS.index(kernel.level) :]:
        yield level, kernel.ir(level)
    yield "PTX", kernel.ptx


def _tabs(group: str, tabs: Mapping[str, str]) -> Iterator[str]:
    for number, name in enumerate(tabs):
        checked = "" if number else " checked"
        yield f'<input type="radio" name="{group}" id="{group}-{number}"{checked}>'
        yield f'<label for="{group}-{number}">{escape(name)}</label>'
    for number, text in enumerate(tabs.values()):
        yield f'<pre id="{group}-text-{number}">{escape(text)}</pre>'


def _arguments(plan: LaunchPlan) -> Iterator[tuple[str, str]]:
    for arg in plan.args:
        if not isinstance(arg, TileArg):
            yield arg.name, arg.dtype
            continue
        use = "returned" if arg.output else "written" if arg.written else "read"
        shape = ", ".join(str(extent) for extent in arg.shape)
        yield arg.name, f"{arg.dtype}[{shape}], {use}"


def _picture(plan: LaunchPlan) -> str:
    """How to see a run: it needs arguments, and takes a while."""
    names = ", ".join(arg.name for arg in plan.inputs)
    call = escape(f"kernel.timeline({names})")
    return f"<code>{call}</code> shows who does what in a simulated run."


def _resources(found: Resources) -> Iterator[tuple[str, str]]:
    yield "threads", str(found.threads)
    yield "shared memory", f"{found.shared_bytes} bytes"
    if found.registers is not None:
        yield "registers", str(found.registers)
    if found.spill_bytes is not None:
        yield "spilled", f"{found.spill_bytes} bytes"
    if found.blocks_per_multiprocessor is not None:
        occupancy = found.occupancy
        limits = "" if occupancy is None else ", ".join(occupancy.limiting)
        text = f"{found.blocks_per_multiprocessor}"
        yield (
            "blocks per multiprocessor",
            f"{text} (limit: {limits})" if limits else text,
        )


def _table(rows: Mapping[str, str]) -> str:
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(what)}</td></tr>"
        for name, what in rows.items()
    )
    return f"<table>{cells}</table>"
