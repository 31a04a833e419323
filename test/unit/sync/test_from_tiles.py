"""The model that is made of kernels of tile level."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqtile_mlir.analysis.sync.listing import listing
from croqtile_mlir.analysis.sync.model import Action, Branch, Loop, Program, Start
from croqtile_mlir.analysis.sync.tiles.kernel import Found, programs
from croqtile_mlir.analysis.sync.verdicts import Undecided
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import LocatedParser
from croqtile_mlir.pass_manager.running import parse_passes, run_passes

_ROOT = Path(__file__).parents[3]
_KERNELS = sorted(
    [
        *(_ROOT / "examples").glob("*.mlir"),
        *(_ROOT / "test/pipeline/Inputs").glob("*.mlir"),
    ]
)
_PASSES = "bind-params,infer-layouts,select-engines"
_RING = """
croq.kernel @ring dims(M, N) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %a = croq.alloc : !croq.tile<[S]x32x32xf32, shared>
    BLOCK
    croq.role "p" warps [0, 1) {
      PRODUCER
    }
    croq.role "c" warps [1, 3) {
      CONSUMER
    }
    AFTER
  }
}
"""


def _programs(text: str, file: str, passes: str = _PASSES) -> list[Found]:
    ctx = new_context()
    module = LocatedParser(ctx, text, file).parse_module()
    run_passes(ctx, module, parse_passes(passes))
    return programs(module)


def _listing(**parts: str) -> str:
    text = _RING
    for name in ("BLOCK", "PRODUCER", "CONSUMER", "AFTER"):
        text = text.replace(name, parts.get(name.lower(), ""))
    (program,) = _programs(text, "ring.mlir")
    assert isinstance(program, Program), program
    return listing(program)


@pytest.mark.parametrize("file", _KERNELS, ids=lambda file: file.stem)
def test_every_kernel_has_a_model(file: Path) -> None:
    for program in _programs(file.read_text(), str(file)):
        if isinstance(program, Undecided) and "an acquire" in program.reason:
            # What blocks hand on in memory is no part of a model.
            assert "another block of the grid" in program.reason
            continue
        assert isinstance(program, Program)
        # Threads that share no memory do nothing that matters.
        assert bool(program.agents) == ("shared" in file.read_text())
        if "strides" not in file.read_text():
            # What is between the elements of a strided view is not of it.
            assert "<" not in listing(program), "nothing is unknown"


def test_the_seed_kernel() -> None:
    file = _ROOT / "examples/matmul_1p1c.mlir"
    (program,) = _programs(file.read_text(), str(file))
    assert isinstance(program, Program)
    assert (
        listing(program)
        == """\
barrier %full: 4 slots, 1 arrivals
barrier %empty: 4 slots, 1 arrivals
buffer %a_s: 4 slots
buffer %b_s: 4 slots
buffer %o_s: 1 slots
counts ceil(K / 64)
agent role "producer", 128 threads
  loop k in 0 ceil(K / 64) 1
    wait %empty[(k % 4)] generation (k / 4)
    start: write %a_s[(k % 4)] completes %full[(k % 4)] 16384 bytes
    start: write %b_s[(k % 4)] completes %full[(k % 4)] 16384 bytes
    arrive %full[(k % 4)] generation (k / 4) x1, 32768 bytes
agent role "consumer", 128 threads
  loop s in 0 4 1
    arrive %empty[(s % 4)] generation (s / 4) x1
  loop k in 0 ceil(K / 64) 1
    wait %full[(k % 4)] generation (k / 4)
    start in wgmma: read %a_s[(k % 4)], read %b_s[(k % 4)]
    commit wgmma
    wait group wgmma 0
    arrive %empty[((k + 4) % 4)] generation ((k + 4) / 4) x1
  write %o_s
  read %o_s"""
    )


def test_an_order_that_is_carried_through_the_tiles_of_a_block() -> None:
    file = _ROOT / "test/pipeline/Inputs/matmul_persistent.mlir"
    (program,) = _programs(file.read_text(), str(file))
    assert isinstance(program, Program)
    text = listing(program)
    assert "counts ceil(K / 64), trips of line" in text
    assert text.count("1, n = 0 then n2") == 2, "both roles, one number of trips"
    assert text.count("1, n2 = n then (n2 + 1)") == 2
    assert len(program.counts) == 2


def test_a_trigger_of_a_ready_event_is_for_the_generation_after() -> None:
    text = _listing(producer="croq.wait %free at 4", consumer="croq.trigger %free at 4")
    assert "wait %free[1] generation 1" in text
    assert "arrive %free[1] generation 2 x1" in text


def test_two_sizes_of_tiles_of_one_dim_count_in_the_smaller() -> None:
    text = _listing(
        block="""
    %wide = croq.cdiv N, 96
    %narrow = croq.cdiv N, 64""",
        producer="croq.foreach %k in %wide { croq.trigger %full at %k }",
        consumer="croq.foreach %k in %narrow { croq.wait %full at %k }",
    )
    assert "counts ceil(N / 32)\n" in text
    assert "loop k in 0 ceildiv(ceil(N / 32), 3) 1" in text
    assert "loop k in 0 ceildiv(ceil(N / 32), 2) 1" in text


def test_a_loop_over_elements_in_steps_of_a_tile() -> None:
    text = _listing(
        producer="""
      croq.foreach %k in 0 to N step 64 {
        %t = arith.constant 64 : index
        %o = arith.divui %k, %t : index
        croq.trigger %full at %o
      }""",
        consumer="""
      %n = croq.cdiv N, 64
      croq.foreach %k in %n { croq.wait %full at %k }""",
    )
    assert "counts ceil(N / 64)\n" in text
    assert "arrive %full[(k % 3)] generation (k / 3)" in text


def test_a_condition_on_the_block_is_a_choice() -> None:
    text = _listing(
        producer="""
      %z = arith.constant 0 : index
      %first = arith.cmpi eq, %i, %z : index
      scf.if %first { croq.trigger %full at 0 }""",
        consumer="""
      %z = arith.constant 0 : index
      %first = arith.cmpi eq, %i, %z : index
      scf.if %first { croq.wait %full at 0 }""",
    )
    assert text.count("if ne(choice of line 13, 0)") == 2, "the same one for both"


def test_what_the_block_does_beside_its_roles_is_an_agent() -> None:
    text = _listing(
        block="""
    %t = croq.view %x [3, 32] from (0, 0)
    %w = croq.alloc : !croq.tile<3x32xf32, shared>
    croq.copy %t => %w engine(tma)""",
        producer="croq.trigger %full at 0",
        consumer="croq.wait %full at 0",
    )
    assert text.count("meet before the roles") == 3
    assert "meet after" not in text
    assert "agent block, 96 threads\n  write %w" in text


def test_views_are_boxes_of_rows_and_columns() -> None:
    text = _listing(
        producer="""
      croq.foreach %k in 4 {
        %s = croq.slot %a at %k + 1
        %h = croq.chunkat %s [_, 4] at (_, %k)
        %v = croq.view %h [8, 8] from (16, 0)
        %g = croq.view %x [8, 8] from (0, 0)
        croq.copy %g => %v engine(threads)
      }""",
        consumer="",
    )
    assert "write %a[((k + 1) % 3)](16 to 24, (k * 8) to ((k * 8) + 8))" in text, text


def test_a_loop_that_only_loads_may_have_bounds_of_threads() -> None:
    text = _listing(
        producer="""
      croq.parallel (%r, %c) in (1, 32) : thread {
        croq.foreach %j in %r to 32 step 4 {
          %v = croq.load %a[0, %j, %c]
          croq.store %v, %a[1, %j, %c]
        }
      }""",
    )
    assert "loop" not in text
    assert "read %a" in text
    assert "write %a" in text


def test_a_wait_that_depends_on_a_value_from_memory_is_not_modelled() -> None:
    text = _RING.replace(
        "PRODUCER",
        """
      croq.foreach %k in 2 {
        %v = croq.load %n[%k]
        %o = arith.index_cast %v : i32 to index
        croq.wait %full at %o
      }""",
    )
    text = (
        text.replace("BLOCK", "%n = croq.alloc : !croq.tile<4xi32, shared>")
        .replace("CONSUMER", "croq.trigger %full at 0")
        .replace("AFTER", "")
    )
    (program,) = _programs(text, "ring.mlir")
    assert isinstance(program, Undecided)
    assert "croq.load" in program.reason


_LOWERED = (
    f"{_PASSES},guard-tma-stores,fuse-dma-events,lower-futures,unroll-loops,"
    "insert-barriers"
)


def test_where_barriers_are_explicit_agents_are_warps() -> None:
    file = _ROOT / "examples/matmul_1p1c.mlir"
    (program,) = _programs(file.read_text(), str(file), _LOWERED)
    assert isinstance(program, Program)
    names = [agent.name for agent in program.agents]
    assert names == [f"warp {n}" for n in (0, 4, 5, 6, 7)], "warps 1 to 3 do nothing"
    text = listing(program)
    assert "barrier %empty: 4 slots, 4 arrivals" in text, "one of each warp"
    assert text.count('meet barrier of role "consumer" x128') == 2 * 4
    for warp in (4, 5, 6, 7):
        assert f"write %o_s(all, all, {warp} to {warp + 1}, all)" in text
    product = next(
        action
        for action in _actions(program, "warp 5")
        if isinstance(action, Start) and action.queue == "wgmma"
    )
    assert product.joint == ("warp 4", "warp 5", "warp 6", "warp 7")


def test_mbarriers_are_those_that_events_become() -> None:
    file = _ROOT / "examples/matmul_1p1c.mlir"
    (program,) = _programs(file.read_text(), str(file), f"{_LOWERED},lower-events")
    assert isinstance(program, Program)
    text = listing(program)
    assert "barrier %full: 4 slots, 1 arrivals" in text
    assert "barrier %empty: 4 slots, 4 arrivals" in text
    assert "wait %empty[(k % 4)] parity and((k / 4), 1)" in text
    assert "arrive %full[(k % 4)] x1, 32768 bytes" in text


def test_two_triggers_of_one_loop_may_serve_every_other_generation() -> None:
    trigger = """
        %two = arith.constant 2 : index
        %one = arith.constant 1 : index
        %e = arith.muli %k, %two : index
        %o = arith.addi %e, %one : index
        croq.trigger %full at %e
        croq.trigger %full at %o"""
    text = _listing(producer=f"croq.foreach %k in N {{ {trigger} }}")
    assert "barrier %full: 3 slots, 1 arrivals" in text


def test_a_condition_that_changes_from_tile_to_tile_has_four_ways() -> None:
    body = """
      %total = croq.cdiv M, 32
      croq.foreach %t in %i to %total step 4 {
        %two = arith.constant 2 : index
        %m = arith.remui %t, %two : index
        %z = arith.constant 0 : index
        %c = arith.cmpi eq, %m, %z : index
        scf.if %c { croq.trigger %full[0] }
      }"""
    text = _RING.replace("PRODUCER", body)
    for name in ("BLOCK", "CONSUMER", "AFTER"):
        text = text.replace(name, "")
    found = _programs(text, "ring.mlir")
    shown = [listing(p) for p in found if isinstance(p, Program)]
    assert len(shown) == 4
    assert [("if ((t % 2) == 0)" in s, "if ne((t % 2), 0)" in s) for s in shown] == [
        (False, False),
        (False, False),
        (True, False),
        (False, True),
    ]


def _actions(program: Program, name: str) -> list[Action]:
    agent = next(agent for agent in program.agents if agent.name == name)
    found: list[Action] = []
    todo = list(agent.body)
    while todo:
        match each := todo.pop(0):
            case Loop():
                todo += each.body
            case Branch():
                todo += (*each.then, *each.otherwise)
            case _:
                found.append(each)
    return found
