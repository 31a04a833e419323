"""The verifier on hardware-level IR: what is right is proved, one edit is refuted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from pipeline.lowering import EXAMPLES, parse, passes, printed, run
from support.kernels import VARIANTS, Product

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.hardware.kernel import programs
from croqtile_mlir.analysis.sync.listing import listing
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import (
    Proved,
    Refuted,
    Rule,
    Undecided,
    Verdict,
)


@cache
def hardware(text: str) -> str:
    """The hardware-level IR of a kernel, not verified before."""
    names = passes()
    last = names.index("check-level{level=nvvm}")
    module = parse(text)
    run(module, ",".join(p for p in names[:last] if not p.startswith("verify-sync")))
    return printed(module)


def verdicts(text: str) -> list[Verdict]:
    """What the verifier says of the models of a module."""
    return [
        decide(model) if isinstance(model, Program) else model
        for model in programs(parse(text))
    ]


def small() -> str:
    """One producer and one consumer, three stages, tiles of 64x8."""
    return hardware(Product(rows=64, cols=8, stages=3).text())


# What is right


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_proved(path: Path):
    found = verdicts(hardware(path.read_text()))
    assert found
    if "scf.while" in path.read_text() or "grid>" in path.read_text():
        # How often data or other blocks let a loop run is not known: that is said.
        (verdict,) = found
        assert isinstance(verdict, Undecided)
        assert (
            verdict.reason
            == "a loop that is not counted and not a wait is not modelled"
        )
        return
    assert all(isinstance(verdict, Proved) for verdict in found), found


@pytest.mark.parametrize(("before", "right"), [(1, False), (3, True), (5, True)])
def test_mbarriers_of_threads_alone_need_no_fence(before: int, right: bool):
    """The first three are those of %full, on which TMA counts."""
    lines = small().split("\n")
    (fence,) = (line for line in lines if "fence.mbarrier.init" in line)
    lines.remove(fence)
    places = [n for n, line in enumerate(lines) if "nvvm.mbarrier.init" in line]
    lines.insert(places[before], fence)
    found = verdicts("\n".join(lines))
    rules = {v.rule for v in found if isinstance(v, Refuted)}
    assert rules == (set() if right else {Rule.MISSING_FENCE})


def test_stores_that_are_waited_for_before_the_first_of_them():
    """The epilogue of the scheduled product waits for the stores of the tile before."""
    plain = next(path for path in EXAMPLES if path.stem == "matmul").read_text()
    module = parse(plain)
    run(
        module,
        "bind-params{BN=64},persist,warp-specialize{stages=2},overlap-epilogue{cols=32}",
    )
    found = verdicts(hardware(printed(module)))
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found


PRODUCTS = {
    "small": Product(rows=64, cols=8),
    "two consumers": Product(rows=128, cols=16, consumers=2, stages=2),
    "ready slots": Product(rows=64, cols=8, ready=True, stages=2),
    "f16 sums": Product(rows=64, cols=16, acc="f16", stages=2),
    "short steps": Product(rows=64, cols=8, depth=32, stages=2),
    "long steps": Product(rows=64, cols=8, depth=128, stages=1),
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_products_are_proved(product: Product):
    found = verdicts(hardware(product.text()))
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found


UNLIKE_THOSE = (
    "blocking copies",
    "slots by number",
    "one group in flight",
    "a third event",
    "two consumers, tall",
    "three consumers",
    "two consumers, threads",
)


@pytest.mark.parametrize("name", UNLIKE_THOSE)
def test_variants_are_proved(name: str):
    found = verdicts(hardware(VARIANTS[name].text()))
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found


EVIDENCE = Path(__file__).parents[2] / "evidence" / "kernels"
INPUTS = Path(__file__).parents[2] / "pipeline" / "Inputs"
SLOW = {"matmul_persistent", "matmul_persistent_slots"}


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(INPUTS.glob("*.mlir")) if p.stem not in SLOW | {"handoff"}],
    ids=lambda path: path.stem,
)
def test_kernels_of_the_pipeline_are_proved(path: Path):
    found = verdicts(hardware(path.read_text()))
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found


def test_lanes_that_have_not_met_before_one_starts_a_copy():
    # Lanes store, then one of them starts a copy, then all arrive. It would be right,
    # but what the one lane says is taken for the warp.
    text = hardware((INPUTS / "handoff.mlir").read_text())
    doubt = [v for v in verdicts(text) if not isinstance(v, Proved)]
    assert [type(v) for v in doubt] == [Undecided]
    assert doubt[0].place.name == "nvvm.mbarrier.expect_tx"
    meet = r"(%\d+ = llvm\.addrspacecast)"
    text, number = re.subn(meet, r"nvvm.bar.warp.sync %3 : i32\n\1", text, count=1)
    assert number == 1
    assert all(isinstance(verdict, Proved) for verdict in verdicts(text))


# What the model is


def model(text: str) -> str:
    """The listing of the first model of a module."""
    first = programs(parse(text))[0]
    assert isinstance(first, Program), first
    return listing(first)


def agent(text: str, number: int) -> str:
    """The part of a listing about one warp."""
    return re.split(r"agent warp \d+, 32 threads\n", text)[1 + number]


def test_rings_and_counts():
    text = model(small())
    assert "barrier full: 3 slots, 1 arrivals" in text
    assert "barrier empty: 3 slots, 4 arrivals" in text
    assert "counts ceil(K_extent / 64)\n" in text
    assert text.count("agent warp") == 8


def test_only_the_leader_loads():
    text = model(small())
    assert "arrive full[(k % 3)] x1, 9216 bytes" in agent(text, 0)
    assert "completes full[(k % 3)] 8192 bytes" in agent(text, 0)
    for warp in range(1, 4):
        assert "full" not in agent(text, warp)


def test_warps_with_nothing_to_do_do_not_count_along():
    text = model(hardware((EVIDENCE / "persistent_orders.mlir").read_text()))
    assert "loop" in agent(text, 0)
    for warp in range(1, 4):
        assert agent(text, warp).split("\n") == ["  meet barrier 0 x256", "  exit", ""]


def test_bytes_of_products():
    # A: 64 rows of 128 bytes in stages of 8192; B: 8 rows behind the stages of A.
    for warp in range(4, 8):
        (start,) = re.findall("start in wgmma: .*", agent(model(small()), warp))
        assert "((k % 3) * 8192) to (((k % 3) * 8192) + 8192)" in start
        assert "(((k % 3) * 1024) + 24576) to (((k % 3) * 1024) + 25600)" in start


def test_bytes_of_stores_of_a_warp():
    # stmatrix: each warp stores 16 rows of 16 bytes.
    text = model(small())
    for warp in range(4):
        low = 27648 + 256 * warp
        assert f"write shared memory({low} to {low + 256})" in agent(text, 4 + warp)


def test_conditions_of_the_launch_are_looked_at_either_way():
    found = [m for m in programs(parse(small())) if isinstance(m, Program)]
    assert ["start in bulk" in listing(m) for m in found] == [True, False]


# What is wrong


@dataclass(frozen=True)
class Mutant:
    """An edit of the small kernel, and what has to be said of it."""

    pattern: str
    replacement: str
    rules: tuple[Rule, ...]
    words: tuple[str, ...] = ()
    count: int = 1
    """How many places the pattern matches."""

    which: int = 0
    """Which of them is changed."""

    def apply(self, text: str) -> str:
        """The text with the edit."""
        places = list(re.finditer(self.pattern, text, re.DOTALL))
        assert len(places) == self.count, len(places)
        place = places[self.which]
        new = place.expand(self.replacement)
        assert new != place[0]
        return text[: place.start()] + new + text[place.end() :]


WAIT = r"scf\.while \(\) : \(\) -> \(\) \{[^}]*\} do \{\s*scf\.yield\s*\}"
DEADLOCK = (
    Rule.DEADLOCK,
    Rule.LOST_ARRIVAL,
    Rule.ARRIVAL_COUNT,
    Rule.MISSING_CREDIT,
    Rule.EARLY_EXIT,
)
RACE = (Rule.READ_BEFORE_WRITE, Rule.OVERWRITE, Rule.WRITE_CONFLICT)
ANY_OF_A_RING = (*DEADLOCK, *RACE, Rule.PHASE_OVERRUN, Rule.AMBIGUOUS_ARRIVAL)
ARRIVE = r"scf\.if (%\d+) \{\s*nvvm\.mbarrier\.arrive %\d+ : !llvm\.ptr<3>\s*\}"
INIT = r"(nvvm\.mbarrier\.init %{}, )%\d+"

_THREADS_OF_A_BARRIER = r"(= arith\.constant) 128( : i32\s+nvvm\.barrier id)"

MUTANTS = {
    "no wait for a free slot": Mutant(WAIT, "", ANY_OF_A_RING, count=2),
    "no wait for a full slot": Mutant(WAIT, "", ANY_OF_A_RING, count=2, which=1),
    "parity of the producer": Mutant(
        r"(%\d+ = nvvm\.mbarrier\.try_wait %\d+, )%parity ",
        r"%one = arith.constant 1 : i32\n\1%one ",
        ANY_OF_A_RING,
    ),
    "parity of the consumer": Mutant(
        r"(%\d+ = nvvm\.mbarrier\.try_wait %\d+, )%parity_1 ",
        r"%one = arith.constant 1 : i32\n\1%one ",
        ANY_OF_A_RING,
    ),
    "count of full, more": Mutant(
        INIT.format("full"), r"%c2 = arith.constant 2 : i32\n\1%c2", DEADLOCK
    ),
    "count of empty, more": Mutant(
        INIT.format("empty"), r"%c5 = arith.constant 5 : i32\n\1%c5", DEADLOCK
    ),
    "count of empty, fewer": Mutant(
        INIT.format("empty"),
        r"%c3 = arith.constant 3 : i32\n\1%c3",
        (Rule.ARRIVAL_COUNT, Rule.PHASE_OVERRUN, Rule.AMBIGUOUS_ARRIVAL, *RACE),
    ),
    "bytes, more": Mutant(
        "arith.constant 9216 ",
        "arith.constant 9232 ",
        (Rule.BYTE_COUNT,),
        ("9232", "9216"),
    ),
    "bytes, fewer": Mutant(
        "arith.constant 9216 ",
        "arith.constant 9200 ",
        (Rule.BYTE_COUNT,),
        ("9200", "9216"),
    ),
    "no credits": Mutant(ARRIVE, "", DEADLOCK, count=2),
    "no release": Mutant(ARRIVE, "", DEADLOCK, count=2, which=1),
    "a release twice": Mutant(
        f"({ARRIVE})", r"\1\n\1", ANY_OF_A_RING, count=2, which=1
    ),
    "no fence before the store": Mutant(
        r"nvvm\.fence\.proxy \{[^}]*\}", "", (Rule.MISSING_FENCE,)
    ),
    "no fence of the mbarriers": Mutant(
        r"nvvm\.fence\.mbarrier\.init", "", (Rule.MISSING_FENCE,)
    ),
    "no barrier after the mbarriers": Mutant(r"nvvm\.barrier\n", "\n", RACE),
    "no barrier before the store": Mutant(
        r"nvvm\.barrier id = %\d+ number_of_threads = %\d+", "", RACE, count=2
    ),
    "a barrier of more threads": Mutant(
        _THREADS_OF_A_BARRIER, r"\1 256\2", (Rule.BARRIER_PARTICIPATION,), count=2
    ),
    "a barrier of fewer threads": Mutant(
        _THREADS_OF_A_BARRIER, r"\1 64\2", (Rule.BARRIER_PARTICIPATION, *RACE), count=2
    ),
    "no wait for the products": Mutant(
        r"nvvm\.wgmma\.wait\.group\.sync\.aligned 0",
        "",
        (Rule.ACCUMULATOR, Rule.OVERWRITE),
    ),
    "a group in flight": Mutant(
        r"(nvvm\.wgmma\.wait\.group\.sync\.aligned) 0",
        r"\1 1",
        (Rule.ACCUMULATOR, Rule.OVERWRITE),
    ),
    "no group of products": Mutant(
        r"nvvm\.wgmma\.commit\.group\.sync\.aligned",
        "",
        (Rule.ACCUMULATOR, Rule.OVERWRITE),
    ),
    "no fence of the registers": Mutant(
        r"nvvm\.wgmma\.fence\.aligned", "", (Rule.ACCUMULATOR,)
    ),
    "release before the products are over": Mutant(
        r"(nvvm\.wgmma\.wait\.group\.sync\.aligned 0)(.*?)(scf\.yield %c1)",
        r"\2\1\n\3",
        (Rule.OVERWRITE,),
    ),
    "the next slot": Mutant(
        r"(%\d+ = arith\.remui) %k_1,",
        r"%one = arith.constant 1 : i32\n%next = arith.addi %k_1, %one : i32\n"
        r"\1 %next,",
        ANY_OF_A_RING,
    ),
    "no wait for the store": Mutant(
        r"nvvm\.cp\.async\.bulk\.wait_group 0", "", (Rule.EARLY_EXIT,)
    ),
    "no group of the store": Mutant(
        r"nvvm\.cp\.async\.bulk\.commit\.group", "", (Rule.EARLY_EXIT,)
    ),
    "a barrier for some lanes": Mutant(
        r"(nvvm\.barrier id = %\d+ number_of_threads = %\d+)",
        r"scf.if %leader_2 { \1 }",
        (Rule.BARRIER_PARTICIPATION,),
        count=2,
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_mutants_are_refuted(mutant: Mutant):
    found = [v for v in verdicts(mutant.apply(small())) if isinstance(v, Refuted)]
    assert found
    assert found[0].rule in mutant.rules, found[0].message
    for word in mutant.words:
        assert word in found[0].message


def test_the_missing_fence_is_between_two_ops():
    text = MUTANTS["no fence before the store"].apply(small())
    (refuted,) = (v for v in verdicts(text) if isinstance(v, Refuted))
    assert refuted.place.name == "nvvm.cp.async.bulk.tensor.global.shared.cta"
    assert [op.name for op, _ in refuted.notes] == ["nvvm.stmatrix"]


DOUBLE_BUFFER = EVIDENCE / "threads_double_buffer.mlir"


def test_a_read_of_bytes_that_others_stand_for():
    # A store of 4 pieces, kept whole, by threads; a copy of more than 4 reads it.
    text = hardware((EVIDENCE / "released_by_turns.mlir").read_text())
    assert all(isinstance(verdict, Proved) for verdict in verdicts(text))


def test_few_bytes_stand_for_those_with_one_history():
    # Columns of 8 bytes in rows of 128: of the 4 rows of each copying warp, one stays.
    text = agent(model(hardware(DOUBLE_BUFFER.read_text())), 0)
    (read, *_) = re.findall("    read shared memory.*", text)
    assert read.count("read shared memory") == 4


def test_a_barrier_less_in_the_double_buffer():
    text = hardware(DOUBLE_BUFFER.read_text())
    barriers = list(re.finditer(r"nvvm\.barrier\n", text))
    assert len(barriers) == 2
    for place in barriers:
        (found,) = verdicts(text[: place.start()] + text[place.end() :])
        assert isinstance(found, Refuted)
        assert found.rule in RACE
