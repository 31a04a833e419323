"""Every schedule that a product may get is proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.tiles.kernel import programs
from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import Diagnostics
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.kernels.schedule import Schedule
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts

TEXT = (Path(__file__).parents[3] / "examples/matmul.mlir").read_text()
EVENTS = 100_000
"""As the pipeline allows."""

LONG = {"M": 4096, "N": 4096, "K": 4096}
COOPERATIVE = Schedule(stages=3)
PING_PONG = Schedule(bn=192, stages=4, mode="pingpong", epilogue_cols=16)
KINDS = (
    COOPERATIVE,
    PING_PONG,
    Schedule(split=True, stages=3),
    Schedule(bm=64, bn=64, consumers=1, stages=3),
    Schedule(bm=192, bn=160, consumers=3, stages=3),
)
CLUSTERS = ((1, 1), (1, 2), (2, 1), (2, 2), (4, 1))


def scheduled(schedule: Schedule, dims: Mapping[str, int]) -> ModuleOp:
    assert schedule.why_not() is None
    ctx = new_context(Diagnostics())
    module = parse_text(ctx, TEXT, "matmul.mlir")
    bound = " ".join(f"{dim}={extent}" for dim, extent in dims.items())
    first = f"bind-dims{{{bound}}}," if dims else ""
    pipeline = f"{first}{schedule.pipeline},set-target,infer-layouts,select-engines"
    run_passes(ctx, module, parse_passes(pipeline))
    return module


@pytest.mark.parametrize("schedule", [COOPERATIVE, PING_PONG], ids=lambda s: s.mode)
def test_proved_with_clusters(schedule: Schedule) -> None:
    module = scheduled(replace(schedule, cluster=(1, 2)), LONG)
    assert [type(found) for found in verdicts(module, EVENTS)] == [Proved]


def _places(schedule: Schedule, dims: Mapping[str, int]) -> None:
    """What blocks do to each other does not depend on how long their loops are."""
    found = programs(scheduled(schedule, dims))
    told = [each for each in found if not isinstance(each, Program)]
    assert not told, (schedule, dims, told)


def test_blocks_are_apart_for_all_extents() -> None:
    for cluster in CLUSTERS:
        _places(replace(PING_PONG, cluster=cluster), {})
    for order in ("first", "last"):
        _places(replace(COOPERATIVE, cluster=(2, 1), order=order), {})


SHAPES: tuple[tuple[Schedule, Mapping[str, int]], ...] = (
    (replace(PING_PONG, order="first"), {"M": 256, "N": 4096, "K": 1000}),
    (replace(PING_PONG, cluster=(1, 2), order="first"), {"M": 64, "N": 64}),
    (replace(PING_PONG, cluster=(1, 2), group=3), {"M": 5120, "N": 256, "K": 1024}),
    (replace(PING_PONG, cluster=(4, 1), group=1), {"M": 512}),
    (replace(COOPERATIVE, cluster=(1, 2), group=4), {"M": 512, "N": 256}),
    (replace(COOPERATIVE, cluster=(1, 2), order="last"), {"M": 2048, "N": 192}),
    (replace(COOPERATIVE, cluster=(4, 1), order="first"), {"M": 512, "N": 768}),
    (COOPERATIVE, {"M": 2560, "N": 640, "K": 4096}),
    (replace(KINDS[3], cluster=(2, 1), group=1), {"N": 640}),
    (replace(KINDS[3], cluster=(1, 2)), {"M": 3000, "N": 5120}),
    (replace(KINDS[4], group=3), {"M": 8192, "N": 2048}),
    (replace(KINDS[4], persistent=False), {"N": 8192, "K": 256}),
)


def test_blocks_are_apart_for_known_extents() -> None:
    for schedule, dims in SHAPES:
        _places(schedule, dims)


def test_blocks_are_apart_for_any_extents() -> None:
    random = np.random.default_rng(11)
    for kind in KINDS:
        for _ in range(2):
            extents = [int(n) for n in random.choice([64, 320, 768, 3000, 8192], 3)]
            cluster = CLUSTERS[int(random.integers(len(CLUSTERS)))]
            group = int(random.choice([1, 3, 8]))
            schedule = replace(kind, cluster=cluster, group=group)
            _places(schedule, dict(zip("MNK", extents, strict=True)))
