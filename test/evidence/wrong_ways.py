"""Ways in which kernels go wrong that few iterations, or all alike, do not show."""

from __future__ import annotations

from collections.abc import Mapping

_RING = """
croq.kernel @k dims(N, M, R) (%x: !croq.tile<[N]xf32, global>,
    %y: !croq.tile<[N]xf32, global>, %of_m: !croq.tile<[M]xi32, global>,
    %of_r: !croq.tile<[R]xi32, global>) {{
  croq.parallel (%b) in (1) : block {{
    %ring = croq.alloc : !croq.tile<{slots}x16xf32, shared>
    %full = croq.event : !croq.event<{slots}>
    %empty = croq.event ready : !croq.event<{slots}>
    %tiles = croq.cdiv N, 16
    %m = croq.dim M
    %r = croq.dim R
    %two = arith.constant 2 : index
    %zero = arith.constant 0 : index
    croq.role "load" warps [0, 1) {{
      croq.foreach %k in {range} {{
        {holds}
        scf.if %holds {{
          croq.wait %empty at {order}
          %s = croq.slot %ring at {order}
          %f = croq.subspan %x [16] tile ({order})
          croq.copy %f => %s engine(threads)
          croq.trigger %full at {order}
        }}
      }}
    }}
    croq.role "store" warps [1, 2) {{
      croq.foreach %k in {range} {{
        {holds}
        scf.if %holds {{
          croq.wait %full at {order}
          %s = croq.slot %ring at {order}
          %o = croq.subspan %y [16] tile ({order})
          croq.copy %s => %o engine(threads)
          croq.trigger %empty at {order}
        }}
      }}
    }}
  }}
}}
"""
_SCALED = "%km = arith.muli %k, %m : index\n%q = arith.divui %km, %r : index\n"
_IN_PAIRS = (
    f"{_SCALED}%bit = arith.remui %q, %two : index\n"
    "%holds = arith.cmpi eq, %bit, %zero : index\n"
)
"""With M = 1 and R = 2: in two iterations, not in the next two, and so on."""


def _ring(holds: str, slots: int = 2, order: str = "%k", loop: str = "%tiles") -> str:
    return _RING.format(holds=holds, slots=slots, order=order, range=loop)


_ALONE = """
croq.kernel @k dims(N, M, R) (%x: !croq.tile<[N]xf32, global>,
    %y: !croq.tile<[N]xf32, global>, %of_m: !croq.tile<[M]xi32, global>,
    %of_r: !croq.tile<[R]xi32, global>) {{
  croq.parallel (%b) in (1) : block threads 32 {{
    %ring = croq.alloc : !croq.tile<{slots}x32xf32, shared>
    %full = croq.event : !croq.event<{slots}>
    %tiles = croq.cdiv N, 32
    %m = croq.dim M
    %r = croq.dim R
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    croq.foreach {loop} {{
      {holds}
      scf.if %holds {{
        %s = croq.slot %ring at {order}
        %f = croq.subspan %x [32] tile ({order})
        %c = croq.copy_async %f => %s engine(tma)
        croq.trigger %full at {order} after %c
        croq.wait %full at {order}
        %o = croq.subspan %y [32] tile ({order})
        croq.copy %s => %o engine(threads)
      }}
    }}
  }}
}}
"""
_OF_BRANCHES = """      %bit = arith.remui %k, %two : index
      %odd = arith.cmpi eq, %bit, %one : index
      %size = scf.if %odd -> (index) {
        scf.yield %m : index
      } else {
        scf.yield %zero : index
      }
      %scaled = arith.muli %size, %m : index
      %holds = arith.cmpi ult, %scaled, %r : index"""


def _alone(
    holds: str, slots: int, loop: str = "%k in %tiles", order: str = "%k"
) -> str:
    return _ALONE.format(holds=holds, slots=slots, loop=loop, order=order)


WAYS: Mapping[str, str] = {
    "in_pairs": _ring(_IN_PAIRS),
    "not_at_first": _ring(f"{_SCALED}%holds = arith.cmpi uge, %q, %two : index"),
    "in_every_other_step_of_two": _ring(
        f"{_IN_PAIRS}%h = arith.divui %k, %two : index", 1, "%h", "0 to 9 step 2"
    ),
    "counted_in_the_loop": _ring(_IN_PAIRS)
    .replace("in %tiles {", "in %tiles iter(%at = %zero) {")
    .replace("at %k\n", "at %at\n")
    .replace(
        "        }\n      }\n    }\n",
        "        }\n        %one = arith.constant 1 : index\n"
        "        %n = arith.addi %at, %one : index\n"
        "        croq.yield %n : index\n      }\n    }\n",
    ),
    "from_a_branch": _alone(_OF_BRANCHES, 1),
}
"""Generations are left out where the launch says so."""

ALONE: Mapping[str, str] = {
    "in_pairs": _alone(_IN_PAIRS, 2),
    "in_every_other_step_of_two": _alone(
        f"{_IN_PAIRS}%h = arith.divui %k, %two : index", 1, "%k in 0 to 9 step 2", "%h"
    ),
}
"""The same in one scope, of which each level has a model."""

COUNTED = (
    _ring(_IN_PAIRS)
    .replace("in %tiles {", "in %tiles iter(%at = %zero) {")
    .replace("scf.if %holds {", "%next = scf.if %holds -> (index) {")
    .replace("at %k\n", "at %at\n")
    .replace(
        "        }\n      }\n    }\n",
        "          %one = arith.constant 1 : index\n"
        "          %n = arith.addi %at, %one : index\n"
        "          scf.yield %n : index\n        } else {\n"
        "          scf.yield %at : index\n        }\n"
        "        croq.yield %next : index\n      }\n    }\n",
    )
)
"""The same, of which only the iterations count in which it holds: none is left out."""

_LATER = """
croq.kernel @k dims(N, M, R) (%x: !croq.tile<[N]xf32, global>,
    %y: !croq.tile<[N]xf32, global>, %of_m: !croq.tile<[M]xi32, global>,
    %of_r: !croq.tile<[R]xi32, global>) {{
  croq.parallel (%b) in (1) : block {{
    %tiles = croq.cdiv N, 16
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c30 = arith.constant 30 : index
    croq.role "one" warps [0, 1) {{
      {one}
    }}
    croq.role "other" warps [1, 2) {{
      {other}
    }}
  }}
}}
"""


def _stored(place: str, loop: str = "%tiles") -> str:
    return (
        f"croq.foreach %i in {loop} {{\n%f = arith.muli %i, %c16 : index\n{place}\n"
        "croq.parallel (%t) in (1) : thread {\n%v = arith.constant 1.0 : f32\n"
        "croq.store %v, %y[%q]\n}\n}"
    )


LATER: Mapping[str, str] = {
    "at_the_seventh_turn": _LATER.format(
        one=_stored("%q = arith.addi %i, %c7 : index", "1"),
        other=_stored("%q = arith.remui %i, %c30 : index"),
    ),
    "each_eighth_turn": _LATER.format(
        one=_stored("%q = arith.addi %f, %c7 : index"),
        other=_stored(
            "%r = arith.remui %i, %c8 : index\n%q = arith.addi %f, %r : index"
        ),
    ),
}
"""Two roles meet in a turn that comes after some in which they do not."""
