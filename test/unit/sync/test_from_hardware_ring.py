"""A hand-written ring of hardware level: each edit is refuted, or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pipeline.lowering import parse

from croqtile_mlir.analysis.sync.hardware.kernel import programs
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict
from croqtile_mlir.passes.verify_sync import together

FILE = Path(__file__).parents[2] / "errors" / "verify-sync-hardware.mlir"
RING = FILE.read_text().partition("\n// -----\n")[0]
"""The kernel that is right, of the lit test."""


def verdict(text: str) -> Verdict:
    """What the verifier says of the kernel in a module."""
    return together(programs(parse(text)))


@dataclass(frozen=True)
class Edit:
    """A replacement of text that stands there once, and what has to be said of it."""

    old: str
    new: str
    words: str
    place: str
    """The op at which it is said."""

    decided: bool = True


EDITS = {
    "the producer's parity": Edit(
        "%p = arith.xori %odd, %c1 : i32",
        "%p = arith.xori %odd, %c0 : i32",
        "missing credit: generation 0 of empty",
        "nvvm.mbarrier.try_wait.parity",
    ),
    "the consumer's phase": Edit(
        "        %p = arith.andi %round, %c1 : i32",
        "        %p = arith.andi %k, %c1 : i32",
        "waits in iteration 1 for full1 generation 1",
        "nvvm.mbarrier.try_wait",
    ),
    "the other stage": Edit(
        "        %at = arith.shli %s, %c10 : i32\n        %from",
        "        %o = arith.xori %s, %c1 : i32\n"
        "        %at = arith.shli %o, %c10 : i32\n        %from",
        "read before write: shared memory [1024, 1152)",
        "llvm.load",
    ),
    "the count of a slot": Edit(
        "init %empty, %c1",
        "init %empty, %c32",
        "arrival count: empty takes 32 arrivals for a generation, got 1",
        "nvvm.mbarrier.try_wait.parity",
    ),
    "the barrier after the mbarriers": Edit(
        "    nvvm.barrier0\n",
        "",
        "read before write: the read by warp 1 of mbarriers",
        "nvvm.mbarrier.try_wait",
    ),
    "the wait for a free slot": Edit(
        "nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32",
        "",
        "overwrite: the asynchronous write started by warp 0 to shared memory [0, ",
        "nvvm.cp.async.bulk.shared.cluster.global",
    ),
    "a barrier for one lane": Edit(
        "    nvvm.barrier0\n",
        "    scf.if %first {\n nvvm.barrier0\n }\n",
        "barrier participation: must be executed by all lanes of a warp, got 1",
        "nvvm.barrier0",
    ),
    "arrivals of every lane": Edit(
        "        scf.if %one {\n          nvvm.mbarrier.arrive %e : !llvm.ptr<3>\n"
        "        }\n",
        "        nvvm.mbarrier.arrive %e : !llvm.ptr<3>\n",
        "arrival count",
        "nvvm.mbarrier.arrive",
    ),
    "a count from the launch": Edit(
        "init %full, %c1",
        "init %full, %n",
        "the address or count of an mbarrier",
        "nvvm.mbarrier.init",
        decided=False,
    ),
    "a loop that is no wait": Edit(
        "scf.condition(%again)",
        "scf.condition(%done)",
        "a loop that does not end when its wait does",
        "scf.while",
        decided=False,
    ),
    "an address from memory": Edit(
        "%f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n"
        "        scf.while",
        "%w = llvm.load %stages : !llvm.ptr<3> -> i32\n"
        "        %f = llvm.inttoptr %w : i32 to !llvm.ptr<3>\n"
        "        scf.while",
        "an mbarrier at an address that is not known",
        "nvvm.mbarrier.try_wait",
        decided=False,
    ),
    "the result of a test as a value": Edit(
        "%mine = llvm",
        "%t = nvvm.mbarrier.try_wait %f, %p : !llvm.ptr<3>, i32 -> i1\n %mine = llvm",
        "a result of nvvm.mbarrier.try_wait that is more than the condition of a loop",
        "nvvm.mbarrier.try_wait",
        decided=False,
    ),
    "no number of threads": Edit(
        ", nvvm.reqntid = array<i32: 64, 1, 1>",
        "",
        "the number of threads of a block is not known",
        "llvm.func",
        decided=False,
    ),
}


def test_the_ring_is_proved():
    assert isinstance(verdict(RING), Proved)


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edits(edit: Edit):
    assert RING.count(edit.old) == 1
    found = verdict(RING.replace(edit.old, edit.new))
    assert isinstance(found, Refuted if edit.decided else Undecided)
    text = found.message if isinstance(found, Refuted) else found.reason
    assert edit.words in text
    assert found.place.name == edit.place


def test_arrivals_that_add_up():
    # 32 lanes arrive where the mbarrier takes 32 arrivals.
    lanes = EDITS["arrivals of every lane"]
    count = EDITS["the count of a slot"]
    text = RING.replace(lanes.old, lanes.new).replace(count.old, count.new)
    text = text.replace("init %empty1, %c1", "init %empty1, %c32")
    assert isinstance(verdict(text), Proved)


def test_slots_of_unequal_counts_are_told_apart():
    # One slot takes 32 arrivals, and only it gets them.
    lanes = EDITS["arrivals of every lane"]
    new = """\
        %all_lanes = arith.cmpi eq, %s, %c0 : i32
        %who = arith.ori %one, %all_lanes : i1
        scf.if %who {
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        }
"""
    text = RING.replace(lanes.old, new)
    found = verdict(text)
    assert isinstance(found, Undecided), found
    split = """\
        %is_first = arith.cmpi eq, %s, %c0 : i32
        scf.if %is_first {
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        } else {
          scf.if %one {
            nvvm.mbarrier.arrive %e : !llvm.ptr<3>
          }
        }
"""
    count = EDITS["the count of a slot"]
    text = RING.replace(lanes.old, split)
    assert isinstance(verdict(text), Refuted)
    assert isinstance(verdict(text.replace(count.old, count.new)), Proved)
