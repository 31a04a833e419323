"""Products by `mma.sync`: all types, forms and grids of warps, at every level."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.covering import in_turn, pairwise

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text
from pipeline.lowering import instructions, parse, passes, run
from pipeline.warp_products import Product

LEVELS = ["croq", "insert-barriers", "lower-mma", "nvvm", "ptx"]

TYPES = [
    Product(),
    Product(operand="f16", acc="f32", out="f32", start="-1.5"),
    Product(operand="f16", acc="f32", out="bf16"),
    Product(operand="f16", acc="f16", out="f16", start="0.5"),
    Product(operand="bf16", acc="f32", out="bf16"),
    Product(operand="f32", acc="f32", out="f32", depth=16),
    Product(operand="f32", acc="f32", out="f16", depth=8, start="2.0"),
    Product(operand="i8", acc="i32", out="i32", start="0", depth=64),
    Product(operand="i8", acc="i32", out="i32", start="-100000"),
]


def name_of(product: Product) -> str:
    return f"{product.operand}-{product.acc}-{product.out}-{product.depth}"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("product", TYPES, ids=name_of)
def test_types(level: str, product: Product):
    """Two tiles each way, ragged, a depth that no step divides."""
    product.check((70, 37, 2 * product.depth + 3), level=level)


GRIDS = [
    # One warp; more rows than columns; as many columns as one mma has; odd columns.
    Product(rows=16, cols=8, threads=32, depth=16),
    Product(rows=64, cols=8, threads=128, depth=16),
    Product(rows=32, cols=24, threads=32, depth=48),
    Product(rows=16, cols=64, threads=128, depth=16),
    Product(rows=96, cols=16, threads=96, depth=32),
    Product(rows=64, cols=64, threads=256, depth=128),
    Product(rows=32, cols=80, threads=64, depth=64),
]


@pytest.mark.parametrize("level", ["insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize(
    "product", GRIDS, ids=lambda p: f"{p.rows}x{p.cols}x{p.depth}-{p.threads}"
)
def test_grids(level: str, product: Product):
    shape = (product.rows + 5, product.cols + 3, 2 * product.depth)
    product.check(shape, level=level)


@pytest.mark.parametrize(
    "product",
    [
        Product(rows=32, cols=48, depth=16, threads=128),
        Product(rows=16, cols=8, depth=16, threads=32),
        Product(rows=32, cols=48, depth=32, threads=128, form="row.col"),
    ],
    ids=lambda p: f"{p.cols}-{p.form}",
)
def test_the_last_of_odd_columns(product: Product):
    """Addresses that `ldmatrix.x2` does not use are inside of the operand, too."""
    for level in ("lower-mma", "ptx"):
        product.check((product.rows, product.cols, product.depth), level=level)


@pytest.mark.parametrize(
    ("operand", "form", "level"),
    pairwise(
        *(["f16", "bf16"], ["row.col", "col.row", "col.col"]),
        ["insert-barriers", "nvvm", "ptx"],
    ),
)
def test_transposed_operands(level: str, form: str, operand: str):
    """Operands that are stored with M or N contiguous are read transposed."""
    product = Product(rows=32, cols=64, depth=32, form=form, operand=operand, out="f32")
    product.check((40, 72, 70), level=level)


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize("depth", [0, 1, 31, 32, 33, 65])
def test_trip_counts(level: str, depth: int):
    """No step, part of one, one, more."""
    Product().check((64, 32, depth), level=level)


@pytest.mark.parametrize("policy", ["late", "early", "random:1", "random:2"])
def test_orders_of_warps(policy: str):
    Product().check((70, 37, 99), policy=policy)


@pytest.mark.parametrize(
    "product",
    [Product(operand="f32", out="f32"), Product(operand="i8", acc="i32", out="i32")],
    ids=name_of,
)
def test_on_a_target_with_wgmma(product: Product):
    """Where wgmma is not used for a type, warps multiply."""
    product = replace(product, target="sm_90a", start="0")
    for level in ("croq", "insert-barriers", "nvvm"):
        product.check((70, 40, 96), level=level)


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize("threads", [32, 128])
def test_wanted_on_a_target_with_wgmma(level: str, threads: int):
    """Scopes and rows that wgmma does not take; no wgmma where it would."""
    product = Product(
        rows=threads // 2, cols=16, threads=threads, target="sm_90a", by_warps=True
    )
    product.check((product.rows + 6, 21, 67), level=level)
    module = parse(product.text, product.target)
    run(module, ",".join(passes()))
    counts = instructions(ptx_text(module))
    assert any(name.startswith("mma.sync") for name in counts)
    assert not any(name.startswith("wgmma") for name in counts)


DIRECT = [
    Product(),
    Product(out="bf16", operand="bf16"),
    Product(out="f32", cols=24, threads=64),
    Product(acc="f16", rows=32, threads=32),
    Product(operand="i8", acc="i32", out="i32", start="0"),
    Product(target="sm_90a"),
    Product(target="sm_90a", acc="f16", rows=128, threads=256),
    Product(target="sm_90a", out="f32", rows=128),
]

HALVES = """
%h0 = croq.subspan %o [64, 16] tile (0, 0)
%h1 = croq.subspan %o [64, 16] tile (0, 1)
croq.mma.store %acc cols [16, 32) => %h1
croq.mma.store %acc cols [0, 16) => %h0
"""


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize(
    "product", DIRECT, ids=lambda p: f"{p.operand}-{p.acc}-{p.out}-{p.target}"
)
def test_straight_to_global_memory(level: str, product: Product):
    """Whole tiles and parts of them, rows that allow pairs and rows that do not."""
    product = replace(product, direct=True)
    product.check((product.rows, product.cols, 32), level=level)
    product.check((product.rows + 6, product.cols + 5, 35), level=level)


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_columns_straight_to_global_memory(level: str, target: str):
    product = Product(direct=True, target=target)
    old = "croq.mma.store %acc => %o"
    assert old in product.text
    text = product.text.replace(old, HALVES)
    for cols in (32, 37, 49):
        product.check((70, cols, 35), level=level, text=text)


PROVED = ",verify-sync{undecided=error}"


@pytest.mark.parametrize(
    "product",
    [TYPES[0], GRIDS[4], replace(DIRECT[0], direct=True)],
    ids=["types", "grid", "direct"],
)
def test_proved_at_every_level(product: Product):
    """One of tiles, with explicit barriers, and the hardware's."""
    for last in ("select-engines", "insert-barriers", "check-level{level=nvvm}"):
        some = passes()[: passes().index(last) + 1]
        module = parse(product.text, product.target)
        run(module, ",".join(p for p in some if not p.startswith("verify")) + PROVED)


@pytest.mark.parametrize(
    ("product", "target"),
    in_turn(TYPES, ["sm_80", "sm_86", "sm_89"], each=1),
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_assembled(target: str, product: Product):
    """The number of products, each on a target in turn; no registers are spilled."""
    module = parse(replace(product, target=target).text, target)
    run(module, ",".join(passes()))
    ptx = ptx_text(module)
    step = {"f16": 16, "bf16": 16, "f32": 8, "i8": 32}[product.operand]
    counts = instructions(ptx)
    multiplied = sum(n for name, n in counts.items() if name.startswith("mma.sync"))
    # Four warps of 32 x 16: two tiles down, two across, for each step.
    assert multiplied == 4 * product.depth // step
    loads = sum(n for name, n in counts.items() if name.startswith("ldmatrix"))
    assert loads == 3 * product.depth // step
    if find_ptxas() is not None:
        result = assemble(ptx, target)
        assert result.spill_bytes == 0
        assert result.warnings == ()
