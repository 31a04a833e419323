"""Kernels whose threads meet in memory or exchange values, on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.grid_kernels import DOUBLED, FEED, PHASES, RELAYED, ROUNDS
from support.vector_atomics import CASES, vector_adds

import croqtile_mlir as croq


@pytest.mark.parametrize("n", [0, 1, 255, 1024, 1025, 100_001, 5_000_000])
def test_histogram(torch: Any, examples: Path, n: int):
    kernel = croq.compile(examples / "histogram.mlir")
    values = torch.randint(0, 256, (n,), dtype=torch.int32, device="cuda")
    counts = torch.randint(0, 99, (256,), dtype=torch.int32, device="cuda")
    expected = counts + torch.bincount(values, minlength=256).int()
    kernel(values, counts)
    assert torch.equal(counts, expected)


@pytest.mark.parametrize("blocks", [1, 2, 131, 1000])
@pytest.mark.parametrize("n", [0, 1, 257, 100_001, 5_000_000])
def test_grid_sum(torch: Any, examples: Path, n: int, blocks: int):
    kernel = croq.compile(examples / "grid_sum.mlir")
    values = torch.randn(n, device="cuda")
    parts = torch.full((blocks,), float("nan"), device="cuda")
    count = torch.zeros(1, dtype=torch.int32, device="cuda")
    sums: list[float] = []
    for _ in range(20):
        total = torch.full((1,), float("nan"), device="cuda")
        kernel(values, parts, count, total)
        sums.append(total.item())
    assert count.item() == 0
    assert len(set(sums)) == 1
    assert abs(sums[0] - values.double().sum().item()) < 1e-4 * max(1, n**0.5)


@pytest.mark.parametrize("rows", [1, 3, 4, 1001])
@pytest.mark.parametrize("cols", [1, 31, 32, 33, 777, 4096])
def test_warp_softmax(torch: Any, examples: Path, rows: int, cols: int):
    kernel = croq.compile(examples / "warp_softmax.mlir")
    values = 3 * torch.randn(rows, cols, device="cuda")
    found = torch.full_like(values, float("nan"))
    kernel(values, found)
    expected = torch.softmax(values.double(), dim=1)
    assert torch.allclose(found.double(), expected, rtol=1e-5, atol=1e-7)


SHUFFLES = """
croq.kernel @shuffles (%in: !croq.tile<64xTYPE, global>,
    %out: !croq.tile<64xTYPE, global>, %n: i32) {
  croq.parallel (%b) in (1) : block threads 64 {
    croq.parallel (%t) in (64) : thread {
      %x = croq.load %in[%t]
      %r = croq.shuffle KIND %x by %n : TYPE -> TYPE
      croq.store %r, %out[%t]
    }
  }
}
"""


@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
@pytest.mark.parametrize(
    ("type_", "dtype"),
    [("i32", "int32"), ("i64", "int64"), ("f16", "float16"), ("bf16", "bfloat16")],
)
def test_shuffles(torch: Any, kind: str, type_: str, dtype: str):
    kernel = croq.compile(SHUFFLES.replace("TYPE", type_).replace("KIND", kind))
    values = torch.randint(-(2**30), 2**30, (64,), device="cuda").to(
        getattr(torch, dtype)
    )
    lane = torch.arange(32, device="cuda")
    for n in (0, 1, 5, 16, 31):
        other = {"idx": 0 * lane + n, "up": lane - n, "down": lane + n, "xor": lane ^ n}
        at = other[kind]
        at = torch.where((at >= 0) & (at < 32), at, lane)
        found = torch.zeros_like(values)
        kernel(values, found, n)
        assert torch.equal(found, values.reshape(2, 32)[:, at].reshape(-1))


PEERS = """
croq.kernel @peers (%in: !croq.tile<64xTYPE, global>,
    %out: !croq.tile<5x64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    croq.parallel (%t) in (64) : thread {
      %x = croq.load %in[%t]
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %any = croq.match any %x : TYPE -> i32
      %all, %same = croq.match all %x : TYPE -> i32, i1
      %flag = arith.select %same, %one, %zero : i32
      %here = croq.active_mask
      %warp = croq.warp_id
      %w = arith.index_cast %warp : index to i32
      croq.store %any, %out[0, %t]
      croq.store %all, %out[1, %t]
      croq.store %flag, %out[2, %t]
      croq.store %here, %out[3, %t]
      croq.store %w, %out[4, %t]
    }
  }
}
"""


@pytest.mark.parametrize("different", [1, 2, 7])
@pytest.mark.parametrize(("type_", "dtype"), [("i32", "int32"), ("i64", "int64")])
def test_peers_of_a_lane(torch: Any, type_: str, dtype: str, different: int):
    kernel = croq.compile(PEERS.replace("TYPE", type_))
    type_of = getattr(torch, dtype)
    known = torch.randint(-(2**30), 2**30, (different,), device="cuda").to(type_of)
    if type_ == "i64":
        # Values that differ in the upper half alone, too.
        known = known[0] + (torch.arange(different, device="cuda") << 32)
    at = torch.randint(0, different, (64,), device="cuda")
    values = known[at].contiguous()
    found = torch.full((5, 64), -7, dtype=torch.int32, device="cuda")
    kernel(values, found)
    rows = values.reshape(2, 32).cpu()
    like = rows[:, :, None] == rows[:, None, :]
    bits = (like.long() << torch.arange(32)).sum(dim=2)
    assert torch.equal(found[0].cpu().long() & 0xFFFFFFFF, bits.reshape(-1))
    same = like.all(dim=2).reshape(-1).int()
    assert torch.equal(found[1].cpu(), -same)
    assert torch.equal(found[2].cpu(), same)
    assert (found[3] == -1).all()
    assert torch.equal(found[4].cpu(), (torch.arange(64) // 32).int())


ADDED = """
croq.kernel @added dims(N) (%in: !croq.tile<[N]xf64, global>,
    %sum: !croq.tile<1xf64, global>) {
  %n = croq.dim N
  croq.parallel (%b) in (%n) : block threads 32 {
    %v = croq.load %in[%b]
    croq.atomic add %v, %sum[0]
  }
}
"""


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_atomic_additions_of_doubles(torch: Any, n: int):
    kernel = croq.compile(ADDED)
    # Sums that an f32 would round, and that are exact in any order.
    values = torch.randint(0, 2**40, (n,), device="cuda").double()
    total = torch.full((1,), 0.5, dtype=torch.float64, device="cuda")
    kernel(values, total)
    assert total.item() == values.sum().item() + 0.5


COUNTED = ROUNDS.replace(
    "BARRIER", "croq.barrier grid count %count : !croq.tile<1xi32, global>"
)


@pytest.mark.parametrize("rounds", [1, 2, 33])
@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_barriers_of_the_grid(torch: Any, rounds: int, blocks: int):
    kernel = croq.compile(COUNTED)
    count = torch.zeros(1, dtype=torch.int32, device="cuda")
    for _ in range(5):
        x = torch.randint(-99, 99, (blocks,), dtype=torch.int32, device="cuda")
        y = torch.zeros((rounds, blocks), dtype=torch.int32, device="cuda")
        kernel(x, y, count)
        assert torch.equal(y, torch.stack([x.roll(-n) for n in range(rounds)]))


@pytest.mark.parametrize("rounds", [1, 33])
@pytest.mark.parametrize("blocks", [1, 2, 40])
def test_barriers_whose_count_the_launch_provides(torch: Any, rounds: int, blocks: int):
    """Launches on two streams, which may run at the same time, share no count."""
    text = COUNTED.replace(", %count: !croq.tile<1xi32, global>)", ")").replace(
        "grid count %count : !croq.tile<1xi32, global>", "grid"
    )
    kernel = croq.compile(text)
    streams = [torch.cuda.Stream() for _ in range(2)]
    found: list[tuple[Any, Any]] = []
    for number in range(40):
        x = torch.randint(-99, 99, (blocks,), dtype=torch.int32, device="cuda")
        y = torch.zeros((rounds, blocks), dtype=torch.int32, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(streams[number % 2]):
            kernel(x, y)
        found.append((x, y))
    torch.cuda.synchronize()
    for x, y in found:
        assert torch.equal(y, torch.stack([x.roll(-n) for n in range(rounds)]))


def test_a_grid_that_does_not_run_at_once_is_refused(torch: Any):
    kernel = croq.compile(COUNTED)
    count = torch.zeros(1, dtype=torch.int32, device="cuda")
    x = torch.zeros(1_000_000, dtype=torch.int32, device="cuda")
    y = torch.zeros((1, 1_000_000), dtype=torch.int32, device="cuda")
    with pytest.raises(croq.ArgumentError, match="grid must be at most"):
        kernel(x, y, count)


@pytest.mark.parametrize("n", [0, 1, 256, 1000, 1_000_003])
@pytest.mark.parametrize("blocks", [1, 3, 132])
def test_running_sum(torch: Any, examples: Path, n: int, blocks: int):
    """Every launch finds the counts of its event as the first one did."""
    kernel = croq.compile(examples / "running_sum.mlir")
    for _ in range(3):
        x = torch.randint(-(2**31), 2**31, (n,), dtype=torch.int32, device="cuda")
        sums = torch.zeros(blocks, dtype=torch.int32, device="cuda")
        y = torch.full_like(x, -1)
        kernel(x, sums, y)
        assert torch.equal(y, x.cumsum(0).to(torch.int32))


@pytest.mark.parametrize("rounds", [1, 2, 33])
@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_events_at_which_all_blocks_arrive(torch: Any, rounds: int, blocks: int):
    kernel = croq.compile(PHASES)
    for _ in range(3):
        x = torch.randint(-99, 99, (blocks,), dtype=torch.int32, device="cuda")
        y = torch.zeros((rounds, blocks), dtype=torch.int32, device="cuda")
        kernel(x, y)
        assert torch.equal(y, torch.stack([x.roll(-n) for n in range(rounds)]))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 500])
@pytest.mark.parametrize("producers", [1, 2, 100])
def test_blocks_that_feed_another(torch: Any, producers: int, n: int):
    kernel = croq.compile(FEED)
    for _ in range(3):
        x = torch.randint(
            -999, 999, (n, producers, 64), dtype=torch.int32, device="cuda"
        )
        ring = torch.zeros((2, producers, 64), dtype=torch.int32, device="cuda")
        y = torch.full((n, 64), -1, dtype=torch.int32, device="cuda")
        kernel(x, ring, y)
        assert torch.equal(y, x.sum(dim=1).to(torch.int32))


@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_tma_loads_what_other_blocks_wrote(torch: Any, blocks: int):
    kernel = croq.compile(DOUBLED)
    for _ in range(20):
        x = torch.randn((blocks, 128), device="cuda")
        middle, y = torch.zeros_like(x), torch.zeros_like(x)
        kernel(x, middle, y)
        assert torch.equal(y, (2 * x).roll(-1, 0))


@pytest.mark.parametrize("blocks", [0, 1, 100])
@pytest.mark.parametrize(("type", "count"), CASES)
def test_additions_to_neighbours(torch: Any, type: str, count: int, blocks: int):
    kernel = croq.compile(vector_adds(type, count))
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[type]
    # Sums of few ones are exact in any order, in bf16 too.
    x = (torch.rand((blocks, 128), device="cuda") < 0.5).to(dtype)
    y = torch.randint(-9, 9, (128,), device="cuda").to(dtype)
    expected = y.double() + x.double().sum(dim=0)
    kernel(x, y)
    assert torch.equal(y.double(), expected)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("blocks", [1, 2, 60])
def test_roles_that_relay_between_blocks(torch: Any, blocks: int, n: int):
    kernel = croq.compile(RELAYED)
    for _ in range(5):
        x = torch.randn((n, blocks, 64), device="cuda")
        middle, y = torch.zeros_like(x), torch.zeros_like(x)
        kernel(x, middle, y)
        assert torch.equal(y, (2 * x).roll(-1, 1))
