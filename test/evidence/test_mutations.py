"""The mutation engine finds what it should, and its edits do what their names say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import ndiff
from itertools import groupby

import pytest
from pipeline.lowering import EXAMPLES, parse, printed, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.analysis.dominance import check_dominance
from evidence.corpus import CASES, FAULTY
from evidence.levels import Level, module_at
from evidence.mutations import Mutation, mutants, mutations

SEED = next(path for path in EXAMPLES if path.stem == "matmul_1p1c")

AT_TILE_LEVEL = """
croq.event: toggle ready, slots + 1, slots - 1
croq.event: toggle ready, slots + 1, slots - 1
croq.alloc: stages - 1
croq.alloc: stages - 1
croq.foreach: bound + 1, bound - 1, start + 1
croq.wait: delete, duplicate, move 1 down, move 2 down, order + 1, other event
croq.slot: order + 1
croq.slot: order + 1
croq.trigger: delete, duplicate, order + 1, other event, leave out future 0, \
leave out future 1
croq.foreach: bound + 1, bound - 1, start + 1
croq.trigger: delete, duplicate, order + 1, other event
croq.foreach: bound + 1, bound - 1, start + 1
croq.wait: delete, duplicate, move 1 down, move 2 down, order + 1, other event
croq.slot: order + 1
croq.slot: order + 1
croq.mma.commit: delete, duplicate
croq.mma.wait: delete, duplicate, move 1 down, in flight + 1
croq.trigger: delete, duplicate, move 2 up, order + 1, drop offset, order - 1, \
other event
"""

INIT = "nvvm.mbarrier.init: delete, duplicate, count + 1, count - 1"
LOAD = (
    "nvvm.cp.async.bulk.tensor.shared.cluster.global: delete, duplicate, next mbarrier"
)

AT_HARDWARE_LEVEL = f"""
scf.if: everyone
{INIT}
{INIT}
{INIT}
{INIT}
nvvm.fence.mbarrier.init: delete, duplicate, move 1 up, move 2 up
nvvm.barrier: delete, duplicate, move 1 up, move 1 down
scf.for: bound + 1, bound - 1, start + 1
scf.if: everyone
nvvm.mbarrier.try_wait: delete, duplicate, move 1 down, move 2 down, parity xor 1, \
next mbarrier
nvvm.mbarrier.arrive.expect_tx: delete, duplicate, move 1 down, move 2 down, \
next mbarrier, bytes + 16, bytes - 16
{LOAD}
{LOAD}
scf.for: bound + 1, bound - 1, start + 1
nvvm.mbarrier.try_wait: delete, duplicate, move 1 down, move 2 down, parity xor 1, \
next mbarrier
nvvm.barrier: delete, duplicate, move 1 down, move 2 down, id + 1, threads + 32, \
threads - 32
nvvm.bar.warp.sync: delete, duplicate, move 1 up, move 2 up, move 1 down, move 2 down
scf.if: everyone
nvvm.mbarrier.arrive: delete, duplicate, move 2 up, move 1 down, move 2 down, \
next mbarrier
nvvm.barrier: delete, duplicate, move 2 up, move 1 down, id + 1, threads + 32, \
threads - 32
"""


def tile_level(text: str) -> ModuleOp:
    module = parse(text)
    run(module, "bind-params")
    return module


def listed(found: Iterable[Mutation]) -> str:
    """One line for the mutations of an op at a line of the source."""
    lines = [
        f"{op}: {', '.join(mutation.operator for mutation in group)}"
        for (op, _), group in groupby(found, key=lambda m: (m.op, m.line))
    ]
    return "\n" + "\n".join(lines) + "\n"


def test_seed_at_tile_level():
    module = tile_level(SEED.read_text())
    before = printed(module)
    found = list(mutants(module))
    assert listed(mutation for mutation, _ in found) == AT_TILE_LEVEL
    assert printed(module) == before
    names = [mutation.name for mutation, _ in found]
    assert len(set(names)) == len(names)
    line = SEED.read_text().splitlines().index("        croq.wait %empty at %k") + 1
    assert f"delete croq.wait line {line}" in names


def test_ring_at_hardware_level():
    """A text that does not change when the lowering does."""
    module = parse((FAULTY / "fewer_bytes.mlir").read_text())
    found = [mutation for mutation, _ in mutants(module)]
    assert listed(found) == AT_HARDWARE_LEVEL
    assert len({mutation.name for mutation in found}) == len(found)


def test_seed_at_hardware_level():
    """Whatever the lowering writes, everything that synchronises is mutated."""
    module = module_at(Level.HARDWARE, SEED.read_text())
    found = list(mutations(module))
    deleted = {m.position for m in found if m.operator == "delete"}
    words = ("mbarrier", "fence.proxy", "barrier", "group", "cluster.global")
    for position, op in enumerate(module.walk()):
        if any(word in op.name for word in words) and "try_wait" not in op.name:
            assert position in deleted, op.name
    operators = Counter((m.op, m.operator) for m in found)
    assert operators["nvvm.mbarrier.try_wait", "parity xor 1"] == 2
    assert operators["nvvm.mbarrier.init", "count - 1"] == 8
    assert operators["nvvm.mbarrier.arrive.expect_tx", "bytes + 16"] == 1
    assert operators["nvvm.wgmma.wait.group.sync.aligned", "pending + 1"] == 1
    assert operators["nvvm.fence.proxy", "delete"] == 1


def test_order_is_the_same_every_time():
    first, second = (list(mutations(tile_level(SEED.read_text()))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", ["in_place", "slot_loops", "persistent_slots"])
def test_mutants_are_valid_and_differ(name: str):
    module = tile_level(CASES[name].text)
    texts = {printed(module)}
    for _, mutant in mutants(module):
        mutant.verify()
        check_dominance(mutant)
        text = printed(mutant)
        assert printed(parse(text)) == text
        texts.add(text)
    assert len(texts) > 30


def change(module: ModuleOp, name: str) -> list[str]:
    """The lines that a mutant lacks, then those that it has more."""
    mutant = next(
        mutant for mutation, mutant in mutants(module) if mutation.name == name
    )
    lines = ndiff(printed(module).splitlines(), printed(mutant).splitlines())
    changed = [f"{line[0]} {line[2:].strip()}" for line in lines if line[0] in "+-"]
    return sorted(changed, key=lambda line: line[0] == "+")


KERNEL = """\
croq.kernel @k dims(N) (%x: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<3>
    %f = croq.event ready arrivals 2 : !croq.event<3>
    croq.role "a" warps [0, 1) {
      croq.foreach %k in N {
        croq.wait %e at %k + 3
        croq.trigger %f at 2
        croq.wait %f[%k]
        croq.barrier
      }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("delete croq.wait line 7", ["- croq.wait %e at %k + 3"]),
        ("duplicate croq.trigger line 8", ["+ croq.trigger %f at 2"]),
        (
            "move 2 down croq.wait line 7",
            ["- croq.wait %e at %k + 3", "+ croq.wait %e at %k + 3"],
        ),
        (
            "order + 1 croq.wait line 7",
            ["- croq.wait %e at %k + 3", "+ croq.wait %e at %k + 4"],
        ),
        (
            "order - 1 croq.wait line 7",
            ["- croq.wait %e at %k + 3", "+ croq.wait %e at %k + 2"],
        ),
        (
            "drop offset croq.wait line 7",
            ["- croq.wait %e at %k + 3", "+ croq.wait %e at %k"],
        ),
        (
            "other event croq.trigger line 8",
            ["- croq.trigger %f at 2", "+ croq.trigger %e at 2"],
        ),
        (
            "order - 1 croq.trigger line 8",
            ["- croq.trigger %f at 2", "+ croq.trigger %f at 1"],
        ),
        (
            "slot + 1 croq.wait line 9",
            [
                "- croq.wait %f[%k]",
                "+ %0 = arith.constant 1 : index",
                "+ %1 = arith.addi %k, %0 : index",
                "+ %2 = arith.constant 3 : index",
                "+ %3 = arith.remui %1, %2 : index",
                "+ croq.wait %f[%3]",
            ],
        ),
        (
            "toggle ready croq.event line 3",
            [
                "- %e = croq.event : !croq.event<3>",
                "+ %e = croq.event ready : !croq.event<3>",
            ],
        ),
        (
            "arrivals - 1 croq.event line 4",
            [
                "- %f = croq.event ready arrivals 2 : !croq.event<3>",
                "+ %f = croq.event ready arrivals 1 : !croq.event<3>",
            ],
        ),
        (
            "slots - 1 croq.event line 3",
            [
                "- %e = croq.event : !croq.event<3>",
                "+ %e = croq.event : !croq.event<2>",
            ],
        ),
        (
            "bound - 1 croq.foreach line 6",
            [
                "- croq.foreach %k in N {",
                "+ %0 = croq.dim N",
                "+ %1 = arith.constant 1 : index",
                "+ %2 = arith.subi %0, %1 : index",
                "+ croq.foreach %k in %2 {",
            ],
        ),
        (
            "start + 1 croq.foreach line 6",
            ["- croq.foreach %k in N {", "+ croq.foreach %k in 1 to N {"],
        ),
        ("delete croq.barrier line 10", ["- croq.barrier"]),
    ],
)
def test_edits_at_tile_level(name: str, changed: list[str]):
    assert change(tile_level(KERNEL), name) == changed


HARDWARE = """\
func.func @f(%p: !llvm.ptr<3>, %parity: i32, %n: i32, %elected: i1) {
  %bytes = arith.constant 2048 : i32
  %id = arith.constant 1 : i32
  nvvm.mbarrier.init %p, %n : !llvm.ptr<3>, i32
  scf.while () : () -> () {
    %d = nvvm.mbarrier.try_wait %p, %parity : !llvm.ptr<3>, i32 -> i1
    %t = arith.constant true
    %again = arith.xori %d, %t : i1
    scf.condition(%again)
  } do {
    scf.yield
  }
  nvvm.wgmma.wait.group.sync.aligned 1
  nvvm.bar.warp.sync %id : i32
  %e = nvvm.elect.sync -> i1
  scf.if %e {
    nvvm.mbarrier.arrive %p : !llvm.ptr<3>
  }
  scf.if %elected {
    nvvm.mbarrier.arrive.expect_tx %p, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.wait_group 0 {read}
  }
  nvvm.barrier id = %id number_of_threads = %bytes
  func.return
}
"""


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        (
            "count + 1 nvvm.mbarrier.init line 4",
            [
                "- nvvm.mbarrier.init %p, %n : !llvm.ptr<3>, i32",
                "+ %0 = arith.constant 1 : i32",
                "+ %1 = arith.addi %n, %0 : i32",
                "+ nvvm.mbarrier.init %p, %1 : !llvm.ptr<3>, i32",
            ],
        ),
        (
            "parity xor 1 nvvm.mbarrier.try_wait line 5",
            [
                "- %d = nvvm.mbarrier.try_wait %p, %parity : !llvm.ptr<3>, i32 -> i1",
                "+ %0 = arith.constant 1 : i32",
                "+ %1 = arith.xori %parity, %0 : i32",
                "+ %d = nvvm.mbarrier.try_wait %p, %1 : !llvm.ptr<3>, i32 -> i1",
            ],
        ),
        (
            "next mbarrier nvvm.mbarrier.try_wait line 5",
            [
                "- %d = nvvm.mbarrier.try_wait %p, %parity : !llvm.ptr<3>, i32 -> i1",
                "+ %0 = llvm.getelementptr %p[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8",
                "+ %d = nvvm.mbarrier.try_wait %0, %parity : !llvm.ptr<3>, i32 -> i1",
            ],
        ),
        (
            # The elected lane comes with it.
            "move 2 up nvvm.mbarrier.arrive line 17",
            [
                "- nvvm.wgmma.wait.group.sync.aligned 1",
                "- nvvm.bar.warp.sync %id : i32",
                "+ nvvm.wgmma.wait.group.sync.aligned 1",
                "+ nvvm.bar.warp.sync %id : i32",
            ],
        ),
        (
            "pending - 1 nvvm.wgmma.wait.group.sync.aligned line 13",
            [
                "- nvvm.wgmma.wait.group.sync.aligned 1",
                "+ nvvm.wgmma.wait.group.sync.aligned 0",
            ],
        ),
        (
            "everyone scf.if line 16",
            ["- scf.if %e {", "+ %0 = arith.constant true", "+ scf.if %0 {"],
        ),
        (
            "bytes - 16 nvvm.mbarrier.arrive.expect_tx line 20",
            [
                "- nvvm.mbarrier.arrive.expect_tx %p, %bytes : !llvm.ptr<3>, i32",
                "+ %0 = arith.constant 2032 : i32",
                "+ nvvm.mbarrier.arrive.expect_tx %p, %0 : !llvm.ptr<3>, i32",
            ],
        ),
        (
            "toggle read nvvm.cp.async.bulk.wait_group line 21",
            [
                "- nvvm.cp.async.bulk.wait_group 0 {read}",
                "+ nvvm.cp.async.bulk.wait_group 0",
            ],
        ),
        (
            "id + 1 nvvm.barrier line 23",
            [
                "- nvvm.barrier id = %id number_of_threads = %bytes",
                "+ %0 = arith.constant 2 : i32",
                "+ nvvm.barrier id = %0 number_of_threads = %bytes",
            ],
        ),
        (
            "delete nvvm.mbarrier.arrive line 17",
            ["- nvvm.mbarrier.arrive %p : !llvm.ptr<3>"],
        ),
    ],
)
def test_edits_at_hardware_level(name: str, changed: list[str]):
    assert change(parse(HARDWARE), name) == changed


def test_edits_that_break_dominance_are_dropped():
    """A commit after the wait for it would use what is not there yet."""
    module = tile_level(SEED.read_text())
    tried = [m.operator for m in mutations(module) if m.op == "croq.mma.commit"]
    kept = [m.operator for m, _ in mutants(module) if m.op == "croq.mma.commit"]
    assert "move 1 down" in tried
    assert "move 1 down" not in kept
