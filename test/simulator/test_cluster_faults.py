"""Bugs planted in products of clusters: reported, of the right kind, every time."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.covering import in_turn
from support.tile_runs import kinds, told

from croqtile_mlir import simulator
from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import Severity
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, Report

from .cluster_kernels import POLICIES, changed, operands, product

PAIR = product(2, 1)
SQUARE = product(2, 2)

RELEASE = "croq.trigger %empty at %k multicast [0]"
OWN_RELEASE = "croq.trigger %empty at %k"
WAIT_EMPTY = "croq.wait %empty at %k\n"
FULL = "croq.trigger %full at %k after %fa, %fb"
END = "      croq.barrier cluster\n"
TO_COLUMN = "%fb = croq.copy_async %b => %bs engine(tma) multicast [0]"
CREDITS = "croq.foreach %s in S { croq.trigger %empty at %s }\n"
FILL = "        %zero = croq.mma.fill"

RACES = {FaultKind.RACE, FaultKind.UNINITIALISED}

PLANTED: dict[str, tuple[str, set[FaultKind]]] = {
    "released to the own block only": (
        changed(PAIR, (RELEASE, OWN_RELEASE)),
        {FaultKind.RACE},
    ),
    "no wait for empty": (changed(PAIR, (WAIT_EMPTY, "")), {FaultKind.RACE}),
    "credits of the own block only": (
        changed(
            PAIR,
            ("%empty = croq.event ready", "%empty = croq.event"),
            (RELEASE, "croq.trigger %empty at %k + S multicast [0]"),
            (FILL, CREDITS + FILL),
        ),
        {FaultKind.DEADLOCK},
    ),
    "no barrier at the end": (changed(PAIR, (END, "")), {FaultKind.USE_AFTER_EXIT}),
    "a trigger without the copy from the peers": (
        changed(PAIR, (FULL, FULL.removesuffix(", %fb"))),
        RACES,
    ),
    "both blocks send the same part": (
        changed(
            PAIR,
            ("croq.chunkat %b0 [2, 1] at (%i, 0)", "croq.chunkat %b0 [2, 1] at (0, 0)"),
            ("chunkat %bs0 [2, 1] at (%i, 0)", "chunkat %bs0 [2, 1] at (0, 0)"),
        ),
        RACES,
    ),
    "a part that goes to the own block only": (
        changed(PAIR, (TO_COLUMN, TO_COLUMN.removesuffix(" multicast [0]"))),
        {FaultKind.UNINITIALISED},
    ),
    "released to a block that sends nothing": (
        changed(
            SQUARE,
            (RELEASE, "croq.trigger %empty at %k multicast [0, 1]"),
            ("          croq.trigger %empty at %k multicast [1]\n", ""),
        ),
        {FaultKind.AMBIGUOUS_ARRIVAL},
    ),
    "a block does not send": (
        changed(
            PAIR,
            (
                'croq.role "producer" warpgroups [0, 1) {\n',
                'croq.role "producer" '
                "warpgroups [0, 1) {\n%zero = arith.constant 0 : index\n"
                "%first = arith.cmpi eq, %i, %zero : index\nscf.if %first {\n",
            ),
            (FULL + "\n        }\n", FULL + "\n        }\n}\n"),
        ),
        {FaultKind.DEADLOCK},
    ),
}


def run(text: str, policy: str) -> Report:
    """At tile level, whatever the passes after it say."""
    return simulator.run(
        source_of(text),
        *operands(256, 128, 64 * 8),
        level="croq",
        options=Options(policy),
    )


@pytest.mark.parametrize(("name", "policy"), in_turn(list(PLANTED), POLICIES, each=2))
def test_planted_bug(name: str, policy: str) -> None:
    text, expected = PLANTED[name]
    report = run(text, policy)
    assert kinds(report) & expected, told(report)
    for fault in report.faults:
        diagnostic = fault.diagnostic()
        assert diagnostic.severity is Severity.Error
        assert diagnostic.location.is_known


def test_a_deadlock_names_ranks() -> None:
    text, _ = PLANTED["a block does not send"]
    (fault,) = [f for f in run(text, "rr").faults if f.kind is FaultKind.DEADLOCK]
    notes = [note for _, note in fault.notes]
    waiting = r'role "consumer" of rank 0 waits for phase 0 of %full\[0\] of rank 0: '
    (note,) = [note for note in notes if re.match(waiting, note)]
    # 64 x 64 elements of its own, 32 x 64 of its own and of its peer's.
    assert note.endswith("4096 announced bytes not delivered")
    assert 'role "producer" of rank 1 waits at the barrier of the cluster' in str(notes)


def test_an_end_without_a_barrier_names_both_blocks() -> None:
    report = run(changed(PAIR, (END, "")), "late")
    texts = {fault.message for fault in report.faults}
    assert (
        'an arrival by role "consumer" of rank 1 may come when the block of rank 0 has '
        "ended: nothing orders its end after it"
    ) in texts


def test_blocks_of_a_cluster_may_not_write_the_same() -> None:
    """Nothing orders the stores of two blocks to one tile of the output."""
    text = changed(
        PAIR,
        (
            "croq.subspan %out [64, 64] tile (%bm, %bn)",
            "croq.subspan %out [64, 64] tile (%bm0, %bn)",
        ),
    )
    for policy in POLICIES:
        report = run(text, policy)
        assert FaultKind.RACE in kinds(report), told(report)


def test_clusters_are_not_ordered() -> None:
    """Not even by the barriers of each."""
    text = changed(
        PAIR,
        (
            "croq.subspan %out [64, 64] tile (%bm, %bn)",
            "croq.subspan %out [64, 64] tile (%i, %bn)",
        ),
    )
    lhs, rhs, out = operands(256, 128, 64)
    report = simulator.run(
        source_of(text), lhs, rhs, out, level="croq", options=Options("rr")
    )
    assert "that cluster 0 of the grid writes too" in told(report)
    assert np.isfinite(out[:128]).all()
