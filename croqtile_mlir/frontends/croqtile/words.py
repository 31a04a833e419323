"""The words of the language."""

from __future__ import annotations

ELEMENTS = frozenset(
    "half bfp16 float double f64 f32 tf32 f16 bf16 f8 f8_e4m3 f8_e5m2 f8_ue4m3 "
    "f8_ue8m0 f6_e3m2 f6_e2m3 f4_e2m1 u64 s64 u32 s32 u16 s16 u8 s8 u6 s6 u4 s4 u2 s2 "
    "u1 bin1".split()
)
"""Element types."""

SCALARS = ELEMENTS | {"int", "bool"}
STORAGES = frozenset({"global", "shared", "local"})
ENGINES = frozenset({"dma", "tma"})
LEVELS = frozenset({"device", "cluster", "block", "group-4", "group", "thread"})

RESERVED = (
    SCALARS
    | STORAGES
    | ENGINES
    | {"group-4", "__asm__", "__co__"}
    | frozenset(
        "void auto mdspan ituple event stream frag mutable parallel with where "
        "foreach while if else inthreads wait trigger after swap rotate select "
        "return break continue yield apply sync call assert print println mma cdiv "
        "asm volatile goto true false nullptr inf".split()
    )
)
"""Words that no name can be; others are words only where the grammar asks for them."""

BUILTINS = frozenset(
    f"__{name}"
    for name in "acos asin atan atan2 ceil cos cosh exp exp2f expm1 fabs fmaf "
    "frcp_rn floor gelu isfinite round rsqrt sigmoid sign sin sinh softplus sqrt tan "
    "tanh log1p log max min pow alignup aligndown".split()
)
"""Functions of numbers."""

ATOMICS = frozenset(
    f"__atomic_{name}" for name in "add sub exch min max and or xor cas".split()
)
REDUCTIONS = {"reduce_sum": "sum", "reduce_max": "max"}
BARRIERS = {"__bar_arrive": True, "__bar_sync": False}

KNOWN_CALLS = frozenset({"croq::cuda::setreg_inc", "croq::cuda::setreg_dec"})
"""Functions of the target that have a meaning here: register budgets of roles."""

SWIZZLES = {1: 32, 2: 64, 3: 128}
"""Swizzle modes by number, which some texts write instead of bytes."""
