"""The example kernels through the Python API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq
from croqtile_mlir.launch.plan import TensorMapParam
from croqtile_mlir.reference.assignment import parse_reference

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MATMUL = EXAMPLES / "matmul_1p1c.mlir"


NO_SUMS = {
    "box_blur",
    "grid_sum",
    "histogram",
    "running_sum",
    "sort_rows",
    "warp_softmax",
}
"""Examples that compute what no reference says."""


def examples() -> list[Path]:
    return sorted(EXAMPLES.glob("*.mlir"))


@pytest.mark.parametrize("file", examples(), ids=lambda file: file.stem)
def test_every_example_compiles(file: Path):
    kernel = croq.compile(file)
    assert kernel.name == file.stem
    assert f".visible .entry {kernel.name}(" in kernel.ptx
    plan = kernel.plan
    assert (plan.reference is None) == (file.stem in NO_SUMS)
    assert plan.reference is not None or "--check" not in file.read_text()
    if plan.reference is None:
        return
    reference = parse_reference(plan.reference)
    # What is written are the results, and only those.
    written = {name for name, tile in plan.tiles.items() if tile.written}
    assert written == {e.name for e in reference.assigned} & plan.tiles.keys()
    assert reference.result.name in written
    shapes = {
        name: plan.shape(t, dict.fromkeys(plan.dims, 64))
        for name, t in plan.tiles.items()
    }
    assert reference.extents(shapes)
    arguments = {arg.name for arg in plan.args}
    assert reference.operands <= shapes.keys() | arguments


def test_the_plan_of_the_seed_kernel():
    plan = croq.compile(MATMUL, params={"S": 2}).plan
    maps = [p.arg for p in plan.params if isinstance(p, TensorMapParam)]
    assert set(maps) == {"lhs", "rhs", "out"}
    dims = plan.bind({"lhs": (1000, 64), "rhs": (129, 64), "out": (1000, 129)})
    assert plan.grid_extents(dims) == (8, 2, 1)
    assert plan.block == 256


def test_parameters_change_the_kernel():
    shared = [
        croq.compile(MATMUL, params={"S": stages}).plan.shared_bytes
        for stages in (1, 2, 3)
    ]
    assert shared[2] - shared[1] >= 32768
    assert shared[1] - shared[0] >= 32768


def test_the_ir_of_each_level():
    kernel = croq.compile(MATMUL)
    assert "croq.role" in kernel.ir()
    assert "[S]" in kernel.ir("croq")
    assert "[S]" not in kernel.ir("bind-params")
    before, after = kernel.ir("lower-futures"), kernel.ir("after:lower-events")
    assert "croq.event" in before
    assert "nvvm.mbarrier" not in before
    assert "croq.event" not in after
    assert "nvvm.mbarrier" in after
    assert "croq." not in kernel.ir("nvvm").replace("croq.launch", "").replace(
        "croq.target", ""
    )
    assert "ptx.entry @matmul_1p1c" in kernel.ir("ptx")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"params": {"S": 9}}, r"matmul_1p1c.mlir:\d+:\d+: error: .* 232448 bytes"),
        ({"params": {"T": 3}}, r"matmul_1p1c.mlir:\d+:1: error: .* got T = 3"),
        ({"dims": {"M=4 N": 8}}, "name of a dim must be an identifier, got M=4 N"),
        ({"params": {"S": 0}}, "S must be a positive integer, got 0"),
        ({"target": "sm_80"}, r"matmul_1p1c.mlir:\d+:\d+: error: .* got sm_80"),
        (
            {"target": "sm_70"},
            "target must be one of sm_80, sm_86, sm_89, sm_90a, got 'sm_70'",
        ),
        ({"name": "other"}, "must hold a kernel 'other', got matmul_1p1c"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(MATMUL, **options)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (5, {}, "source must be IR text, a path or what builds a module, got 5"),
        (None, {}, "source must be IR text, .* got None"),
        ("", {}, "source must be IR text or a path, got nothing"),
        (MATMUL, {"dims": "M=4"}, "dims must be a mapping of names .* got M=4"),
        (MATMUL, {"params": {4: 4}}, "name of a parameter must be an identifier"),
        (MATMUL, {"schedule": 5}, "schedule must be a text, a list of passes"),
        (MATMUL, {"schedule": ["cse", 5]}, "passes of a schedule must be texts"),
    ],
)
def test_what_is_no_source_and_no_option(
    source: Any, options: dict[str, Any], message: str
):
    with pytest.raises(croq.CompileError, match=message):
        croq.compile(source, **options)


def test_one_of_several_kernels():
    both = (EXAMPLES / "copy.mlir").read_text() + (EXAMPLES / "add.mlir").read_text()
    with pytest.raises(croq.CompileError, match=r"unless one is chosen .*copy, add"):
        croq.compile(both)
    kernel = croq.compile(both, name="add")
    assert kernel.name == "add"
    assert kernel.ptx == croq.compile(EXAMPLES / "add.mlir").ptx
