"""Atomic updates at every level, and the order that releases and acquires make."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from croqtile_mlir.compiler import source_of
from croqtile_mlir.simulator import Options, Report, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

LEVELS = ("croq", "insert-barriers", "lower-views", "nvvm", "ptx")
CHECKED = ("croq", "insert-barriers", "nvvm")
"""Levels at which synchronisation is looked at."""

Array = np.ndarray[Any, Any]


@lru_cache(maxsize=64)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def runs(text: str, level: str, *args: Any, policy: str = "rr") -> Report:
    return run(loaded(text, level), *args, options=Options(policy))


def kinds(report: Report) -> set[FaultKind]:
    return {fault.kind for fault in report.faults}


# Updates


def update(kind: str, type_: str, space: str, *, old: bool) -> str:
    """128 threads update 32 elements; each also keeps the old value, if wanted."""
    tile = "%t" if space == "shared" else "%y"
    result = f"-> {type_}" if old else ""
    shared = f"%t = croq.alloc : !croq.tile<32x{type_}, shared>"
    keep = "croq.store %o, %olds[%i]" if old else ""
    return f"""
    croq.kernel @k () (%x: !croq.tile<128x{type_}, global>,
        %y: !croq.tile<32x{type_}, global>, %olds: !croq.tile<128x{type_}, global>) {{
      croq.parallel (%b) in (1) : block threads 128 {{
        {shared if space == "shared" else ""}
        %c32 = arith.constant 32 : index
        {"croq.copy %y => %t engine(threads)" if space == "shared" else ""}
        croq.parallel (%i) in (128) : thread {{
          %v = croq.load %x[%i]
          %at = arith.remui %i, %c32 : index
          {"%o = " if old else ""}croq.atomic {kind} %v, {tile}[%at] {result}
          {keep}
        }}
        {"croq.copy %t => %y engine(threads)" if space == "shared" else ""}
      }}
    }}
    """.replace("@k ()", "@k")


DTYPES: dict[str, np.dtype[Any]] = {
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(bfloat16),
}


def combined(kind: str, old: Array, value: Array) -> Array:
    unsigned = np.dtype(f"u{old.dtype.itemsize}")
    known: dict[str, Callable[[Array, Array], Array]] = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "umin": lambda a, b: np.minimum(a.view(unsigned), b.view(unsigned)).view(
            a.dtype
        ),
        "umax": lambda a, b: np.maximum(a.view(unsigned), b.view(unsigned)).view(
            a.dtype
        ),
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "exch": lambda _, b: b,
    }
    return known[kind](old, value)


def operands(type_: str, seed: int) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    if type_.startswith("i"):
        info = np.iinfo(DTYPES[type_])
        x, y = (
            random.integers(info.min, info.max, n, DTYPES[type_]) for n in (128, 32)
        )
        return x, y
    # Small integers: sums of them are exact in any order.
    x, y = (random.integers(-8, 8, n).astype(DTYPES[type_]) for n in (128, 32))
    return x, y


INTEGER_KINDS = ("add", "min", "max", "umin", "umax", "and", "or", "xor", "exch")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("space", ["shared", "global"])
@pytest.mark.parametrize("old", [False, True], ids=["red", "atom"])
@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        *((kind, "i32") for kind in INTEGER_KINDS),
        ("umax", "i64"),
        ("min", "i64"),
        ("xor", "i64"),
        *(("add", type_) for type_ in ("i64", "f32", "f64", "f16", "bf16")),
        ("exch", "f32"),
    ],
)
def test_updates(kind: str, type_: str, space: str, old: bool, level: str) -> None:
    x, y = operands(type_, 7)
    olds = np.zeros(128, x.dtype)
    before = y.copy()
    report = runs(update(kind, type_, space, old=old), level, x, y, olds)
    assert kinds(report) == set()
    for element in range(32):
        mine = x[element::32]
        expected = before[element : element + 1]
        if kind == "exch":
            assert y[element] in mine
        else:
            for value in mine:
                expected = combined(kind, expected, np.array([value], x.dtype))
            assert y[element] == expected[0]
        if old and kind == "exch":
            # Every value but the last is found by the next.
            found = sorted([*olds[element::32].tolist(), y[element].item()])
            assert found == sorted([before[element].item(), *mine.tolist()])


@pytest.mark.parametrize("level", LEVELS)
def test_compare_and_swap(level: str) -> None:
    """Of the threads that try, one takes the place of the expected value."""
    text = """
    croq.kernel @k (%locks: !croq.tile<8xi32, global>,
        %found: !croq.tile<64xi32, global>, %free: !croq.tile<8xi32, global>) {
      croq.parallel (%b) in (1) : block threads 64 {
        %eight = arith.constant 8 : index
        %one = arith.constant 1 : i32
        croq.parallel (%i) in (64) : thread {
          %at = arith.remui %i, %eight : index
          %n = arith.index_cast %i : index to i32
          %mine = arith.addi %n, %one : i32
          %expected = croq.load %free[%at]
          %o = croq.atomic cas %expected, %mine, %locks[%at] {ORDER} -> i32
          croq.store %o, %found[%i]
        }
      }
    }
    """
    text = text.replace("{ORDER}", "order(acq_rel) scope(gpu)")
    random = np.random.default_rng(3)
    free = random.integers(-100, -1, 8, np.int32)
    locks = free.copy()
    locks[3] = 77
    found = np.zeros(64, np.int32)
    report = runs(text, level, locks, found, free)
    assert kinds(report) == set()
    assert locks[3] == 77
    for at in range(8):
        tried = found[at::8]
        if at == 3:
            assert (tried == 77).all()
            continue
        assert (tried == free[at]).sum() == 1
        winner = at + 8 * int(np.nonzero(tried == free[at])[0][0])
        assert locks[at] == winner + 1
        assert (np.delete(tried, winner // 8) == winner + 1).all()


# Order within a block


def message(
    store: str = "order(release) scope(cta)",
    load: str = "order(acquire) scope(cta)",
    before: str = "",
    after: str = "",
) -> str:
    """A role writes data and sets a flag; another waits for the flag and reads."""
    return f"""
    croq.kernel @k (%x: !croq.tile<32xi32, global>, %y: !croq.tile<32xi32, global>) {{
      croq.parallel (%b) in (1) : block {{
        %data = croq.alloc : !croq.tile<32xi32, shared>
        %flags = croq.alloc : !croq.tile<32xi32, shared>
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        croq.parallel (%t) in (32) : thread {{
          croq.store %zero, %flags[%t]
        }}
        croq.barrier
        croq.role "writer" warps [0, 1) {{
          croq.parallel (%t) in (32) : thread {{
            %v = croq.load %x[%t]
            croq.store %v, %data[%t]
            {before}
            croq.store %one, %flags[%t] {store}
          }}
        }}
        croq.role "reader" warps [1, 2) {{
          croq.parallel (%t) in (32) : thread {{
            scf.while () : () -> () {{
              %f = croq.load %flags[%t] {load}
              %waits = arith.cmpi eq, %f, %zero : i32
              scf.condition(%waits)
            }} do {{
              scf.yield
            }}
            {after}
            %v = croq.load %data[%t]
            croq.store %v, %y[%t]
          }}
        }}
      }}
    }}
    """


RELAXED = "order(relaxed) scope(cta)"
FENCE = "croq.fence order(acq_rel) scope(cta)"


@pytest.mark.parametrize("policy", ["rr", "random:1", "random:2"])
@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize(
    "text",
    [
        message(),
        message(RELAXED, RELAXED, FENCE, FENCE),
        message(RELAXED, before=FENCE),
        message(load=RELAXED, after=FENCE),
        message("order(volatile)", "order(volatile)", FENCE, FENCE),
    ],
    ids=["release-acquire", "fences", "fence-acquire", "release-fence", "volatile"],
)
def test_a_message(text: str, level: str, policy: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 32, np.int32)
    y = np.zeros(32, np.int32)
    report = runs(text, level, x, y, policy=policy)
    assert kinds(report) == set()
    assert (x == y).all()


@pytest.mark.parametrize("level", CHECKED)
@pytest.mark.parametrize(
    "text",
    [
        message(RELAXED),
        message(load=RELAXED),
        message(RELAXED, RELAXED, FENCE),
        message(RELAXED, RELAXED, after=FENCE),
        message("order(volatile)"),
    ],
    ids=["relaxed-store", "relaxed-load", "no-acquire", "no-release", "volatile"],
)
def test_a_message_without_order(text: str, level: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 32, np.int32)
    report = runs(text, level, x, np.zeros(32, np.int32))
    assert FaultKind.RACE in kinds(report)


@pytest.mark.parametrize("level", CHECKED)
def test_a_plain_flag_is_a_race(level: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 32, np.int32)
    report = runs(message(store=""), level, x, np.zeros(32, np.int32))
    assert FaultKind.RACE in kinds(report)


@pytest.mark.parametrize("level", CHECKED)
def test_a_flag_that_is_never_set_is_a_deadlock(level: str) -> None:
    text = message().replace("croq.store %one, %flags", "croq.store %zero, %flags")
    x = np.zeros(32, np.int32)
    assert FaultKind.DEADLOCK in kinds(runs(text, level, x, x.copy()))


@pytest.mark.parametrize("level", ["insert-barriers", "nvvm"])
def test_what_one_lane_acquires_others_do_not_know(level: str) -> None:
    """A single lane waits for the flag; the others need a barrier of the warp."""
    text = message().replace(
        "scf.while () : () -> () {",
        "%first = arith.cmpi eq, %t, %none : index\nscf.if %first {\n"
        "scf.while () : () -> () {",
    )
    text = text.replace(
        "%zero = arith", "%none = arith.constant 0 : index\n%zero = arith"
    )
    text = text.replace("scf.yield\n            }", "scf.yield\n            }\n}")
    text = text.replace("croq.load %flags[%t]", "croq.load %flags[31]")
    x = np.random.default_rng(0).integers(-99, 99, 32, np.int32)
    report = runs(text, level, x, np.zeros(32, np.int32))
    assert FaultKind.RACE in kinds(report)


# Order between blocks


def last_block(order: str = "acq_rel", scope: str = "gpu") -> str:
    """Blocks write what they have and count; the last one adds it all up."""
    return f"""
    croq.kernel @k dims(B) (%x: !croq.tile<[B]xi32, global>,
        %parts: !croq.tile<[B]xi32, global>, %count: !croq.tile<1xi32, global>,
        %sum: !croq.tile<1xi32, global>) {{
      %blocks = croq.dim B
      croq.parallel (%b) in (%blocks) : block threads 32 {{
        croq.parallel (%t) in (1) : thread {{
          %v = croq.load %x[%b]
          croq.store %v, %parts[%b]
          %one = arith.constant 1 : i32
          %zero = arith.constant 0 : i32
          %n = arith.index_cast %blocks : index to i32
          %others = arith.subi %n, %one : i32
          %before = croq.atomic add %one, %count[0] order({order}) scope({scope}) -> i32
          %last = arith.cmpi eq, %before, %others : i32
          scf.if %last {{
            %total = croq.foreach %i in B iter(%s = %zero) {{
              %p = croq.load %parts[%i]
              %more = arith.addi %s, %p : i32
              croq.yield %more : i32
            }}
            croq.store %total, %sum[0]
          }}
        }}
      }}
    }}
    """


@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize("policy", ["rr", "random:1", "random:2"])
@pytest.mark.parametrize("blocks", [0, 1, 2, 7])
def test_the_last_block(blocks: int, policy: str, level: str) -> None:
    x = np.random.default_rng(blocks).integers(-99, 99, blocks, np.int32)
    parts, count, total = (
        np.zeros(blocks, np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
    )
    report = runs(last_block(), level, x, parts, count, total, policy=policy)
    assert kinds(report) == set()
    assert count[0] == blocks
    assert total[0] == x.sum()


@pytest.mark.parametrize("level", CHECKED)
@pytest.mark.parametrize("order", ["relaxed", "release", "acquire"])
def test_the_last_block_without_order(order: str, level: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 4, np.int32)
    args = x, np.zeros(4, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    assert kinds(runs(last_block(order), level, *args)) == {FaultKind.RACE}


@pytest.mark.parametrize("level", CHECKED)
@pytest.mark.parametrize("scope", ["cta", "cluster"])
def test_the_last_block_with_a_narrow_scope(scope: str, level: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 4, np.int32)
    args = x, np.zeros(4, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    found = kinds(runs(last_block(scope=scope), level, *args))
    assert found == {FaultKind.SCOPE, FaultKind.RACE}
