"""Bugs planted in a kernel of hardware level: each is reported, of its kind."""

from __future__ import annotations

import re

import pytest
from support.covering import in_turn

from croqtile_mlir.diagnostics import Severity

from .hardware_kernels import (
    POLICIES,
    hardware_text,
    names,
    run_product,
    source_text,
    texts,
)

KERNEL = hardware_text(source_text("matmul_1p1c"))
WAIT = r"scf\.while \(\) : \(\) -> \(\) \{.*?scf\.yield\s*\}\n"
WGMMA_WAIT = "nvvm.wgmma.wait.group.sync.aligned 0"
RELEASE = (
    r"nvvm\.bar\.warp\.sync %\d+ : i32\s*(%\d+) = nvvm\.elect\.sync -> i1\s*"
    r"scf\.if \1 \{\s*nvvm\.mbarrier\.arrive (%\d+) : !llvm\.ptr<3>\s*\}\n"
)
STORE_WAIT = "nvvm.cp.async.bulk.wait_group 0"
BARRIER = re.search(r"nvvm\.barrier id = (%\d+) number_of_threads = (%\d+)", KERNEL)
assert BARRIER is not None
FIRST_WARP = re.search(r"(%\d+) = arith\.cmpi eq, %warp, %0 : i32", KERNEL)
assert FIRST_WARP is not None
ARRIVALS = re.search(r"nvvm\.mbarrier\.init %empty, (%\d+)", KERNEL)
assert ARRIVALS is not None


def changed(pattern: str, new: str, which: int = 0, text: str = KERNEL) -> str:
    """The text with the match of a number replaced; `\\g<0>` stands for it."""
    found = list(re.finditer(pattern, text, re.DOTALL))
    assert len(found) > which, pattern
    match = found[which]
    return text[: match.start()] + match.expand(new) + text[match.end() :]


def moved_behind(pattern: str, place: str, which: int = 0) -> str:
    """The text with a match moved behind the next match of another pattern."""
    match = list(re.finditer(pattern, KERNEL, re.DOTALL))[which]
    rest = KERNEL[match.end() :]
    other = re.search(place, rest, re.DOTALL)
    assert other is not None
    cut = other.end()
    return KERNEL[: match.start()] + rest[:cut] + match[0] + rest[cut:]


LOAD = r"(cp\.async\.bulk\.tensor\.shared\.cluster\.global) (%\d+), (%\w+), (%\d+)"


BUGS = {
    "no wait on empty": (changed(WAIT, ""), {"RACE", "PHASE_OVERRUN"}),
    "no wait on full": (changed(WAIT, "", 1), {"RACE"}),
    "release before the wgmma wait": (
        moved_behind(rf"{WGMMA_WAIT}\n", RELEASE),
        {"RACE"},
    ),
    "too many bytes expected": (
        changed("constant 32768 : i32", "constant 32784 : i32"),
        {"DEADLOCK"},
    ),
    "too few bytes expected": (
        changed("constant 32768 : i32", "constant 32752 : i32"),
        {"DEADLOCK"},
    ),
    "one arrival too many wanted": (
        changed(rf"({ARRIVALS[1]} = arith\.constant) 4", r"\g<1> 5"),
        {"DEADLOCK"},
    ),
    "one arrival too few wanted": (
        changed(rf"({ARRIVALS[1]} = arith\.constant) 4", r"\g<1> 3"),
        {"OVER_ARRIVAL", "AMBIGUOUS_ARRIVAL"},
    ),
    "the producer's parity flipped": (
        changed(
            r"try_wait (%\d+), %parity : ",
            r"try_wait \g<1>, %flipped : ",
            text=changed(
                r"%parity = arith\.andi (%\d+), (%\d+) : i32\n",
                r"\g<0>%flipped = arith.xori %parity, \g<2> : i32\n",
            ),
        ),
        {"PHASE_OVERRUN"},
    ),
    "the consumer's parity flipped": (
        changed(
            r"try_wait (%\d+), %parity_1 : ",
            r"try_wait \g<1>, %flipped : ",
            text=changed(
                r"%parity_1 = arith\.andi (%\d+), (%\d+) : i32\n",
                r"\g<0>%flipped = arith.xori %parity_1, \g<2> : i32\n",
            ),
        ),
        {"PHASE_OVERRUN"},
    ),
    "no proxy fence before the TMA store": (
        changed(r"nvvm\.fence\.proxy \{[^\n]*\n", ""),
        {"STALE_READ"},
    ),
    "no fence of the mbarriers": (
        changed(r"nvvm\.fence\.mbarrier\.init\n", ""),
        {"STALE_READ"},
    ),
    "no barrier after the mbarriers": (
        changed(r"nvvm\.barrier\n", ""),
        {"RACE", "MISUSE"},
    ),
    "accumulators used early": (
        changed(WGMMA_WAIT, "nvvm.wgmma.wait.group.sync.aligned 1"),
        {"ACCUMULATOR"},
    ),
    "wgmma that no group holds": (
        changed(r"nvvm\.wgmma\.commit\.group\.sync\.aligned\n", ""),
        {"ACCUMULATOR"},
    ),
    "no wgmma fence": (changed(r"nvvm\.wgmma\.fence\.aligned\n", ""), {"MISUSE"}),
    "no release": (changed(RELEASE, "", 1), {"DEADLOCK"}),
    "no credits": (changed(RELEASE, ""), {"DEADLOCK"}),
    "released twice": (
        changed(
            RELEASE,
            r"\g<0>scf.if \g<1> { nvvm.mbarrier.arrive \g<2> : !llvm.ptr<3> }\n",
            1,
        ),
        {"OVER_ARRIVAL", "AMBIGUOUS_ARRIVAL"},
    ),
    "nobody waits for the store": (changed(STORE_WAIT, ""), {"UNFINISHED"}),
    "the store is in no group": (
        changed(r"nvvm\.cp\.async\.bulk\.commit\.group\n", ""),
        {"UNFINISHED"},
    ),
    "no barrier before the store": (
        changed(re.escape(BARRIER[0]), ""),
        {"RACE"},
    ),
    "a barrier of too few threads": (
        changed(
            re.escape(BARRIER[0]),
            f"%few = arith.constant 96 : i32\n"
            f"nvvm.barrier id = {BARRIER[1]} number_of_threads = %few",
        ),
        {"RACE", "DEADLOCK"},
    ),
    "a barrier of too many threads": (
        changed(
            re.escape(BARRIER[0]),
            f"%many = arith.constant 160 : i32\n"
            f"nvvm.barrier id = {BARRIER[1]} number_of_threads = %many",
        ),
        {"DEADLOCK"},
    ),
    "a destination that is not aligned": (
        changed(LOAD, r"\g<1> %off, \g<3>, \g<4>").replace(
            "scf.if %leader_1 {",
            "%o0 = llvm.getelementptr %smem[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
            "%off = llvm.addrspacecast %o0 : !llvm.ptr<3> to !llvm.ptr<7>\n"
            "scf.if %leader_1 {",
        ),
        {"MISUSE"},
    ),
    "an mbarrier that is none": (
        changed(LOAD, r"\g<1> \g<2>, \g<3>, %b_s"),
        {"MISUSE"},
    ),
    "a register budget of one warp": (
        changed(
            r"nvvm\.setmaxregister decrease 40",
            rf"scf.if {FIRST_WARP[1]} {{ nvvm.setmaxregister decrease 40 }}",
        ),
        {"PARTICIPATION"},
    ),
    "stores beyond shared memory": (
        changed(r"(%\d+)\[155648\]", r"\g<1>[255648]"),
        {"OUT_OF_BOUNDS"},
    ),
}


@pytest.mark.parametrize(("bug", "policy"), in_turn(list(BUGS), POLICIES, each=2))
def test_planted(bug: str, policy: str) -> None:
    text, kinds = BUGS[bug]
    assert text != KERNEL
    report, _, _ = run_product(text, (128, 128, 64 * 6), policy)
    assert names(report.faults) & kinds, texts(report.faults) or "no fault"
    for fault in report.faults:
        assert fault.diagnostic().severity is Severity.Error
        assert fault.op is not None


@pytest.mark.parametrize("policy", POLICIES)
def test_rows_that_end_inside_16_bytes(policy: str) -> None:
    text = changed(r"(%whole) = arith\.ori [^\n]*", r"\g<1> = arith.constant true")
    report, _, _ = run_product(text, (128, 63, 64), policy)
    assert names(report.faults) == {"OUT_OF_BOUNDS"}, texts(report.faults)
