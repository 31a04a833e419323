"""
Small kernels that are wrong where threads, blocks, roles or engines meet in memory.

None is to be called proved. Those of which the verifier cannot tell a run shows.
"""

from __future__ import annotations

from collections.abc import Mapping

from evidence.wrong_places import MINE, NARROW, WRAPPED

_HEAD = """
croq.kernel @k (%x: !croq.tile<64xf32, global>, %y: !croq.tile<64xf32, global>,
    %p: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %a = croq.alloc : !croq.tile<64xf32, shared, row_major>
    %n = croq.alloc : !croq.tile<64xi32, shared, row_major>
    croq.copy %x => %a engine(threads)
    croq.copy %p => %n engine(threads)
"""
_CONSTANTS = """
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %half = arith.constant 32 : index
    %last = arith.constant 63 : index
    %all = arith.constant 64 : index
    %v = arith.constant 2.0 : f32
    %i1 = arith.constant 1 : i32
"""

_TAIL = "croq.copy %a => %y engine(threads)\n  }\n}\n"


def _threads(text: str, *, before: str = "", level: str = "") -> str:
    body = f"croq.parallel (%t) in (64) : thread {{\n{text}\n}}"
    if level:
        body = (
            "croq.parallel (%w) in (2) : warp {\n"
            f"croq.parallel (%t) in (32) : thread {{\n{text}\n}}\n}}"
        )
    return f"{_HEAD}{_CONSTANTS}{before}{body}\n{_TAIL}"


_OTHER = "%o = arith.subi %last, %t : index\n"
_KEEP = "\ncroq.store %r, %y[%t]\n"

BODIES: Mapping[str, str] = {
    "reversed": f"{_OTHER}croq.store %v, %a[%t]\n%r = croq.load %a[%o]{_KEEP}",
    "pairs": f"{MINE}%q = arith.divui %t, %two : index\ncroq.store %f, %a[%q]",
    "halves": f"{MINE}%q = arith.remui %t, %half : index\ncroq.store %f, %a[%q]",
    "neighbours": "%q = arith.xori %t, %one : index\ncroq.store %v, %a[%t]\n"
    f"%r = croq.load %a[%q]{_KEEP}",
    "every_second": "%e = croq.view %a [32] strides [2] from (0)\n"
    "%q = arith.remui %t, %half : index\n"
    f"%r = croq.load %e[%q]\ncroq.store %v, %a[%t]{_KEEP}",
    "chunk_and_whole": "%c = croq.chunkat %a [2] at (1)\n"
    "%q = arith.divui %t, %two : index\n"
    f"%r = croq.load %c[%q]\ncroq.store %v, %a[%t]{_KEEP}",
    "other_shape": "%s = croq.span_as %a [8, 8]\n"
    "%eight = arith.constant 8 : index\n%i = arith.remui %t, %eight : index\n"
    "%j = arith.divui %t, %eight : index\n"
    f"croq.store %v, %s[%i, %j]\n%r = croq.load %a[%t]{_KEEP}",
    "barrier_of_a_warp": f"{_OTHER}croq.store %v, %a[%t]\ncroq.warp_barrier\n"
    f"%r = croq.load %a[%o]{_KEEP}",
    "shifted_by_a_loop": f"{MINE}croq.foreach %k in 4 {{\n"
    "%q = arith.addi %t, %k : index\n%s = arith.remui %q, %all : index\n"
    "croq.store %f, %a[%s]\n}",
    "loop_without_second_barrier": f"{_OTHER}croq.foreach %k in 3 {{\n"
    "croq.store %v, %a[%t]\ncroq.barrier\n%r = croq.load %a[%o]\n"
    "croq.store %r, %y[%t]\n}",
    "beside_an_atomic": "%q = arith.remui %t, %half : index\n"
    "croq.atomic add %i1, %n[%q] order(relaxed) scope(cta)\n"
    "%c = croq.load %n[%t]\ncroq.store %c, %p[%t]",
    "before_an_atomic": f"{_OTHER}croq.store %i1, %n[%t]\n"
    "croq.atomic add %i1, %n[%o] order(relaxed) scope(cta)",
    "read_before_an_atomic": f"{_OTHER}%c = croq.load %n[%t]\n"
    "croq.atomic add %i1, %n[%o] order(relaxed) scope(cta)\n"
    "croq.store %c, %p[%t]",
    "elected_and_all": "%e = croq.elect\nscf.if %e {\ncroq.store %v, %a[0]\n}\n"
    f"%r = croq.load %a[0]{_KEEP}",
    "one_lane_of_each_warp": f"{MINE}%e = croq.elect_lane\nscf.if %e {{\n"
    "croq.store %f, %a[3]\n}",
    "two_sides": "%low = arith.cmpi ult, %t, %half : index\nscf.if %low {\n"
    "croq.store %v, %a[%t]\n} else {\n%q = arith.subi %t, %half : index\n"
    "%r = croq.load %a[%q]\ncroq.store %r, %y[%t]\n}",
    "place_from_data": "%d = croq.load %n[%t]\n"
    "%i = arith.index_cast %d : i32 to index\n"
    "%q = arith.remui %i, %two : index\n"
    f"{MINE}croq.store %f, %a[%q]",
    "while_others_store": f"{_OTHER}%c0 = arith.constant 0 : i32\n"
    "%c3 = arith.constant 3 : i32\n"
    "%end = scf.while (%i = %c0) : (i32) -> i32 {\n"
    "%more = arith.cmpi slt, %i, %c3 : i32\nscf.condition(%more) %i : i32\n} do {\n"
    "^bb0(%i: i32):\n%r = croq.load %a[%o]\ncroq.store %r, %a[%t]\n"
    "%next = arith.addi %i, %i1 : i32\nscf.yield %next : i32\n}",
    "one_place": f"{MINE}croq.store %f, %a[5]",
    "window_of_neighbours": "%q = arith.remui %t, %half : index\n"
    "%w = croq.view %a [2] from (%q)\ncroq.store %v, %w[1]\n"
    f"%r = croq.load %a[%q]{_KEEP}",
}

_OWN = "%g = croq.thread_id\n" + MINE.replace("%t", "%g")
_LANES = {
    "lane_of_any_warp": f"{_OWN}croq.store %f, %a[%t]",
    "warp_of_any_lane": f"{_OWN}croq.store %f, %a[%w]",
    "next_warp": "%u = arith.xori %w, %one : index\n%h = arith.muli %w, %half : index\n"
    "%g = arith.muli %u, %half : index\n%i = arith.addi %h, %t : index\n"
    "%j = arith.addi %g, %t : index\ncroq.store %v, %a[%i]\n%r = croq.load %a[%j]\n"
    "croq.store %r, %y[%i]",
}

_GRID = """
croq.kernel @k (%x: !croq.tile<64xf32, global>, %y: !croq.tile<64xf32, global>,
    %p: !croq.tile<64xi32, global>) {{
  croq.parallel (%b, %c) in ({grid}) : block threads 32 {{
    %a = croq.alloc : !croq.tile<{size}xf32, shared, row_major>
    {text}
  }}
}}
"""


def _blocks(text: str, grid: str = "4, 1", size: int = 16) -> str:
    return _GRID.format(text=text, grid=grid, size=size)


_LOAD = "%f = croq.subspan %x [16] tile (%b)\ncroq.copy %f => %a engine(threads)\n"

BLOCKS: Mapping[str, str] = {
    "same_tile": _blocks(
        f"{_LOAD}%o = croq.subspan %y [16] tile (1)\ncroq.copy %a => %o engine(threads)"
    ),
    "index_left_out": _blocks(
        f"{_LOAD}%o = croq.subspan %y [16] tile (%b)\n"
        "croq.copy %a => %o engine(threads)",
        "4, 2",
    ),
    "windows_overlap": _blocks(
        "%f = croq.subspan %x [20] step [14] tile (%b)\n"
        "croq.copy %f => %a engine(threads)\n"
        "%o = croq.subspan %y [20] step [14] tile (%b)\n"
        "croq.copy %a => %o engine(threads)",
        size=20,
    ),
    "in_place_with_a_halo": _blocks(
        "%f = croq.subspan %x [20] step [16] tile (%b)\n"
        "croq.copy %f => %a engine(threads)\n"
        "%m = croq.subspan %a [16] tile (0)\n"
        "%o = croq.subspan %x [16] tile (%b)\ncroq.copy %m => %o engine(threads)",
        size=20,
    ),
    "turns_too_short": _blocks(
        "croq.foreach %i in %b to 4 step 3 {\n"
        "%f = croq.subspan %x [16] tile (%i)\ncroq.copy %f => %a engine(threads)\n"
        "%o = croq.subspan %y [16] tile (%i)\ncroq.copy %a => %o engine(threads)\n}"
    ),
    "element_of_all": _blocks(
        "%v = arith.constant 1.0 : f32\ncroq.parallel (%t) in (1) : thread {\n"
        "croq.store %v, %y[%t]\n}"
    ),
    "half_of_the_blocks": _blocks(
        "%two = arith.constant 2 : index\n%h = arith.remui %b, %two : index\n"
        f"{_LOAD}%o = croq.subspan %y [16] tile (%h)\n"
        "croq.copy %a => %o engine(threads)"
    ),
    "count_without_order": _blocks(
        "%one = arith.constant 1 : i32\n%three = arith.constant 3 : i32\n"
        "croq.parallel (%t) in (1) : thread {\n"
        "%m = arith.index_cast %b : index to i32\n%v = arith.sitofp %m : i32 to f32\n"
        "croq.store %v, %y[%b]\n"
        "%n = croq.atomic add %one, %p[0] order(relaxed) scope(gpu) -> i32\n"
        "%end = arith.cmpi sge, %n, %three : i32\nscf.if %end {\n"
        "%w = croq.load %y[0]\ncroq.store %w, %x[0]\n}\n}"
    ),
    "barrier_of_the_block": _blocks(
        "%one = arith.constant 1 : index\n%three = arith.constant 3 : index\n"
        "%v = arith.constant 1.0 : f32\n%n = arith.addi %b, %one : index\n"
        "%o = arith.andi %n, %three : index\n"
        "croq.parallel (%t) in (1) : thread {\ncroq.store %v, %y[%b]\n}\n"
        "croq.barrier\ncroq.parallel (%t) in (1) : thread {\n"
        "%w = croq.load %y[%o]\ncroq.store %w, %x[%b]\n}"
    ),
}

_ROLES = """
croq.kernel @k (%x: !croq.tile<64xf32, global>, %y: !croq.tile<64xf32, global>,
    %p: !croq.tile<64xi32, global>) {{
  croq.parallel (%b) in (1) : block {{
    %full = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %ring = croq.alloc : !croq.tile<2x16xf32, shared, row_major>
    %out = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %sum = croq.alloc : !croq.tile<1xf32, shared, row_major>
    croq.role "one" warps [0, 1) {{
      {one}
    }}
    croq.role "two" warps [1, 2) {{
      {two}
    }}
  }}
}}
"""
_FILL = (
    "croq.foreach %k in 4 {{\n{wait}%f = croq.subspan %x [16] tile (%k)\n"
    "%s = croq.slot %ring at %k\n{fill}\n}}"
)
_COPY = "croq.copy %f => %s engine(threads)\ncroq.trigger %full at %k"
_DOUBLE = (
    "croq.elementwise (%e = %s) => %out {\n%d = arith.addf %e, %e : f32\n"
    "croq.yield %d : f32\n}"
)
_STORE = "%o = croq.subspan %y [16] tile (%k)\ncroq.copy %out => %o engine(threads)"
_READY = "croq.wait %free at %k\n"


def _roles(fill: str, use: str, wait: str = _READY) -> str:
    one = _FILL.format(wait=wait, fill=fill)
    two = f"croq.foreach %k in 4 {{\n%s = croq.slot %ring at %k\n{use}\n}}"
    return _ROLES.format(one=one, two=two)


_DONE = "croq.trigger %free at %k"
_TAKE = "croq.wait %full at %k"

ROLES: Mapping[str, str] = {
    "elementwise_before_wait": _roles(_COPY, f"{_DOUBLE}\n{_TAKE}\n{_STORE}\n{_DONE}"),
    "released_before_elementwise": _roles(
        _COPY, f"{_TAKE}\n{_DONE}\n{_DOUBLE}\n{_STORE}"
    ),
    "reduce_without_wait": _roles(
        _COPY,
        f"croq.reduce add %s dim 0 => %sum\n{_TAKE}\n{_DONE}",
    ),
    "filled_without_wait": _roles(
        _COPY, f"{_TAKE}\n{_DOUBLE}\n{_STORE}\n{_DONE}", wait=""
    ),
    "triggered_before_copy": _roles(
        "croq.trigger %full at %k\ncroq.copy %f => %s engine(threads)",
        f"{_TAKE}\n{_DOUBLE}\n{_STORE}\n{_DONE}",
    ),
    "never_released": _roles(_COPY, f"{_TAKE}\n{_DOUBLE}\n{_STORE}"),
    "waits_for_the_next": _roles(
        _COPY, f"croq.wait %full at %k + 1\n{_DOUBLE}\n{_STORE}\n{_DONE}"
    ),
    "two_write_the_output": _roles(
        f"{_COPY}\n%o = croq.subspan %y [16] tile (%k)\n"
        "croq.copy %s => %o engine(threads)",
        f"{_TAKE}\n{_DOUBLE}\n{_STORE}\n{_DONE}",
    ),
    "fill_of_a_used_slot": _roles(
        f"{_COPY}\ncroq.fill %s, 0.0", f"{_TAKE}\n{_DOUBLE}\n{_STORE}\n{_DONE}"
    ),
    "much_later": _ROLES.format(
        one="croq.foreach %k in 4 {\n%f = croq.subspan %x [16] tile (%k)\n"
        "%s = croq.slot %ring at 0\ncroq.copy %f => %s engine(threads)\n"
        "%o = croq.subspan %y [16] tile (%k)\ncroq.copy %s => %o engine(threads)\n}",
        two="%f = croq.subspan %x [16] tile (0)\ncroq.copy %f => %out engine(threads)\n"
        "%o = croq.subspan %y [16] tile (3)\ncroq.copy %out => %o engine(threads)",
    ),
}

_ASYNC = """
croq.kernel @k (%x: !croq.tile<64xf32, global>, %y: !croq.tile<64xf32, global>,
    %p: !croq.tile<64xi32, global>) {{
  croq.parallel (%b) in (1) : block threads 64 {{
    %r0 = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %r1 = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %x0 = croq.subspan %x [16] tile (0)
    %x1 = croq.subspan %x [16] tile (1)
    %y0 = croq.subspan %y [16] tile (0)
    %y1 = croq.subspan %y [16] tile (1)
    {text}
  }}
}}
"""


def _async(text: str) -> str:
    return _ASYNC.format(text=text)


_BOTH = (
    "%f = croq.copy_async %x0 => %r0 engine({0})\n"
    "%g = croq.copy_async %x1 => %r1 engine({0})\n"
)
_OUT = "croq.copy %r0 => %y0 engine(threads)\ncroq.copy %r1 => %y1 engine(threads)"

ASYNC: Mapping[str, str] = {
    "group_still_in_flight": _async(
        "%f = croq.copy_async %x0 => %r0 engine(cp_async)\ncroq.commit_loads\n"
        f"croq.await_loads in_flight 1\n{_OUT}"
    ),
    "group_not_closed": _async(
        "%f = croq.copy_async %x0 => %r0 engine(cp_async)\n"
        "croq.await_loads in_flight 0\ncroq.copy %r0 => %y0 engine(threads)"
    ),
    "groups_in_the_wrong_order": _async(
        "%f = croq.copy_async %x0 => %r0 engine(cp_async)\ncroq.commit_loads\n"
        "%g = croq.copy_async %x1 => %r1 engine(cp_async)\ncroq.commit_loads\n"
        f"croq.await_loads in_flight 1\n{_OUT}\ncroq.await_loads in_flight 0"
    ),
    "awaits_the_other": _async(
        _BOTH.format("cp_async")
        + "croq.await %f\ncroq.copy %r1 => %y1 engine(threads)\ncroq.await %g"
    ),
    "swapped_names": _async(
        _BOTH.format("tma")
        + "%h, %i = croq.swap %f, %g\ncroq.await %i\n"
        + "croq.copy %r1 => %y1 engine(threads)\ncroq.await %h"
    ),
    "rotated_names": _async(
        _BOTH.format("tma")
        + "%h, %i = croq.rotate %f, %g\ncroq.await %i\n"
        + "croq.copy %r1 => %y1 engine(threads)\ncroq.await %h"
    ),
    "store_source_reused": _async(
        "croq.copy %x0 => %r0 engine(threads)\n"
        "%s = croq.copy_async %r0 => %y0 engine(tma)\n"
        "croq.elementwise (%e = %r0) => %r0 {\n%d = arith.addf %e, %e : f32\n"
        "croq.yield %d : f32\n}\ncroq.await %s"
    ),
    "stores_to_one_place": _async(
        "croq.foreach %k in 3 {\ncroq.await_stores in_flight 0 read\n"
        "croq.copy %x0 => %r0 engine(threads)\n"
        "%s = croq.copy_async %r0 => %y0 engine(tma)\n}\n"
        "croq.await_stores in_flight 0"
    ),
    "fills_what_lands": _async(
        "%f = croq.copy_async %x0 => %r0 engine(tma)\ncroq.fill %r0, 1.0\n"
        "croq.await %f\ncroq.copy %r0 => %y0 engine(threads)"
    ),
    "reduces_what_lands": _async(
        "%s = croq.alloc : !croq.tile<1xf32, shared, row_major>\n"
        "%f = croq.copy_async %x0 => %r0 engine(tma)\n"
        "croq.reduce max %r0 dim 0 => %s\ncroq.await %f"
    ),
}

_WARPS = "croq.parallel (%w) in (2) : warp {\n"

LEVELS: Mapping[str, str] = {
    "loads_what_its_lanes_store": f"{_WARPS}%r = croq.load %x[%w]\n"
    "croq.store %r, %a[%w]\n%s = croq.load %a[%w]\n"
    "%d = arith.addf %s, %s : f32\ncroq.store %d, %y[%w]\n}",
    "loads_what_a_lane_stores": f"{_WARPS}croq.parallel (%t) in (32) : thread {{\n"
    "%h = arith.muli %w, %half : index\n%i = arith.addi %h, %t : index\n"
    "croq.store %v, %a[%i]\n}\n%i = arith.muli %w, %half : index\n"
    "%s = croq.load %a[%i]\ncroq.store %s, %y[%w]\n}",
}
"""What all lanes of a warp do, beside what each does for itself."""

_EXPLICIT = _HEAD.replace(") {\n", ") attributes {explicit_barriers} {\n", 1)

WARPS: Mapping[str, str] = {
    "stored_and_loaded": f"{_OTHER}%w = croq.load %x[%o]\ncroq.store %w, %y[%o]\n}}\n"
    "croq.parallel (%t) in (64) : thread {\n%w = croq.load %y[%t]\n"
    "croq.store %w, %x[%t]",
    "updated_and_loaded": f"{_OTHER}"
    "croq.atomic add %i1, %p[%o] order(relaxed) scope(gpu)\n}\n"
    "croq.parallel (%t) in (64) : thread {\n%w = croq.load %p[%t]\n"
    "%g = arith.sitofp %w : i32 to f32\ncroq.store %g, %y[%t]",
}
"""What warps do to global memory where barriers are explicit, and there is none."""

WRONG: Mapping[str, str] = {
    **{f"body_{name}": _threads(text) for name, text in BODIES.items()},
    **{f"body_{n}": _threads(text, level="warp") for n, text in _LANES.items()},
    **{f"body_{name}": _threads(text) for name, text in WRAPPED.items()},
    **{f"warp_{n}": f"{_HEAD}{_CONSTANTS}{t}\n{_TAIL}" for n, t in LEVELS.items()},
    **{
        f"explicit_{name}": f"{_EXPLICIT}{_CONSTANTS}croq.barrier\n"
        f"croq.parallel (%t) in (64) : thread {{\n{text}\n}}\n}}\n}}\n"
        for name, text in WARPS.items()
    },
    **{f"blocks_{name}": text for name, text in BLOCKS.items()},
    **{f"blocks_{name}": _blocks(text) for name, text in NARROW.items()},
    **{f"roles_{name}": text for name, text in ROLES.items()},
    **{f"async_{name}": text for name, text in ASYNC.items()},
}
"""By name: 73 kernels with the arguments x and y of 64 f32, and p of 64 i32."""
