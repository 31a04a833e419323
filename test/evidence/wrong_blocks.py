"""Small kernels that are wrong between blocks; none is to be called proved."""

from __future__ import annotations

from collections.abc import Mapping

from evidence.wrong_turns import RIGHT

_KERNEL = """
croq.kernel @k dims(N) (%y: !croq.tile<[N]xi32, global>) {{
  croq.parallel (%b) in ({grid}) : block threads 32 {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %half = arith.remui %b, %two : index
    %even = arith.cmpi eq, %half, %zero : index
    {text}
  }}
}}
"""
_OFF = """
    %off = scf.if {condition} -> (index) {{
      scf.yield %one : index
    }} else {{
      scf.yield %zero : index
    }}
"""
_STORE = """
    croq.parallel (%t) in (1) : thread {{
      %v = arith.constant 1 : i32
      {place}
      croq.store %v, %y[%s]
    }}
"""
_MOVED = _STORE.format(place="%s = arith.addi %b, %off : index")


def _kernel(text: str, grid: str = "N") -> str:
    return _KERNEL.format(text=text, grid=grid)


MEET: Mapping[str, str] = {
    "one_further_if_even": _kernel(_OFF.format(condition="%even") + _MOVED),
    "one_further_without_turns": _kernel(
        "%a = croq.alloc : !croq.tile<64xi32, shared, row_major>\n"
        "croq.foreach %i in 0 to %half {\ncroq.fill %a, 0\n}\n"
        "%runs = arith.cmpi ult, %zero, %half : index\n"
        "%none = arith.cmpi eq, %half, %zero : index\n"
        + _OFF.format(condition="%runs")
        + _STORE.format(
            place="%next = arith.addi %b, %one : index\n"
            "%s = arith.subi %next, %off : index"
        )
    ),
    "one_further_in_even_turns": _kernel(
        "croq.foreach %c in %b to N step 3 {\n"
        "%r = arith.remui %c, %two : index\n"
        "%now = arith.cmpi eq, %r, %zero : index\n"
        + _OFF.format(condition="%now")
        + _STORE.format(place="%s = arith.addi %c, %off : index")
        + "}",
        "3",
    ),
    "carried_by_a_loop": _kernel(
        "%end = croq.foreach %i in 0 to N iter(%sum = %half) {\n"
        "%more = arith.addi %sum, %zero : index\ncroq.yield %more : index\n}\n"
        + _STORE.format(
            place="%far = arith.addi %b, %one : index\n"
            "%s = arith.subi %far, %end : index"
        )
    ),
    "not_in_a_block_that_is_not_there": _kernel(
        "%third = arith.cmpi eq, %b, %two : index\nscf.if %third {\n} else {\n"
        + _STORE.format(place="%s = arith.addi %zero, %zero : index")
        + "}",
        "2",
    ),
    "numbers_of_eight_bits": _kernel(
        _STORE.format(
            place="%b8 = arith.index_cast %b : index to i8\n"
            "%s = arith.index_cast %b8 : i8 to index"
        )
    ),
}
"""Two blocks write to one element."""

_BARRIER = "croq.barrier grid"

MISS: Mapping[str, str] = {
    "only_the_first": _kernel(
        f"%first = arith.cmpi ult, %b, %one : index\nscf.if %first {{\n{_BARRIER}\n}}"
    ),
    "fewer_turns": _kernel(f"croq.foreach %i in %b to 3 {{\n{_BARRIER}\n}}"),
    "more_turns_if_even": _kernel(
        _OFF.format(condition="%even")
        + f"croq.foreach %i in 0 to %off {{\n{_BARRIER}\n}}"
    ),
    "turns_in_turns": _kernel(
        f"croq.foreach %i in 2 {{\ncroq.foreach %j in 0 to %half {{\n{_BARRIER}\n}}\n}}"
    ),
}
"""Some blocks do not come to a barrier of the grid."""

EARLY = RIGHT.replace(
    "    croq.foreach %c in %b to %chunks",
    """    %two = arith.constant 2 : index
    %origin = arith.constant 0 : index
    %half = arith.remui %b, %two : index
    %even = arith.cmpi eq, %half, %origin : index
    %last = scf.if %even -> (index) {
      scf.yield %chunks : index
    } else {
      scf.yield %origin : index
    }
    croq.foreach %c in %b to %last""",
)
"""Every other block takes no turns, and those after it wait for ever."""

BELOW_ZERO = """
croq.kernel @k dims(N) (%y: !croq.tile<64xi32, global>,
    %z: !croq.tile<[N]xi32, global>) {
  croq.parallel (%b) in (1) : block threads 32 {
    %a = croq.alloc : !croq.tile<64xi32, shared, row_major>
    croq.fill %a, 0
    %n = croq.dim N
    %three = arith.constant 3 : index
    %less = arith.subi %n, %three : index
    %from = croq.cdiv %less, 1
    croq.parallel (%t) in (4) : thread {
      %v = arith.index_cast %t : index to i32
      %two = arith.constant 2 : index
      %d = arith.muli %t, %two : index
      %e = arith.addi %from, %d : index
      %q = arith.divsi %e, %two : index
      croq.store %v, %a[%q]
    }
    croq.copy %a => %y engine(threads)
  }
}
"""
"""With N = 2, -1 / 2 and 1 / 2 are one element, 0."""
