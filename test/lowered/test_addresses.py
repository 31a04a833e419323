"""Addresses of elements of views, lowered and executed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lowered.machine import Machine, block_of, lower, tile_addresses


@st.composite
def positions(draw: st.DrawFn, limit: int) -> tuple[str, int]:
    """An index below a limit: one that `KERNEL` defines, or a number."""
    names = {"%x": 5, "%x8": 40, "%small": 3, "%two": 2}
    fitting = [(name, value) for name, value in names.items() if value < limit]
    fixed = draw(st.integers(0, limit - 1))
    return draw(st.sampled_from([*fitting, (str(fixed), fixed)]))


KERNEL = """
croq.kernel @k () {{
  croq.parallel (%x, %y) in (9, 9) : block {{
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %x8 = arith.muli %x, %c8 : index
    %small = arith.andi %y, %c3 : index
    %two = arith.remui %x, %c3 : index
    %a = croq.alloc : {tile}
    {views}
    %p = croq.address %{last}[{row}, {col}] : !llvm.ptr<3>
    "test.use"(%p) : (!llvm.ptr<3>) -> ()
  }}
}}"""


@settings(deadline=None, max_examples=150)
@given(
    st.data(),
    st.sampled_from(
        ["swizzle<128>", "swizzle<64>", "swizzle<32>", "swizzle<none>", "row_major"]
    ),
    st.sampled_from(["f16", "f32"]),
)
def test_addresses_of_elements_of_views(data: st.DataObject, layout: str, element: str):
    stages, rows, cols = 3, 64, 192
    order = data.draw(positions(20))
    shift = data.draw(st.integers(0, 4))
    views = [f"%v0 = croq.slot %a at {order[0]} + {shift}"]
    extents, origin = [rows, cols], [0, 0]
    for number in range(data.draw(st.integers(0, 3))):
        kind = data.draw(st.sampled_from(["chunkat", "subspan", "view"]))
        source = f"%v{number}"
        if kind == "chunkat":
            chunks = [
                data.draw(st.sampled_from([c for c in (1, 2, 3, 4) if e % c == 0]))
                for e in extents
            ]
            at = [data.draw(positions(c)) if c > 1 else ("_", 0) for c in chunks]
            counts = ", ".join("_" if c == 1 else str(c) for c in chunks)
            extents = [e // c for e, c in zip(extents, chunks, strict=True)]
            units, text = extents, f"[{counts}] at"
        else:
            sizes = [data.draw(st.integers(1, e)) for e in extents]
            if kind == "subspan":
                at = [
                    data.draw(positions(e // s))
                    for e, s in zip(extents, sizes, strict=True)
                ]
                units, text = sizes, f"{sizes} tile"
            else:
                at = [
                    data.draw(positions(e - s + 1))
                    for e, s in zip(extents, sizes, strict=True)
                ]
                units, text = [1, 1], f"{sizes} from"
            extents = sizes
        origin = [o + i * u for o, (_, i), u in zip(origin, at, units, strict=True)]
        indices = ", ".join(name for name, _ in at)
        views.append(f"%v{number + 1} = croq.{kind} {source} {text} ({indices})")
    row, col = (data.draw(positions(e)) for e in extents)
    tile = f"!croq.tile<{stages}x{rows}x{cols}x{element}, shared, {layout}>"
    module = lower(
        KERNEL.format(
            tile=tile,
            views="\n".join(views),
            last=f"v{len(views) - 1}",
            row=row[0],
            col=col[0],
        )
    )
    machine = Machine(1, {"a": 1024})
    block = block_of(module)
    x, y = block.args
    machine.values |= {x: machine.full(5), y: machine.full(7)}
    machine.run(block)
    ((address,),) = machine.seen
    places = tile_addresses(f"{rows}x{cols}x{element}, {layout}", 1024)
    stage = (order[1] + shift) % stages * rows * cols * {"f16": 2, "f32": 4}[element]
    assert address[0] == places[origin[0] + row[1], origin[1] + col[1]] + stage


def test_addresses_of_elements_of_arguments():
    module = lower("""
    croq.kernel @k dims(B, M, N) (%g: !croq.tile<[B]x[M]x[N]xf32, global>) {
      croq.parallel (%x, %y) in (9, 9) : block {
        %v = croq.subspan %g [1, 8, 16] tile (%x, 2, %y)
        %w = croq.view %v [1, 4, 4] from (0, 3, 5)
        %p = croq.address %w[0, 1, 2] : !llvm.ptr<1>
        %i = arith.addi %x, %y : index
        %q = croq.address %g[%x, 3, %i] : !llvm.ptr<1>
        "test.use"(%p, %q) : (!llvm.ptr<1>, !llvm.ptr<1>) -> ()
      }
    }""")
    machine = Machine(1, {"g": 4096}, strides=(1000, 50))
    block = block_of(module)
    x, y = block.args
    machine.values |= {x: machine.full(5), y: machine.full(7)}
    machine.run(block)
    ((p, q),) = machine.seen
    assert p[0] == 4096 + 4 * (5 * 1000 + (16 + 3 + 1) * 50 + (7 * 16 + 5 + 2))
    assert q[0] == 4096 + 4 * (5 * 1000 + 3 * 50 + 12)
