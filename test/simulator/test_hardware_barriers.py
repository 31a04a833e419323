"""mbarriers, barriers of the block, and control flow between blocks of a function."""

from __future__ import annotations

import numpy as np
import pytest

from croqtile_mlir.diagnostics import CompileError

from .hardware_kernels import (
    POLICIES,
    Tile,
    kernel_text,
    names,
    run_right,
    run_text,
    store_lane,
    texts,
)

FIRST = "%first = arith.cmpi eq, %tid, %i0 : i32\n"
WARP = """%five = arith.constant 5 : i32
%w = arith.shrui %tid, %five : i32
%warp = nvvm.shfl.sync idx %all, %w, %i0, %i9 : i32 -> i32
%is_first = arith.cmpi eq, %warp, %i0 : i32
"""
INIT = f"""{FIRST}scf.if %first {{
  nvvm.mbarrier.init %smem, %count : !llvm.ptr<3>, i32
}}
nvvm.barrier
"""
LOOPS = {
    "while": """scf.while () : () -> () {
  %done = nvvm.mbarrier.try_wait %smem, %i0 : !llvm.ptr<3>, i32 -> i1
  %yes = arith.constant true
  %again = arith.xori %done, %yes : i1
  scf.condition(%again)
} do {
  scf.yield
}""",
    "a while of another form": """scf.while () : () -> () {
  %done = nvvm.mbarrier.test.wait %smem, %i0 : !llvm.ptr<3>, i32 -> i1
  %no = arith.constant false
  %again = arith.cmpi eq, %done, %no : i1
  scf.condition(%again)
} do {
  nvvm.nanosleep %i9
  scf.yield
}""",
    "blocks": """cf.br ^test
^test:
  %done = nvvm.mbarrier.try_wait %smem, %i0 : !llvm.ptr<3>, i32 -> i1
  cf.cond_br %done, ^end, ^test
^end:""",
    "parity": "nvvm.mbarrier.try_wait.parity %smem, %i0, %i9 : !llvm.ptr<3>, i32, i32",
}


def handed_over(arrival: str, loop: str, count: int) -> str:
    """Warp 0 writes a word for each lane, arrives; warp 1 waits and reads them."""
    write = f"""%to = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%data = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%v = arith.muli %tid, %i7 : i32
scf.if %is_first {{
  llvm.store %v, %data : i32, !llvm.ptr<3>
  {arrival}
}}
"""
    return kernel_text(
        [Tile("y", "i32", (64,))],
        f"""%count = arith.constant {count} : i32
{WARP}{INIT}{write}
{LOOPS[loop]}
%other = llvm.getelementptr %data[-128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%r = scf.if %is_first -> (i32) {{
  scf.yield %v : i32
}} else {{
  %x = llvm.load %other : !llvm.ptr<3> -> i32
  scf.yield %x : i32
}}
{store_lane("r", "y")}""",
        threads=64,
    )


ARRIVALS = {
    "each lane": ("nvvm.mbarrier.arrive %smem : !llvm.ptr<3>", 32),
    "counted": ("nvvm.mbarrier.arrive %smem, %i3 : !llvm.ptr<3>", 96),
    "bytes": (
        "nvvm.mbarrier.expect_tx %smem, %i8 : !llvm.ptr<3>, i32\n"
        "nvvm.mbarrier.arrive %smem : !llvm.ptr<3>\n"
        "nvvm.mbarrier.complete_tx %smem, %i8 : !llvm.ptr<3>, i32",
        32,
    ),
    "with a state": (
        "%s = nvvm.mbarrier.arrive.nocomplete %smem, %i1 : !llvm.ptr<3>, i32 -> i64\n"
        "%t = nvvm.mbarrier.arrive %smem : !llvm.ptr<3> -> i64",
        64,
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("arrival", ARRIVALS)
def test_hand_over(arrival: str, loop: str, policy: str) -> None:
    text, count = ARRIVALS[arrival]
    y = np.zeros(64, np.int32)
    run_right(handed_over(text, loop, count), [y], policy)
    np.testing.assert_array_equal(y, np.tile(7 * np.arange(32), 2))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("loop", LOOPS)
def test_wait_for_ever(loop: str, policy: str) -> None:
    text, count = ARRIVALS["each lane"]
    report = run_text(
        handed_over(text, loop, count + 1), [np.zeros(64, np.int32)], policy
    )
    assert names(report.faults) == {"DEADLOCK"}
    said = texts(report.faults)
    assert "2 of 2 agents can never go on" in said
    assert "the mbarrier at shared offset 0" in said


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("nvvm.mbarrier.arrive %smem : !llvm.ptr<3>", "MISUSE"),
        ("nvvm.mbarrier.init %smem, %i0 : !llvm.ptr<3>, i32", "MISUSE"),
        ("nvvm.mbarrier.init %odd, %i1 : !llvm.ptr<3>, i32", "MISUSE"),
        ("nvvm.mbarrier.init %far, %i1 : !llvm.ptr<3>, i32", "OUT_OF_BOUNDS"),
        (
            "nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32\n"
            "nvvm.mbarrier.init %smem, %i2 : !llvm.ptr<3>, i32",
            "MISUSE",
        ),
        (
            "nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32\n"
            "nvvm.mbarrier.inval %smem : !llvm.ptr<3>\n"
            "nvvm.mbarrier.arrive %smem : !llvm.ptr<3>",
            "MISUSE",
        ),
        (
            "nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32\n"
            "nvvm.mbarrier.arrive %smem, %i2 : !llvm.ptr<3>",
            "OVER_ARRIVAL",
        ),
    ],
)
def test_misuse(body: str, kind: str) -> None:
    text = f"""{FIRST}%odd = llvm.getelementptr %smem[4]
  : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%far = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
scf.if %first {{
{body}
}}"""
    assert names(run_text(kernel_text([], text), []).faults) == {kind}


def test_initialised_again_after_inval() -> None:
    text = f"""{FIRST}scf.if %first {{
  nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32
  nvvm.mbarrier.inval %smem : !llvm.ptr<3>
  nvvm.mbarrier.init %smem, %i2 : !llvm.ptr<3>, i32
  nvvm.mbarrier.arrive %smem, %i2 : !llvm.ptr<3>
  {LOOPS["while"]}
}}"""
    run_right(kernel_text([], text), [])


# Barriers of the block


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", ["popc", "and", "or"])
@pytest.mark.parametrize("limit", [0, 40, 96])
def test_reduction_at_a_barrier(kind: str, limit: int, policy: str) -> None:
    y, z = np.zeros(96, np.int32), np.zeros(96, np.int32)
    body = f"""%limit = arith.constant {limit} : i32
%p = arith.cmpi slt, %tid, %limit : i32
%q = arith.extui %p : i1 to i32
%r = nvvm.barrier #nvvm.reduction<{kind}> %q -> i32
%s = nvvm.barrier #nvvm.reduction<popc> %tid -> i32
{store_lane("r", "y")}{store_lane("s", "z")}"""
    tiles = [Tile("y", "i32", (96,)), Tile("z", "i32", (96,))]
    run_right(kernel_text(tiles, body, threads=96), (y, z), policy)
    expected = {"popc": limit, "and": limit == 96, "or": limit > 0}[kind]
    assert set(y.tolist()) == {int(expected)}
    assert set(z.tolist()) == {95}


def producer_consumer(arrives: bool) -> str:
    arrive = "nvvm.barrier.arrive id = %i2 number_of_threads = %threads"
    return kernel_text(
        [Tile("y", "i32", (64,))],
        f"""{WARP}%threads = arith.constant 64 : i32
%to = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
scf.if %is_first {{
  llvm.store %tid, %to : i32, !llvm.ptr<3>
  {arrive if arrives else ""}
}} else {{
  nvvm.barrier id = %i2 number_of_threads = %threads
  %other = llvm.getelementptr %to[-128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %r = llvm.load %other : !llvm.ptr<3> -> i32
  {store_lane("r", "y")}
}}""",
        threads=64,
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_arrival_without_a_wait(policy: str) -> None:
    y = np.zeros(64, np.int32)
    run_right(producer_consumer(arrives=True), [y], policy)
    np.testing.assert_array_equal(y[32:], np.arange(32))
    report = run_text(producer_consumer(arrives=False), [y], policy)
    assert names(report.faults) == {"DEADLOCK"}
    assert "32 of 64 threads" in texts(report.faults)


# Control flow


def test_a_loop_of_blocks() -> None:
    y = np.zeros(32, np.int32)
    body = f"""cf.br ^loop(%i0, %tid : i32, i32)
^loop(%i: i32, %sum: i32):
  %next = arith.addi %i, %i1 : i32
  %more = arith.muli %sum, %i3 : i32
  %go = arith.cmpi slt, %next, %i5 : i32
  cf.cond_br %go, ^loop(%next, %more : i32, i32), ^end(%more : i32)
^end(%r: i32):
{store_lane("r", "y")}"""
    run_right(kernel_text([Tile("y", "i32", (32,))], body), [y])
    np.testing.assert_array_equal(y, 3**5 * np.arange(32))


def test_lanes_that_leave_a_loop_one_after_the_other() -> None:
    y, z = np.zeros(32, np.int32), np.zeros(32, np.int32)
    body = f"""%limit = arith.andi %tid, %i7 : i32
%n, %p = scf.while (%i = %i0, %x = %tid) : (i32, i32) -> (i32, i32) {{
  %more = arith.cmpi slt, %i, %limit : i32
  %twice = arith.addi %x, %i : i32
  scf.condition(%more) %i, %twice : i32, i32
}} do {{
^bb0(%j: i32, %v: i32):
  %k = arith.addi %j, %i1 : i32
  %w = arith.muli %v, %i3 : i32
  scf.yield %k, %w : i32, i32
}}
{store_lane("n", "y")}{store_lane("p", "z")}"""
    tiles = [Tile("y", "i32", (32,)), Tile("z", "i32", (32,))]
    run_right(kernel_text(tiles, body), (y, z))
    expected = np.arange(32)
    for lane in range(32):
        for turn in range(lane & 7):
            expected[lane] = (expected[lane] + turn) * 3
        expected[lane] += lane & 7
    np.testing.assert_array_equal(y, np.arange(32) & 7)
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_loop_that_waits_for_a_word(policy: str) -> None:
    """It ends, and what it waits for is a race."""
    body = f"""{WARP}scf.if %first {{
  llvm.store %i0, %smem : i32, !llvm.ptr<3>
}}
nvvm.barrier
scf.if %is_first {{
  scf.while () : () -> () {{
    %v = llvm.load volatile %smem : !llvm.ptr<3> -> i32
    %again = arith.cmpi eq, %v, %i0 : i32
    scf.condition(%again)
  }} do {{
    scf.yield
  }}
}} else {{
  llvm.store %i1, %smem : i32, !llvm.ptr<3>
}}"""
    report = run_text(kernel_text([], FIRST + body, threads=64), [], policy)
    assert names(report.faults) == {"RACE"}


def test_exit_of_a_warp() -> None:
    y = np.zeros(64, np.int32)
    body = f"""{WARP}scf.if %is_first {{ nvvm.exit }}
{store_lane("tid", "y")}"""
    run_right(kernel_text([Tile("y", "i32", (64,))], body, threads=64), [y])
    np.testing.assert_array_equal(y, [*[0] * 32, *range(32, 64)])


def test_exit_of_some_lanes_is_refused() -> None:
    body = f"{FIRST}scf.if %first {{ nvvm.exit }}"
    with pytest.raises(CompileError, match="whole warps"):
        run_text(kernel_text([], body), [])
