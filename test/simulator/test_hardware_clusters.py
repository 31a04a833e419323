"""Clusters at hardware level: their registers and memory, and bugs in them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.covering import in_turn

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.simulator.simulate import Options, Report, run_loaded

from .cluster_kernels import operands, product
from .hardware_kernels import (
    POLICIES,
    Tile,
    hardware_text,
    kernel_text,
    loaded,
    names,
    run_text,
    store_lane,
    texts,
)

KERNEL = hardware_text(product(2, 1))
MEET = "nvvm.cluster.arrive {aligned}\n nvvm.cluster.wait {aligned}\n"
MET_AT_START = r"nvvm\.cluster\.arrive\.relaxed \{aligned\}\s*nvvm\.cluster\.wait.*?\n"
MET_AT_END = r"nvvm\.bar\.warp\.sync %\d+ : i32\s*nvvm\.cluster\.arrive \{aligned\}\s*"
MASK = r"arith\.constant 3 : i16"
MINUS_ONE = re.search(r"(%\d+) = arith\.constant -1 : i32", KERNEL)
assert MINUS_ONE is not None


def changed(pattern: str, new: str, which: int = 0) -> str:
    """The kernel with the match of a number replaced."""
    found = list(re.finditer(pattern, KERNEL, re.DOTALL))
    assert len(found) > which, pattern
    match = found[which]
    return KERNEL[: match.start()] + match.expand(new) + KERNEL[match.end() :]


BUGS = {
    "a mask of rank 0": (changed(MASK, "arith.constant 1 : i16"), {"DEADLOCK"}),
    "a mask of a rank that is not there": (
        changed(MASK, "arith.constant 7 : i16"),
        {"MISUSE"},
    ),
    "a mask of nobody": (changed(MASK, "arith.constant 0 : i16"), {"MISUSE"}),
    "bytes counted once": (
        changed("constant 16384 : i32", "constant 12288 : i32"),
        {"RACE", "UNINITIALISED", "AMBIGUOUS_ARRIVAL"},
    ),
    "bytes of a third sender": (
        changed("constant 16384 : i32", "constant 20480 : i32"),
        {"DEADLOCK"},
    ),
    "a barrier of the block after the initialisation": (
        changed(MET_AT_START, "nvvm.barrier0\n"),
        {"RACE", "MISUSE"},
    ),
    "no fence after the initialisation": (
        changed(r"nvvm\.fence\.mbarrier\.init\n", ""),
        {"RACE"},
    ),
    "a relaxed barrier at the end": (
        changed(MET_AT_END, "nvvm.cluster.arrive.relaxed {aligned}\n"),
        {"USE_AFTER_EXIT"},
    ),
    "no barrier at the end": (
        changed(MET_AT_END + r"nvvm\.cluster\.wait \{aligned\}\n", ""),
        {"USE_AFTER_EXIT"},
    ),
    "both releases to one block": (
        changed(r"(nvvm\.mapa %\d+), %\d+ ", r"\g<1>, %0 ", 1),
        {"OVER_ARRIVAL", "DEADLOCK", "AMBIGUOUS_ARRIVAL"},
    ),
    "released to a rank that is not there": (
        changed(r"(nvvm\.mapa %\d+), %\d+ ", rf"\g<1>, {MINUS_ONE[1]} ", 1),
        {"OUT_OF_BOUNDS"},
    ),
    "arrived twice": (
        changed(
            r"nvvm\.cluster\.wait \{aligned\}\n", "nvvm.cluster.arrive {aligned}\n", 1
        ),
        {"PARTICIPATION"},
    ),
    "waited without an arrival": (changed(MET_AT_END, ""), {"MISUSE"}),
}


def run_product(text: str, policy: str) -> Report:
    return run_loaded(loaded(text), operands(128, 64, 64 * 8), Options(policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_kernel_without_bugs(policy: str) -> None:
    report = run_product(KERNEL, policy)
    assert not report.faults, texts(report.faults)


@pytest.mark.parametrize(("name", "policy"), in_turn(list(BUGS), POLICIES, each=2))
def test_bug(name: str, policy: str) -> None:
    text, expected = BUGS[name]
    assert text != KERNEL
    report = run_product(text, policy)
    assert names(report.faults) & expected, texts(report.faults)


def test_bytes_of_a_peer_before_the_own_announcement() -> None:
    """Phases wait for the own arrival, however early the bytes land."""
    at = KERNEL.index("nvvm.mbarrier.arrive.expect_tx")
    assert at < KERNEL.index("nvvm.cp.async.bulk.tensor.shared.cluster.global")
    report = run_product(KERNEL, "early")
    assert not report.faults, texts(report.faults)


# The shared memory of another block

EXCHANGE = """
%ctaid = nvvm.read.ptx.sreg.ctaid.x : i32
%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
%peer = arith.xori %rank, %i1 : i32
%hundred = arith.constant 100 : i32
%base = arith.muli %ctaid, %hundred : i32
%value = arith.addi %base, %tid : i32
%there = nvvm.mapa %smem, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
%to = llvm.getelementptr %there[%lane_offset] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, i8
STARTED
llvm.store %value, %to : i32, !llvm.ptr<7>
WRITTEN
%from = llvm.getelementptr %smem[%lane_offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%got = llvm.load %from : !llvm.ptr<3> -> i32
%of_block = arith.constant 128 : i32
%block_at = arith.muli %ctaid, %of_block : i32
%out_block = llvm.getelementptr %out[%block_at]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%out_at = llvm.getelementptr %out_block[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
llvm.store %got, %out_at : i32, !llvm.ptr<1>
"""


def exchange(started: str = MEET, written: str = MEET) -> str:
    body = EXCHANGE.replace("STARTED", started).replace("WRITTEN", written)
    tiles = [Tile("out", "i32", (4, 32))]
    return kernel_text(tiles, body, blocks=4, cluster=(2, 1, 1))


@pytest.mark.parametrize("policy", POLICIES)
def test_exchange(policy: str) -> None:
    out = np.zeros((4, 32), np.int32)
    report = run_text(exchange(), [out], policy)
    assert not report.faults, texts(report.faults)
    expected = 100 * np.array([1, 0, 3, 2])[:, None] + np.arange(32)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("started", "written", "expected"),
    [
        ("", MEET, "MISUSE"),
        (MEET, MEET.replace("arrive", "arrive.relaxed"), "RACE"),
        (MEET, "nvvm.barrier0\n", "USE_AFTER_EXIT"),
    ],
    ids=["not started", "relaxed", "not ended"],
)
def test_bugs_of_an_exchange(
    started: str, written: str, expected: str, policy: str
) -> None:
    out = np.zeros((4, 32), np.int32)
    report = run_text(exchange(started, written), [out], policy)
    assert expected in names(report.faults), texts(report.faults)


REGISTERS = {
    "clusterid.x": [0, 0, 1, 1],
    "nclusterid.x": [2, 2, 2, 2],
    "cluster.ctaid.x": [0, 1, 0, 1],
    "cluster.ctaid.y": [0, 0, 0, 0],
    "cluster.nctaid.x": [2, 2, 2, 2],
    "cluster.nctaid.z": [1, 1, 1, 1],
    "cluster.ctarank": [0, 1, 0, 1],
    "cluster.nctarank": [2, 2, 2, 2],
}


def register_text(name: str) -> str:
    """A kernel in which each thread stores a register."""
    body = EXCHANGE.replace("STARTED", MEET).replace("WRITTEN", MEET)
    body = body.replace("%got, %out_at", "%special, %out_at")
    read = f"%special = nvvm.read.ptx.sreg.{name} : i32\n"
    tiles = [Tile("out", "i32", (4, 32))]
    return kernel_text(tiles, read + body, blocks=4, cluster=(2, 1, 1))


@pytest.mark.parametrize("name", REGISTERS)
def test_registers(name: str) -> None:
    out = np.full((4, 32), -1, np.int32)
    assert not run_text(register_text(name), [out]).faults
    expected = np.broadcast_to(np.array(REGISTERS[name])[:, None], out.shape)
    np.testing.assert_array_equal(out, expected)


def test_threads_that_have_ended_do_not_count() -> None:
    """The barrier of a cluster waits for those that are alive."""
    body = f"""
%warp = nvvm.read.ptx.sreg.warpid : i32
%is_second = arith.cmpi eq, %warp, %i1 : i32
scf.if %is_second {{
  nvvm.exit
}}
{MEET}
{store_lane("tid", "out")}
"""
    text = kernel_text(
        [Tile("out", "i32", (32,))], body, threads=64, blocks=2, cluster=(2, 1, 1)
    )
    out = np.zeros(32, np.int32)
    report = run_text(text, [out])
    assert names(report.faults) == {"RACE"}, "both blocks write, nothing else is wrong"
    np.testing.assert_array_equal(out, np.arange(32))


def test_cluster_of_the_kernel_and_of_its_plan() -> None:
    text = exchange().replace("array<i32: 2, 1, 1>", "array<i32: 4, 1, 1>")
    with pytest.raises(CompileError, match=r"must have the cluster of its launch plan"):
        loaded(text)
