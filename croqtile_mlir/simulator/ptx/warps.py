"""Barriers, mbarriers and what the lanes of a warp exchange, in PTX text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from croqtile_mlir.simulator.peers import SHARED_END, address_in
from croqtile_mlir.simulator.ptx.machine import (
    WARP,
    Machine,
    MbarrierState,
    Run,
    Threads,
    unknown,
)
from croqtile_mlir.simulator.ptx.text import Instruction


def nothing(_: Instruction) -> Run:
    """Fences and hints: memory is consistent here."""

    def run(machine: Machine, threads: Threads) -> None:
        pass

    return run


def barrier(ins: Instruction) -> Run:
    """`bar.sync id{, threads}`, `bar.warp.sync mask`, `barrier.cluster`."""
    if ins.opcode[1] == "warp":
        return _warp_barrier(ins)
    if ins.opcode[1] == "cluster":
        return _cluster_barrier(ins)
    arrives = "arrive" in ins.opcode

    def run(machine: Machine, threads: Threads) -> None:
        identities = machine.read(ins.register(0), "u32", threads)
        # Warps may come here together that name different barriers.
        for identity in np.unique(identities):
            mine = threads[identities == identity]
            count = machine.block.threads
            if len(ins.operands) > 1:
                count = int(machine.read(ins.register(1), "u32", mine)[0])
            if arrives:
                machine.arrive(("bar", int(identity)), mine, count)
            else:
                machine.meet(("bar", int(identity)), mine, count)

    return run


def _warp_barrier(ins: Instruction) -> Run:
    def run(machine: Machine, threads: Threads) -> None:
        masks = machine.read(ins.register(0), "u32", threads)
        for warp in np.unique(threads // WARP):
            mine = threads // WARP == warp
            count = int(masks[mine][0]).bit_count()
            machine.meet(("warp", int(warp)), threads[mine], count)

    return run


def _cluster_barrier(ins: Instruction) -> Run:
    """`barrier.cluster.arrive`, `barrier.cluster.wait`."""

    def arrive(machine: Machine, threads: Threads) -> None:
        machine.arrived[threads] += 1

    def wait(machine: Machine, threads: Threads) -> None:
        machine.waiting[threads] = True
        machine.at_cluster[threads] = True
        machine.meet_cluster()

    known = {"arrive": arrive, "wait": wait}
    return known.get(ins.opcode[2]) or unknown(ins)


def map_address(ins: Instruction) -> Run:
    """`mapa.shared::cluster.u32 d, a, b`: the same offset in the block of a rank."""
    if ins.opcode[1:] != ("shared::cluster", "u32"):
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        address = machine.read(ins.register(1), "u32", threads).astype(np.int64)
        ranks = machine.read(ins.register(2), "u32", threads).astype(np.int64)
        for rank in np.unique(ranks):
            machine.peer(ins, int(rank))
        value = address_in(ranks, address % SHARED_END)
        machine.write(ins.register(0), value.astype(np.uint32), threads)

    return run


def elect(ins: Instruction) -> Run:
    """`elect.sync d|p, mask`: the first of the threads that are here together."""
    register, _, predicate = ins.register(0).partition("|")

    def run(machine: Machine, threads: Threads) -> None:
        warps = threads // WARP
        _, first = np.unique(warps, return_index=True)
        leaders = threads[first]
        machine.write(predicate, np.isin(threads, leaders), threads)
        lane = leaders[np.searchsorted(warps[first], warps)] % WARP
        machine.write(register, lane.astype(np.uint32), threads)

    return run


def shuffle(ins: Instruction) -> Run:
    """`shfl.sync.{idx,up,down,bfly}.b32 d, a, b, c, mask`."""
    mode = ins.opcode[2]
    register, _, predicate = ins.register(0).partition("|")
    if predicate:
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        value = machine.read(ins.register(1), "b32", threads)
        by = machine.read(ins.register(2), "u32", threads).astype(np.int64)
        clamp = machine.read(ins.register(3), "u32", threads).astype(np.int64)
        lane = threads % WARP
        segment = clamp >> 8 & 31
        low, high = lane & segment, (lane & segment) | (clamp & 31 & ~segment)
        source = {
            "idx": low | (by & 31 & ~segment),
            "up": lane - by,
            "down": lane + by,
            "bfly": lane ^ by,
        }[mode]
        inside = source >= high if mode == "up" else source <= high
        source = np.where(inside, source, lane)
        table = np.zeros(machine.block.threads, value.dtype)
        table[threads] = value
        machine.write(register, table[threads // WARP * WARP + source], threads)

    return run


def vote(ins: Instruction) -> Run:
    """`vote.sync.{all,any,uni}.pred`, `vote.sync.ballot.b32`."""
    mode = ins.opcode[2]

    def run(machine: Machine, threads: Threads) -> None:
        name = ins.register(1)
        holds = machine.read(name.lstrip("!"), "pred", threads) ^ name.startswith("!")
        warps = threads // WARP
        bits = np.zeros(int(warps.max()) + 1, np.uint32)
        here = np.zeros_like(bits)
        lanes = np.uint32(1) << (threads % WARP).astype(np.uint32)
        np.bitwise_or.at(bits, warps, np.where(holds, lanes, np.uint32(0)))
        np.bitwise_or.at(here, warps, lanes)
        answers = {
            "all": bits == here,
            "any": bits != 0,
            "uni": (bits == here) | (bits == 0),
            "ballot": bits,
        }
        machine.write(ins.register(0), answers[mode][warps], threads)

    return run


def match(ins: Instruction) -> Run:
    """`match.any.sync.{b32,b64} d, a, mask`; of `match.all.sync`, `d|p`."""
    register, _, predicate = ins.register(0).partition("|")

    def run(machine: Machine, threads: Threads) -> None:
        value = machine.read(ins.register(1), ins.type, threads)
        warps, lanes = threads // WARP, np.uint32(1) << (threads % WARP).astype("u4")
        bits, same = np.zeros(len(threads), np.uint32), np.zeros(len(threads), bool)
        for index in range(len(threads)):
            mine = warps == warps[index]
            like = mine & (value == value[index])
            bits[index] = np.bitwise_or.reduce(lanes[like])
            same[index] = like.sum() == mine.sum()
        if predicate:
            bits = np.where(same, bits, np.uint32(0))
            machine.write(predicate, same, threads)
        machine.write(register, bits, threads)

    return run


def active_mask(ins: Instruction) -> Run:
    """`activemask.b32 d`: the threads that are here together."""

    def run(machine: Machine, threads: Threads) -> None:
        warps = threads // WARP
        here = np.zeros(int(warps.max()) + 1, np.uint32)
        np.bitwise_or.at(here, warps, np.uint32(1) << (threads % WARP).astype("u4"))
        machine.write(ins.register(0), here[warps], threads)

    return run


_REDUCTIONS: Mapping[str, np.ufunc] = MappingProxyType(
    {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
)


def reduce(ins: Instruction) -> Run:
    """`redux.sync.{add,min,max,and,or,xor}.{s32,u32,b32} d, a, mask`."""
    combine = _REDUCTIONS.get(ins.opcode[2])
    if combine is None:
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        value = machine.read(ins.register(1), ins.type, threads)
        warps = threads // WARP
        found = np.zeros_like(value)
        for warp in np.unique(warps):
            mine = warps == warp
            found[mine] = combine.reduce(value[mine], dtype=value.dtype)
        machine.write(ins.register(0), found.view(np.uint32), threads)

    return run


def mbarrier(ins: Instruction) -> Run:
    """`mbarrier.init`, `arrive`, `expect_tx`, `try_wait.parity`, `inval`."""
    verb = ins.opcode[1]
    maker = {
        "init": _init,
        "arrive": _arrive,
        "expect_tx": _expect,
        "try_wait": _test,
        "test_wait": _test,
        "inval": _invalidate,
    }.get(verb)
    return unknown(ins) if maker is None else maker(ins)


def addresses_of(
    machine: Machine, ins: Instruction, index: int, threads: Threads
) -> Threads:
    """The shared addresses of an operand."""
    address = ins.address(index)
    base = machine.read(address.base, "b32", threads).astype(np.int64)
    return base + address.offset


def at(machine: Machine, ins: Instruction, address: int) -> MbarrierState:
    """The mbarrier at an address, of any block of the cluster."""
    home, offset = machine.home(ins, address)
    found = home.mbarriers.get(offset)
    if found is None:
        ins.refuse(f"there must be an mbarrier at address {address}, found none")
    return found


def _init(ins: Instruction) -> Run:
    def run(machine: Machine, threads: Threads) -> None:
        counts = machine.read(ins.register(1), "u32", threads)
        addresses = addresses_of(machine, ins, 0, threads)
        for address, count in zip(addresses, counts, strict=True):
            machine.mbarriers[int(address)] = MbarrierState(int(count), int(count))

    return run


def _arrive(ins: Instruction) -> Run:
    expects = "expect_tx" in ins.opcode
    if "noComplete" in ins.opcode or ins.operands[0] != "_":
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        addresses = addresses_of(machine, ins, 1, threads)
        more = len(ins.operands) > 2
        values = machine.read(ins.register(2) if more else "1", "u32", threads)
        for address, value in zip(addresses, values, strict=True):
            state = at(machine, ins, int(address))
            if expects:
                state.bytes += int(value)
            count = 1 if expects else int(value)
            if count > state.pending:
                ins.refuse(
                    f"the mbarrier at {int(address)} must get {state.pending} more "
                    f"arrivals, got {count}"
                )
            state.pending -= count
            state.settle()

    return run


def _expect(ins: Instruction) -> Run:
    def run(machine: Machine, threads: Threads) -> None:
        sizes = machine.read(ins.register(1), "u32", threads)
        addresses = addresses_of(machine, ins, 0, threads)
        for address, size in zip(addresses, sizes, strict=True):
            at(machine, ins, int(address)).bytes += int(size)

    return run


def _test(ins: Instruction) -> Run:
    if "parity" not in ins.opcode:
        return unknown(ins)

    def run(machine: Machine, threads: Threads) -> None:
        addresses = addresses_of(machine, ins, 1, threads)
        parities = machine.read(ins.register(2), "u32", threads)
        answers = [
            (at(machine, ins, int(address)).phase & 1) != int(parity)
            for address, parity in zip(addresses, parities, strict=True)
        ]
        machine.write(ins.register(0), np.array(answers, bool), threads)

    return run


def _invalidate(ins: Instruction) -> Run:
    def run(machine: Machine, threads: Threads) -> None:
        for address in addresses_of(machine, ins, 0, threads):
            machine.mbarriers.pop(int(address), None)

    return run


WARPS: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {
        "bar": barrier,
        "barrier": barrier,
        "elect": elect,
        "shfl": shuffle,
        "activemask": active_mask,
        "match": match,
        "vote": vote,
        "redux": reduce,
        "mbarrier": mbarrier,
        "mapa": map_address,
        **dict.fromkeys(
            (
                "fence",
                "membar",
                "setmaxnreg",
                "prefetch",
                "griddepcontrol",
                "nanosleep",
            ),
            nothing,
        ),
    }
)
"""What makes the step of an instruction, by the first part of its opcode."""
