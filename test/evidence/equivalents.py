"""
Why a mutant may be right: what it is that such an edit leaves as it was.

No kind of edit that takes away a wait, an arrival or a fence, or that releases earlier,
is known to be harmless: a mutant of that kind which nothing kills is one to look at.
Where a line of a kernel has a reason of its own, `OF_STATEMENTS` names it.
"""

from __future__ import annotations

import re

_AGAIN = "done twice, it has nothing left to do the second time"
_LATER = "it comes later than it could, and nobody waits for what it then delays"
_REASONS: tuple[tuple[str, str, str], ...] = (
    # Operator, op, reason; both are regular expressions for the whole name.
    (r"duplicate", r"croq\.(wait|barrier|await|mma\.commit|mma\.wait)", _AGAIN),
    (
        r"duplicate",
        r"nvvm\.(mbarrier\.try_wait|fence\..*|barrier|bar\.warp\.sync)",
        _AGAIN,
    ),
    (r"duplicate", r"nvvm\..*(commit|wait)[._]group.*", _AGAIN),
    (
        r"duplicate",
        r"croq\.trigger",
        "generations take as many arrivals as the triggers make: both arrive",
    ),
    (r"move \d down", r"croq\.trigger|nvvm\.mbarrier\.arrive", _LATER),
    (
        r"move \d down",
        r"croq\.wait|nvvm\.mbarrier\.try_wait",
        "what stands between does not need what it waits for",
    ),
    (
        r"move \d up",
        r"croq\.wait|croq\.await|nvvm\.mbarrier\.try_wait|.*wait[._]group.*",
        "it waits earlier than it must",
    ),
    (
        r"move \d down",
        r"nvvm\.mbarrier\.arrive\.expect_tx",
        "bytes may land before they are announced: the phase lacks its arrival still",
    ),
    (
        r"move \d (up|down)",
        r"croq\.barrier|nvvm\.(barrier|fence\..*|bar\.warp\.sync)",
        "what it then has on the other side need not be ordered by it",
    ),
    (
        r"move \d (up|down)",
        r"nvvm\..*commit\.group.*",
        "the same operations are in the groups that are waited for",
    ),
    (
        r"delete",
        r"nvvm\.bar\.warp\.sync",
        "the lanes have done nothing before that the arrival would publish",
    ),
    (
        r"slots [+-] 1",
        r"croq\.event",
        "generations are named by orders: with more slots than stages, or with fewer "
        "credits, the ring is limited by its other event",
    ),
    (
        r"order \+ 1",
        r"croq\.wait",
        "releases come in order: it waits for one that comes later",
    ),
    (r"order \+ 1", r"croq\.slot", "the buffer has one stage"),
    (r"toggle read", r"croq\.await|nvvm\..*wait_group", "the source is not reused yet"),
    (
        r"in flight - 1|pending - 1",
        r"croq\.mma\.wait|nvvm\..*wait[._]group.*",
        "it waits for more than it must",
    ),
    (
        r"bound \+ 1",
        r"croq\.foreach|scf\.for",
        "the step more is one of a tile that is wholly out of range",
    ),
    (r"id \+ 1", r"nvvm\.barrier", "the threads that meet there are the same"),
)


_ONE_CREDIT = "credits come one at a time: one slot is filled, or read, at any time"
_ONE_AHEAD = "the producer waits for one release more than it needs"
_SHORT_RING = "the ring of x has fewer slots, and keeps the producer from those of y"
_SWAPPED = "the message of the other role comes after it has taken the last one"

OF_STATEMENTS: tuple[tuple[str, str, str, str], ...] = (
    (
        "credits_one_by_one",
        "%x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>",
        r"stages - 1",
        _ONE_CREDIT,
    ),
    (
        "credits_one_by_one",
        "croq.trigger %free at %k + 1",
        r"move [12] up",
        "credits come one at a time: the slot that is given has long been read",
    ),
    (
        "waits_one_ahead",
        "%x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>",
        r"stages - 1",
        _ONE_AHEAD,
    ),
    ("waits_one_ahead", "croq.wait %free at %k + 1", r"order - 1", _ONE_AHEAD),
    ("waits_one_ahead", "croq.wait %free at %k + 1", r"drop offset", _ONE_AHEAD),
    ("waits_one_ahead", "croq.trigger %free at %k", r"move [12] up", _ONE_AHEAD),
    (
        "two_events_interleaved",
        "%y_s = croq.alloc : !croq.tile<[T]x16x32xf32, shared>",
        r"stages - 1",
        _SHORT_RING,
    ),
    ("two_events_interleaved", "croq.wait %y_free at %k", r"delete", _SHORT_RING),
    (
        "two_events_interleaved",
        "croq.trigger %y_free at %k",
        r"move 1 up",
        _SHORT_RING,
    ),
    ("exchange", "croq.wait %ab_free at %k", r"delete|other event", _SWAPPED),
    ("exchange", "croq.wait %ba_free at %k", r"delete|other event", _SWAPPED),
    ("exchange", "croq.trigger %ab_free at %k", r"move 1 up", _SWAPPED),
    ("exchange", "croq.trigger %ba_free at %k", r"move 1 up", _SWAPPED),
    ("third_event", "croq.wait %done", r"delete", "nothing comes after the wait"),
    ("third_event", "croq.trigger %done", r"move 1 up", "nothing comes after the wait"),
    (
        "unheard_events",
        "%progress = croq.event : !croq.event<2>",
        r"toggle ready",
        "nobody waits for the event",
    ),
    (
        "unheard_events",
        "croq.trigger %progress at %k",
        r"delete|move [12] up",
        "nobody waits for the event",
    ),
    (
        "relay",
        "%b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>",
        r"stages - 1",
        "two buffers are enough: one is filled while the other is read",
    ),
    (
        "relay",
        "croq.wait %next at %k",
        r"delete",
        "the other role has waited for it before it loaded what the next wait is for",
    ),
)
"""Of a kernel and a line of it, operators, and what makes up for the edit there."""


def reason(operator: str, op: str, kernel: str = "", line: str = "") -> str | None:
    """
    What an edit may leave as it was; None for edits that are never harmless.

    `line` is what the kernel has where the op is written.
    """
    for name, statement, operators, text in OF_STATEMENTS:
        is_there = (name, statement) == (kernel, line.strip()) and op in statement
        if is_there and re.fullmatch(operators, operator):
            return text
    for operators, ops, text in _REASONS:
        if re.fullmatch(operators, operator) and re.fullmatch(ops, op):
            return text
    return None


OPEN = "what some lanes say of accesses by other lanes of the warp"
"""
In the verdict on mutants around `nvvm.bar.warp.sync`: whether an arrival by the elected
lane covers what the other lanes did. The verifier does not decide it without that
barrier, and the simulator runs the lanes of a warp together.
"""
