"""Kernels made by the builder's methods: together they use all of them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32

from croqtile_mlir.builder import KernelBuilder, Pad


def windows() -> KernelBuilder:
    """Tiles at a step, at an offset, of every second column, and chunks."""
    k = KernelBuilder("windows")
    x = k.argument("x", "f32", 8, 32)
    made = [k.argument(f"out{n}", "f32", 4, 8) for n in range(4)]
    with k.parallel(1, threads=32):
        tiles = (
            k.subspan(x, [4, 8], [1, 3], step=[2, 5]),
            k.view(x, [4, 8], [3, 9]),
            k.view(x, [4, 8], [1, 4], strides=[2, 3]),
            k.chunkat(k.chunkat(x, [2, 1], [1, 0]), ["_", 4], [0, 2]),
        )
        for tile, out in zip(tiles, made, strict=True):
            buffer = k.alloc("f32", 4, 8)
            k.copy(tile, buffer)
            k.copy(buffer, k.subspan(out, [4, 8], [0, 0]))
    return k


def shapes() -> KernelBuilder:
    """One row as a vector and as pairs; the buffer is one of an array."""
    k = KernelBuilder("shapes")
    x, flat = k.argument("x", "f32", 3, 8), k.argument("flat", "f32", 8)
    pairs = k.argument("pairs", "f32", 4, 2)
    with k.parallel(1, threads=32):
        ring = k.alloc("f32", 2, 1, 8)
        row = k.slot(ring, 1, by_slot=True)
        k.copy(k.subspan(x, [1, 8], [2, 0]), row)
        k.barrier()
        k.copy(k.squeeze(k.slot(ring, 3), 0), k.subspan(flat, [8], [0]))
        k.copy(k.span_as(row, "_", 2), k.subspan(pairs, [4, 2], [0, 0]))
    return k


def indices() -> KernelBuilder:
    """What the indices of a thread and the extents around it are."""
    k = KernelBuilder("indices", dims={"M": 1}, params={"P": 7})
    out = k.argument("out", "i32", "M", 8, 5)
    with k.parallel("M", threads=32) as (row,):
        with k.parallel(4, 2, level="thread") as (i, j):
            both, fixed = k.compose(i, j), k.bounded(9, 5)
            numbers = (both, k.axis(both), k.axis(i), k.span(out, 1), k.dim("P"))
            for place, number in enumerate(numbers):
                value = k.add(arith.IndexCastOp(number, i32)).result
                k.store_element(value, out, row, both, place)
            number = k.add(arith.AddiOp(fixed, k.thread_id())).result
            value = k.add(arith.IndexCastOp(number, i32)).result
            k.store_element(value, out, row, both, 0)
    return k


def rearranged() -> KernelBuilder:
    """A tile transposed, and one among ones."""
    k = KernelBuilder("rearranged")
    x = k.argument("x", "f32", 4, 8)
    turned, padded = (
        k.alloc("f32", 8, 4, space="global"),
        k.argument("padded", "f32", 7, 16),
    )
    with k.parallel(1, threads=32):
        buffer, wide = k.alloc("f32", 4, 8), k.alloc("f32", 7, 16)
        k.copy(x, buffer)
        k.copy(buffer, turned, transpose=[1, 0])
        pad = Pad([1, 1], [2, 0], [0, 1], value=1.0)
        future = k.copy_async(buffer, wide, "threads", pad=pad)
        k.await_copy(future)
        k.copy(wide, padded)
    k.returns(turned)
    return k


def groups() -> KernelBuilder:
    """Tiles loaded in groups and stored by TMA, one behind."""
    k = KernelBuilder("groups", dims={"N": 16})
    x, out = (k.argument(name, "f32", 8, "N") for name in ("x", "out"))
    with k.parallel(1, threads=32):
        ring = k.alloc("f32", 2, 8, 16)
        with k.foreach(k.cdiv("N", 16)) as loop:
            slot = k.slot(ring, loop.index)
            k.await_stores(1, read=True)
            k.barrier()
            k.copy_async(k.subspan(x, [8, 16], [0, loop.index]), slot, "cp_async")
            k.commit_loads()
            k.await_loads()
            k.barrier()
            k.copy_async(slot, k.subspan(out, [8, 16], [0, loop.index]), "tma")
        k.await_stores()
    return k


def chosen() -> KernelBuilder:
    """Futures exchanged, rotated and chosen, and tiles with one value."""
    k = KernelBuilder("chosen")
    x = k.argument("x", "f32", 3, 16)
    out = k.argument("out", "f32", 4, 16)
    which = k.scalar("which", "i32")
    with k.parallel(1, threads=32):
        futures = [k.any_future("f32", 1, 16)]
        for row in range(2):
            buffer = k.alloc("f32", 1, 16)
            futures.append(k.copy_async(k.subspan(x, [1, 16], [row, 0]), buffer))
        spare, first, second = futures
        third = k.copy_async(k.subspan(x, [1, 16], [2, 0]), k.data(spare))
        for future in (first, second, third):
            k.await_copy(future)
        first, second = k.swap(first, second)
        first, second, third = k.rotate(first, second, third)
        zero = k.constant(0, "i32")
        is_first = k.add(arith.CmpiOp(which, zero, "eq")).result
        tiles = [k.data(f) for f in (first, second, k.select(is_first, first, third))]
        for row, tile in enumerate(tiles):
            k.copy(tile, k.subspan(out, [1, 16], [row, 0]))
        k.fill_tile(k.subspan(out, [1, 16], [3, 0]), 2.5)
    return k


def roles() -> KernelBuilder:
    """A ring between two roles; the event that says a slot is free starts ready."""
    k = KernelBuilder("roles", dims={"N": 4}, params={"S": 3})
    x, out = (k.argument(name, "f32", 8, "N") for name in ("x", "out"))
    steps = k.cdiv("N", 16)
    with k.parallel(1):
        full, empty = k.event("S"), k.event("S", ready=True)
        over = k.event(arrivals=1)
        ring = k.alloc("f32", "S", 8, 16)
        with k.role("loader", 0, 1, warps=True):
            with k.foreach(steps) as loop:
                k.wait_for(empty, loop.index)
                tile = k.subspan(x, [8, 16], [0, loop.index])
                future = k.copy_async(tile, k.slot(ring, loop.index), "tma")
                k.trigger(full, loop.index, after=[future])
            k.wait_for(over, by_slot=True)
        with k.role("writer", 1, 2, warps=True):
            with k.foreach(steps) as loop:
                k.wait_for(full, loop.index)
                tile = k.subspan(out, [8, 16], [0, loop.index])
                k.copy(k.slot(ring, loop.index), tile)
                k.trigger(empty, loop.index)
            k.trigger(over, by_slot=True)
    return k


def cluster() -> KernelBuilder:
    """A tile that two blocks read: each loads a half, to both."""
    k = KernelBuilder("cluster")
    x, out = k.argument("x", "f32", 16, 16), k.argument("out", "f32", 32, 16)
    with k.parallel(1, level="cluster"), k.parallel(2, level="block") as (i,):
        full, empty, buffer = k.event(), k.event(), k.alloc("f32", 16, 16)
        with k.role("loader", 0, 1, warps=True):
            k.wait_for(empty)
            half = k.chunkat(k.subspan(x, [16, 16], [0, 0]), [2, "_"], [i, 0])
            mine = k.chunkat(buffer, [2, "_"], [i, 0])
            future = k.copy_async(half, mine, "tma", multicast=[0])
            k.trigger(full, after=[future])
        with k.role("writer", 1, 2, warps=True):
            k.trigger(empty, multicast=[0])
            k.wait_for(full)
            k.copy(buffer, k.subspan(out, [16, 16], [i, 0]))
        k.barrier(cluster=True)
    return k


def met() -> KernelBuilder:
    """Two roles that meet at a named barrier, then all blocks, in two ways."""
    k = KernelBuilder("met")
    seen, count = k.argument("seen", "i32", 4), k.argument("count", "i32", 1)
    out = k.argument("out", "i32", 2)
    with k.parallel(2, threads=64) as (i,):
        buffer = k.alloc("i32", 32)
        with k.role("first", 0, 1, warps=True):
            with k.parallel(32, level="thread") as (t,):
                k.store_element(k.constant(3, "i32"), buffer, t)
            k.barrier_arrive("there", 64)
        with k.role("second", 1, 2, warps=True):
            k.barrier_wait("there", 64)
            with k.parallel(1, level="thread") as (t,):
                three = k.load(buffer, t, order="volatile")
                k.store_element(three, seen, i, order="release", scope="gpu")
        k.grid_barrier()
        k.grid_barrier(count)
        with k.parallel(1, level="thread"):
            k.fence("acq_rel", "gpu")
            other = k.add(arith.SubiOp(k.constant(1), i)).result
            value = k.load(seen, other, order="acquire", scope="gpu")
            k.store_element(value, out, i)
    return k


def updated() -> KernelBuilder:
    """Sums, the largest value and what was there before, by all threads."""
    k = KernelBuilder("updated")
    x, out = k.argument("x", "i32", 64), k.argument("out", "i32", 4)
    old = k.argument("old", "i32", 64)
    with k.parallel(1, threads=64), k.parallel(64, level="thread") as (t,):
        value = k.load(x, t)
        before = k.atomic("add", value, out, 0, order="acq_rel", scope="gpu")
        k.store_element(before, old, t)
        k.atomic("max", value, out, 1)
        expected = k.constant(-1, "i32")
        k.atomic("cas", value, out, 2, compare=expected)
        with k.when(k.elect()):
            with k.foreach(5, lower=1, unroll=2) as loop:
                number = k.add(arith.IndexCastOp(loop.index, i32)).result
                k.atomic("add", number, out, 3)
    return k


def computed() -> KernelBuilder:
    """out = relu(lhs * rhs' + bias[n]) by two halves, and the row sums of it."""
    k = KernelBuilder("computed")
    lhs, rhs = k.argument("lhs", "f16", 64, 64), k.argument("rhs", "f16", 32, 64)
    bias, out = k.argument("bias", "f32", 32), k.argument("out", "f32", 64, 32)
    sums = k.argument("sums", "f32", 64)
    with k.parallel(1, threads=128):
        a, b = k.alloc("f16", 64, 64), k.alloc("f16", 32, 64)
        row, total = k.alloc("f32", 32), k.alloc("f32", 64)
        k.copy(lhs, a)
        k.copy(rhs, b)
        k.copy(bias, row)
        zero = k.constant(0.0, "f32")
        acc = k.mma(k.fill(0.0, 64, 32), a, b)
        acc = k.wait(k.commit(acc))
        to = k.acc_type(64, 32)
        with k.elementwise(acc, (row, [1]), to=to) as made:
            x, more = made.elements
            value = k.add(arith.AddfOp(x, more)).result
            made.value = k.add(arith.MaximumfOp(value, zero)).result
        assert made.result is not None
        o = k.alloc("f32", 64, 32)
        for half in range(2):
            cols = (16 * half, 16 * half + 16)
            k.store(made.result, k.chunkat(o, ["_", 2], [0, half]), cols)
        k.reduce("add", made.result, 1, total)
        with k.elementwise(o, to=o, positions=True) as body:
            (x,), (_, col) = body.elements, body.place
            is_first = k.add(arith.CmpiOp(col, k.constant(0), "eq")).result
            body.value = k.add(arith.SelectOp(is_first, zero, x)).result
        k.copy(o, out)
        k.copy(total, sums)
    return k


def exchanged() -> KernelBuilder:
    """What the lanes of two warps tell each other, a column for each op."""
    k = KernelBuilder("exchanged")
    x, out = k.argument("x", "i32", 64), k.argument("out", "i32", 64, 12)
    with k.parallel(1, threads=64), k.parallel(64, level="thread") as (t,):
        value, one = k.load(x, t), k.constant(1, "i32")
        odd = k.add(arith.AndIOp(value, one)).result
        is_odd = k.add(arith.CmpiOp(odd, one, "eq")).result
        k.warp_barrier()
        told = [
            k.shuffle("xor", value, one),
            k.shuffle("up", value, one, k.constant(-1, "i32")),
            k.vote("ballot", is_odd),
            k.vote("any", is_odd),
            *k.match("any", odd),
            *k.match("all", odd),
            k.redux("add", value),
            k.active_mask(),
            k.elect_lane(),
            k.lane_id(),
            k.warp_id(),
        ]
        for place, each in enumerate(told):
            if each.type != i32:
                cast = arith.IndexCastOp if each.type == t.type else arith.ExtUIOp
                each = k.add(cast(each, i32)).results[0]
            k.store_element(each, out, t, place)
    return k


def steered() -> KernelBuilder:
    """Each thread halves its number until it is odd, and counts; negative ones: -1."""
    k = KernelBuilder("steered")
    x, out = k.argument("x", "i32", 64), k.argument("out", "i32", 64)
    with k.parallel(1, threads=64), k.parallel(64, level="thread") as (t,):
        zero, one = k.constant(0, "i32"), k.constant(1, "i32")
        value = k.load(x, t)
        positive = k.add(arith.CmpiOp(value, zero, "sgt")).result
        with k.when(positive, i32) as case:
            with k.repeat(value, zero) as loop:
                odd = k.add(arith.AndIOp(loop.carried[0], one)).result
                loop.condition = k.add(arith.CmpiOp(odd, zero, "eq")).result
            with k.body_of(loop):
                half = k.add(arith.ShRSIOp(loop.carried[0], one)).result
                loop.next = (half, k.add(arith.AddiOp(loop.carried[1], one)).result)
            case.values = (loop.results[1],)
        with k.otherwise(case):
            case.values = (k.constant(-1, "i32"),)
        k.store_element(case.results[0], out, t)
        with k.when(positive) as case:
            pass
        with k.otherwise(case):
            k.store_element(zero, x, t)
        small = k.add(arith.CmpiOp(value, k.constant(1 << 20, "i32"), "slt")).result
        k.require(small, "numbers must be below 2^20")
    return k


def turned_round() -> KernelBuilder:
    """Each thread of a warpgroup gets the number of another of it."""
    k = KernelBuilder("turned_round")
    x, out = k.argument("x", "i32", 256), k.argument("out", "i32", 256)
    with k.parallel(1, threads=256):
        held = k.alloc("i32", 256)
        with k.parallel(256, level="thread") as (t,):
            k.store_element(k.load(x, t), held, t)
            k.warpgroup_barrier()
            other = k.add(arith.XOrIOp(t, k.constant(127))).result
            k.store_element(k.load(held, other), out, t)
    return k


BUILDERS: tuple[Callable[[], KernelBuilder], ...] = (
    windows,
    shapes,
    indices,
    rearranged,
    groups,
    chosen,
    roles,
    cluster,
    met,
    updated,
    computed,
    exchanged,
    steered,
    turned_round,
)
