"""Where threads and blocks meet by what integers, turns of loops and scopes do."""

from __future__ import annotations

from collections.abc import Mapping

MINE = "%m = arith.index_cast %t : index to i32\n%f = arith.sitofp %m : i32 to f32\n"
"""The number of a thread as `%m` and `%f`."""

_SHARED = (
    "%s0 = croq.load %p[0]\n%c1 = arith.constant 1 : i32\n"
    "%neg = arith.cmpi slt, %s0, %c1 : i32\n%m1 = arith.constant -1 : index\n"
)
_MODULO = (
    "%c48 = arith.constant 48 : index\n%g = arith.addi %d, %t : index\n"
    "%lower = arith.cmpi ult, %t, %c48 : index\n%h = arith.remui %g, %c48 : index\n"
    "%q = arith.select %lower, %h, %t : index\n"
)
"""48 threads at `%d + %t` modulo 48: each at its own where `%d` is not negative."""

WRAPPED: Mapping[str, str] = {
    "sign_of_one_bit": f"{MINE}%c = arith.cmpi uge, %t, %one : index\n"
    "%s = arith.extsi %c : i1 to i32\n%d = arith.index_cast %s : i32 to index\n"
    "%q = arith.addi %t, %d : index\ncroq.store %f, %a[%q]",
    "index_of_one_bit": f"{MINE}%c = arith.index_cast %t : index to i1\n"
    "%s = arith.extui %c : i1 to i32\n%q = arith.index_cast %s : i32 to index\n"
    "croq.store %f, %a[%q]",
    "index_of_eight_bits": f"{MINE}%c = arith.index_cast %t : index to i8\n"
    "%e = arith.constant 8 : i8\n%h = arith.muli %c, %e : i8\n"
    "%s = arith.extui %h : i8 to i32\n%d = arith.index_cast %s : i32 to index\n"
    "%g = arith.constant 8 : index\n%q = arith.divui %d, %g : index\n"
    "croq.store %f, %a[%q]",
    "shifted_out": f"{MINE}%c30 = arith.constant 30 : i32\n"
    "%h = arith.shli %m, %c30 : i32\n%s = arith.shrui %h, %c30 : i32\n"
    "%q = arith.index_cast %s : i32 to index\ncroq.store %f, %a[%q]",
    "product_too_long": f"{MINE}%big = arith.constant 1073741824 : i32\n"
    "%c30 = arith.constant 30 : i32\n"
    "%h = arith.muli %m, %big : i32\n%s = arith.shrui %h, %c30 : i32\n"
    "%q = arith.index_cast %s : i32 to index\ncroq.store %f, %a[%q]",
    "sum_too_long": f"{MINE}%big = arith.constant 2147483616 : i32\n"
    "%c0 = arith.constant 0 : i32\n%s = arith.addi %m, %big : i32\n"
    "%c = arith.cmpi slt, %s, %c0 : i32\nscf.if %c {\ncroq.store %f, %a[0]\n}",
    "place_from_a_turn": f"{MINE}%c0 = arith.constant 0 : i32\n"
    "%c3 = arith.constant 3 : i32\n%low = arith.constant 0.0 : f32\n"
    "%end = scf.while (%i = %c0) : (i32) -> i32 {\n"
    "%more = arith.cmpi slt, %i, %c3 : i32\nscf.condition(%more) %i : i32\n} do {\n"
    "^bb0(%i: i32):\n%j = arith.index_cast %i : i32 to index\n"
    "%r = croq.load %x[%j]\n%c = arith.cmpf ogt, %r, %low : f32\n"
    "%d = arith.extui %c : i1 to i32\n%e = arith.index_cast %d : i32 to index\n"
    "%g = arith.addi %t, %e : index\n%q = arith.remui %g, %all : index\n"
    "croq.store %f, %a[%q]\n"
    "%next = arith.addi %i, %i1 : i32\nscf.yield %next : i32\n}",
    "loop_from_below_zero": f"{MINE}%first = arith.subi %t, %last : index\n"
    "scf.for %i = %first to %one step %one {\n"
    "%q = arith.addi %i, %last : index\ncroq.store %f, %a[%q]\n}",
    "shared_index_below_zero": f"{MINE}{_SHARED}"
    "%d = arith.select %neg, %m1, %one : index\n"
    f"{_MODULO}croq.store %f, %a[%q]",
    "shared_index_of_a_branch": f"{MINE}{_SHARED}"
    "%d = scf.if %neg -> (index) {\nscf.yield %m1 : index\n} else {\n"
    f"scf.yield %one : index\n}}\n{_MODULO}croq.store %f, %a[%q]",
    "shared_index_counted_down": f"{MINE}{_SHARED}"
    "%d = croq.foreach %i in 2 iter(%e = %one) {\n"
    "%n1 = arith.subi %e, %one : index\n%n2 = arith.select %neg, %m1, %n1 : index\n"
    f"croq.yield %n2 : index\n}}\n{_MODULO}croq.store %f, %a[%q]",
    "sum_past_the_largest": f"{MINE}"
    "%s = croq.load %p[0]\n%w = arith.extui %s : i32 to i64\n"
    "%c32 = arith.constant 32 : i64\n%u = arith.shli %w, %c32 : i64\n"
    "%big = arith.constant 9223372036854775800 : i64\n%v0 = arith.ori %u, %big : i64\n"
    "%l = arith.index_cast %t : index to i64\n%sum = arith.addi %v0, %l : i64\n"
    "%c5 = arith.constant 5 : i64\n%lim = arith.addi %v0, %c5 : i64\n"
    "%c = arith.cmpi slt, %sum, %lim : i64\nscf.if %c {\n"
    "%five = arith.constant 5 : index\n%q = arith.remui %t, %five : index\n"
    "croq.store %f, %a[%q]\n}",
}
"""
Bodies of 64 threads: integers that do not fit into their bits, turns of loops that
each thread has of its own, or that begin below zero.
"""

_EACH = (
    "croq.parallel (%t) in (32) : thread {\n%m = arith.index_cast %t : index to i32\n"
)

NARROW: Mapping[str, str] = {
    "index_of_one_bit": (
        "%h = arith.index_cast %b : index to i1\n%d = arith.extui %h : i1 to i32\n"
        "%e = arith.index_cast %d : i32 to index\n%n = arith.constant 32 : index\n"
        "%v = arith.constant 1.0 : f32\n%g = arith.muli %e, %n : index\n"
        "croq.parallel (%t) in (32) : thread {\n%q = arith.addi %g, %t : index\n"
        "croq.store %v, %y[%q]\n}"
    ),
    "store_of_narrow_scope": (
        f"{_EACH}croq.store %m, %p[%t] order(relaxed) scope(cta)\n}}"
    ),
    "update_of_narrow_scope": (
        f"{_EACH}croq.atomic add %m, %p[%t] order(relaxed) scope(cta)\n}}"
    ),
    "exchange_of_narrow_scope": (
        f"{_EACH}"
        "%o = croq.atomic exch %m, %p[0] order(relaxed) scope(cta) -> i32\n"
        "croq.store %o, %p[1] order(relaxed) scope(cta)\n}"
    ),
    "some_updates_of_narrow_scope": (
        f"{_EACH}"
        "%one = arith.constant 1 : i32\n%g = arith.cmpi ugt, %m, %one : i32\n"
        "scf.if %g {\ncroq.atomic add %m, %p[%t] order(relaxed) scope(cta)\n}\n}"
    ),
}
"""Blocks of a grid of 4 by 1 that meet, where a scope or a type is too narrow."""
