"""What the lanes of a warp exchange, at every level."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import Options, Report, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

LEVELS = ("croq", "insert-barriers", "lower-lanes", "nvvm", "ptx")
Array = np.ndarray[Any, Any]


@lru_cache(maxsize=64)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def runs(text: str, level: str, *args: Any) -> Report:
    return run(loaded(text, level), *args, options=Options("random:1"))


def kernel(type_: str, body: str, result: str = "") -> str:
    """Two warps: each thread has %x, %lane and makes %r of them."""
    return f"""
    croq.kernel @k (%in: !croq.tile<64x{type_}, global>,
        %out: !croq.tile<64x{result or type_}, global>, %n: i32) {{
      croq.parallel (%b) in (1) : block threads 64 {{
        croq.parallel (%t) in (64) : thread {{
          %lane = croq.lane_id
          %x = croq.load %in[%t]
          {body}
          croq.store %r, %out[%t]
        }}
      }}
    }}
    """


DTYPES: dict[str, np.dtype[Any]] = {
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(bfloat16),
}


def values(type_: str, seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    if type_.startswith("i"):
        info = np.iinfo(DTYPES[type_])
        return random.integers(info.min, info.max, 64, DTYPES[type_])
    return random.normal(size=64).astype(DTYPES[type_])


def source(kind: str, n: int) -> Array:
    lane = np.arange(32)
    known = {"idx": lane * 0 + n, "up": lane - n, "down": lane + n, "xor": lane ^ n}
    other = known[kind]
    return np.where((other >= 0) & (other < 32), other, lane)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
@pytest.mark.parametrize("n", [0, 5, 31])
def test_shuffles(kind: str, n: int, type_: str, level: str) -> None:
    x, out = values(type_), np.zeros(64, DTYPES[type_])
    body = f"%r = croq.shuffle {kind} %x by %n : {type_} -> {type_}"
    report = runs(kernel(type_, body), level, x, out, n)
    assert not report.faults
    expected = x.reshape(2, 32)[:, source(kind, n)].ravel()
    assert (out == expected).all()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("kind", "combine"),
    [
        ("add", np.add),
        ("min", np.minimum),
        ("max", np.maximum),
        ("umin", np.minimum),
        ("umax", np.maximum),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
    ],
)
def test_reductions(kind: str, combine: np.ufunc, level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    report = runs(kernel("i32", f"%r = croq.redux {kind} %x"), level, x, out, 0)
    assert not report.faults
    rows = x.view(np.uint32) if kind.startswith("u") else x
    totals = combine.reduce(rows.reshape(2, 32), axis=1, dtype=rows.dtype)
    assert (out == np.repeat(totals, 32).view(np.int32)).all()


VOTE = """
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%p = arith.cmpi slt, %x, %n : i32
%v = croq.vote {kind} %p -> i1
%r = arith.select %v, %one, %zero : i32
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["any", "all", "uni"])
@pytest.mark.parametrize("which", ["none", "some", "every"])
def test_votes(kind: str, which: str, level: str) -> None:
    x, out = np.abs(values("i32") // 2), np.zeros(64, np.int32)
    n = {"none": 0, "some": int(np.median(x)), "every": 2**31 - 1}[which]
    report = runs(kernel("i32", VOTE.format(kind=kind)), level, x, out, n)
    assert not report.faults
    rows = (x < n).reshape(2, 32)
    any_, all_ = rows.any(axis=1), rows.all(axis=1)
    expected = {"any": any_, "all": all_, "uni": all_ | ~any_}[kind]
    assert (out == np.repeat(expected, 32)).all()


@pytest.mark.parametrize("level", LEVELS)
def test_a_ballot_and_an_election_among_some_lanes(level: str) -> None:
    """The lanes of which the bit is set come together, elect one and count."""
    body = """
    %zero = arith.constant 0 : i32
    %p = arith.cmpi slt, %x, %zero : i32
    %lanes = croq.vote ballot %p -> i32
    %one = arith.constant 1 : i32
    %r = scf.if %p -> (i32) {
      %leads = croq.elect_lane mask %lanes
      %sum = croq.redux add %one mask %lanes
      croq.warp_barrier mask %lanes
      %found = arith.select %leads, %sum, %zero : i32
      scf.yield %found : i32
    } else {
      scf.yield %lanes : i32
    }
    """
    x, out = values("i32", 4), np.zeros(64, np.int32)
    report = runs(kernel("i32", body), level, x, out, 0)
    assert not report.faults
    for warp in range(2):
        mine, found = x[32 * warp :][:32], out[32 * warp :][:32]
        bits = sum(1 << lane for lane in range(32) if mine[lane] < 0)
        assert (found[mine >= 0].view(np.uint32) == bits).all()
        counts = found[mine < 0]
        assert sorted(counts)[:-1] == [0] * (len(counts) - 1)
        assert counts.max() == len(counts)


def likes(rows: Array) -> Array:
    """For each lane the lanes of its row with the same value, a bit each."""
    alike = rows[:, :, None] == rows[:, None, :]
    bits = (alike.astype(np.int64) << np.arange(32)).sum(axis=2)
    return bits.astype(np.uint32).view(np.int32)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type_", ["i32", "i64"])
@pytest.mark.parametrize("different", [1, 2, 5, 64])
def test_matches_of_any(different: int, type_: str, level: str) -> None:
    random = np.random.default_rng(different)
    # Words that differ in their upper half alone, too.
    x = random.permutation(values(type_))[random.integers(0, different, 64)]
    x[::7] ^= x.dtype.type(1 << 31) if type_ == "i64" else np.int32(1)
    out = np.zeros(64, np.int32)
    body = f"%r = croq.match any %x : {type_} -> i32"
    report = runs(kernel(type_, body, "i32"), level, x, out, 0)
    assert not report.faults
    assert (out == likes(x.reshape(2, 32)).ravel()).all()


MATCH_ALL = """
%bits, %same = croq.match all %x : TYPE -> i32, i1
%r = arith.select %same, %bits, %n : i32
%again = arith.select %same, %n, %bits : i32
croq.store %again, %bits_of[%t]
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_matches_of_all(type_: str, level: str) -> None:
    """One warp has the same everywhere, the other one lane with another value."""
    text = kernel(type_, MATCH_ALL.replace("TYPE", type_), "i32").replace(
        "%n: i32", "%n: i32, %bits_of: !croq.tile<64xi32, global>"
    )
    for odd in (0, 31, 40, 63):
        x = np.repeat(values(type_, odd)[:2], 32)
        x[odd] += 1
        out, other = np.zeros(64, np.int32), np.zeros(64, np.int32)
        report = runs(text, level, x, out, 77, other)
        assert not report.faults
        same = np.repeat([odd >= 32, odd < 32], 32)
        assert (out == np.where(same, -1, 77)).all()
        assert (other == np.where(same, 77, 0)).all()


AMONG_SOME = """
%five = arith.constant 5 : index
%some = arith.cmpi slt, %lane, %five : index
%r = scf.if %some -> (i32) {
  %found = croq.match any %x mask %n : i32 -> i32
  scf.yield %found : i32
} else {
  %here = croq.active_mask
  scf.yield %here : i32
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_matches_and_lanes_where_they_part(level: str) -> None:
    x = np.random.default_rng(3).integers(0, 2, 64, np.int32)
    out = np.zeros(64, np.int32)
    report = runs(kernel("i32", AMONG_SOME), level, x, out, 0x1F)
    assert not report.faults
    rows = x.reshape(2, 32)
    expected = np.full((2, 32), ~0x1F, np.int32)
    expected[:, :5] = likes(rows)[:, :5] & 0x1F
    assert (out == expected.ravel()).all()


@pytest.mark.parametrize("level", LEVELS)
def test_all_lanes_are_active(level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    body = """
    %here = croq.active_mask
    %r = arith.xori %here, %x : i32
    """
    report = runs(kernel("i32", body), level, x, out, 0)
    assert not report.faults
    assert (out == ~x).all()


WARPS = """
croq.kernel @k (%out: !croq.tile<160xi32, global>) {
  croq.parallel (%b) in (1) : block threads 160 {
    croq.role "first" warps [0, 2) {
      croq.parallel (%t) in (64) : thread {
        %w = croq.warp_id
        %v = arith.index_cast %w : index to i32
        croq.store %v, %out[%t]
      }
    }
    croq.role "second" warps [2, 5) {
      croq.parallel (%t) in (96) : thread {
        %w = croq.warp_id
        %v = arith.index_cast %w : index to i32
        %c64 = arith.constant 64 : index
        %at = arith.addi %t, %c64 : index
        croq.store %v, %out[%at]
      }
    }
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_warps_of_roles(level: str) -> None:
    """They are counted from the first one of the role."""
    out = np.full(160, -1, np.int32)
    assert not runs(WARPS, level, out).faults
    assert (out == np.repeat([0, 1, 0, 1, 2], 32)).all()


@pytest.mark.parametrize("level", LEVELS)
def test_warps_of_the_block(level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    body = """
    %w = croq.warp_id
    %v = arith.index_cast %w : index to i32
    %r = arith.addi %v, %x : i32
    """
    report = runs(kernel("i32", body), level, x, out, 0)
    assert not report.faults
    assert (out == x + np.repeat(np.arange(2, dtype=np.int32), 32)).all()


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_a_lane_that_is_missing_from_the_mask(level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    text = kernel("i32", "%r = croq.redux add %x mask %n")
    assert not runs(text, level, x, out, -1).faults
    kinds = {fault.kind for fault in runs(text, level, x, out, 0x7FFFFFFF).faults}
    assert kinds == {FaultKind.PARTICIPATION}


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_a_lane_that_is_named_and_elsewhere(level: str) -> None:
    body = """
    %five = arith.constant 5 : index
    %some = arith.cmpi slt, %lane, %five : index
    %r = scf.if %some -> (i32) {
      %sum = croq.redux add %x mask %n
      scf.yield %sum : i32
    } else {
      scf.yield %x : i32
    }
    """
    x, out = values("i32"), np.zeros(64, np.int32)
    assert not runs(kernel("i32", body), level, x, out, 0x1F).faults
    kinds = {f.kind for f in runs(kernel("i32", body), level, x, out, 0x3F).faults}
    assert kinds == {FaultKind.PARTICIPATION}


EXCHANGE = """
%c31 = arith.constant 31 : index
%away = arith.subi %c31, %lane : index
croq.store %x, %s[%w, %lane]
{barrier}
%y = croq.load %s[%w, %away]
croq.store %y, %out[%t]
"""


def exchange(barrier: str) -> str:
    """Lanes exchange values through shared memory."""
    return f"""
    croq.kernel @k attributes {{explicit_barriers}} (%in: !croq.tile<64xi32, global>,
        %out: !croq.tile<64xi32, global>) {{
      croq.parallel (%b) in (1) : block threads 64 {{
        %s = croq.alloc : !croq.tile<2x32xi32, shared, row_major>
        croq.parallel (%t) in (64) : thread {{
          %lane = croq.lane_id
          %width = arith.constant 32 : index
          %w = arith.divui %t, %width : index
          %x = croq.load %in[%t]
          {EXCHANGE.format(barrier=barrier)}
        }}
      }}
    }}
    """.replace("@k attributes {explicit_barriers} (", "@k (").replace(
        "global>) {", "global>) attributes {explicit_barriers} {", 1
    )


@pytest.mark.parametrize("level", ["croq", "lower-views", "nvvm", "ptx"])
def test_lanes_meet(level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    assert not runs(exchange("croq.warp_barrier"), level, x, out).faults
    assert (out == x.reshape(2, 32)[:, ::-1].ravel()).all()


@pytest.mark.parametrize("level", ["croq", "lower-views", "nvvm"])
def test_lanes_do_not_meet(level: str) -> None:
    x, out = values("i32"), np.zeros(64, np.int32)
    kinds = {fault.kind for fault in runs(exchange(""), level, x, out).faults}
    assert kinds == {FaultKind.RACE}


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_what_lanes_match_is_assembled(target: str) -> None:
    text = kernel("i64", MATCH_ALL.replace("TYPE", "i64"), "i32").replace(
        "%n: i32",
        "%n: i32, %bits_of: !croq.tile<64xi32, global>, "
        "%all: !croq.tile<1xi32, global>",
    )
    text = text.replace(
        "croq.store %r,",
        """%here = croq.active_mask
          %peers = croq.match any %again mask %here : i32 -> i32
          croq.atomic or %peers, %all[0]
          croq.store %r,""",
    )
    ptx = croq.compile(text, target=target).ptx
    for line in ("match.any.sync.b32", "match.all.sync.b64", "activemask.b32"):
        assert line in ptx
    assert assemble(ptx, target).warnings == ()
