"""Rules for integers and predicates (`arith`)."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.conversion import CvtOp
from croqtile_mlir.dialects.ptx.instruction import ComputeOp
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.dialects.ptx.types import (
    PREDICATE,
    GroupType,
    InstructionType,
)
from croqtile_mlir.lowering.ptx_conversion.divisions import divided, remainder
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.lowered import (
    Members,
    Negated,
    integer_bits,
)

_T = InstructionType


def _width(e: Emitter, value: SSAValue, *, least: int = 16) -> int:
    """The width of an integer that instructions compute with."""
    bits = integer_bits(value.type)
    if bits is None or not least <= bits <= 64:
        e.refuse(f"is not supported by convert-to-ptx on type {value.type}")
    return bits


def wrapped(source: Source, type: InstructionType) -> Source:
    """An immediate as an instruction of a type reads it: its value modulo the width."""
    if not isinstance(source, int) or type.bits == 1:
        return source
    low = source & ((1 << type.bits) - 1)
    if type.value.startswith("s") and low >> (type.bits - 1):
        return low - (1 << type.bits)
    return low


_COMMUTATIVE = (
    ptx.AddOp,
    ptx.MulOp,
    ptx.MinOp,
    ptx.MaxOp,
    ptx.AndOp,
    ptx.OrOp,
    ptx.XorOp,
)


def _binary(
    instruction: type[ComputeOp], letter: str, qualifiers: str = ""
) -> Callable[[Emitter, arith.SignlessIntegerBinaryOperation], None]:
    """A rule for an op on two integers of one width; the letter is that of the type."""

    def make(e: Emitter, op: arith.SignlessIntegerBinaryOperation) -> None:
        type = _T(f"{letter}{_width(e, op.result)}")
        lhs, rhs = e.source_of(op.lhs), e.source_of(op.rhs)
        lhs, rhs = wrapped(lhs, type), wrapped(rhs, type)
        if isinstance(lhs, int) and instruction in _COMMUTATIVE:
            lhs, rhs = rhs, lhs
        e.bind(
            op.result,
            e.emit(instruction(type, lhs, rhs, qualifiers=qualifiers)).result,
        )

    return make


def _division(
    instruction: type[ComputeOp],
    by_constant: Callable[[Emitter, Source, int], Source | None],
) -> Callable[[Emitter, arith.SignlessIntegerBinaryOperation], None]:
    """A rule for an unsigned division; `by_constant` makes those of 32 bits."""
    general = _binary(instruction, "u")

    def make(e: Emitter, op: arith.SignlessIntegerBinaryOperation) -> None:
        divisor, value = e.constant(op.rhs), e.source_of(op.lhs)
        found = None
        if divisor is not None and _width(e, op.result) == 32:
            found = by_constant(e, wrapped(value, _T.U32), divisor)
        if found is None:
            general(e, op)
        else:
            e.bind(op.result, found)

    return make


def _shift(
    instruction: type[ComputeOp], letter: str
) -> Callable[[Emitter, arith.SignlessIntegerBinaryOperation], None]:
    """A rule for a shift, whose amount is 32 bits wide."""

    def make(e: Emitter, op: arith.SignlessIntegerBinaryOperation) -> None:
        bits = _width(e, op.result)
        type = _T(f"{letter}{bits}")
        amount = e.source_of(op.rhs)
        if not isinstance(amount, int) and bits != 32:
            convert = CvtOp(_T.U32, _T(f"u{bits}"), amount)
            amount = e.emit(convert).result
        lhs = wrapped(e.source_of(op.lhs), type)
        e.bind(op.result, e.emit(instruction(type, lhs, amount)).result)

    return make


def _logic(
    instruction: type[ComputeOp],
) -> Callable[[Emitter, arith.SignlessIntegerBinaryOperation], None]:
    """A rule for a bitwise op on integers or on predicates."""
    on_integers = _binary(instruction, "b")

    def make(e: Emitter, op: arith.SignlessIntegerBinaryOperation) -> None:
        if integer_bits(op.result.type) != 1:
            on_integers(e, op)
            return
        a, b = e.register(op.lhs), e.register(op.rhs)
        e.bind(op.result, e.emit(instruction(_T.Predicate, a, b)).result)

    return make


def _xor(e: Emitter, op: arith.XOrIOp) -> None:
    """An exclusive or with true is a negation, which most uses take for nothing."""
    if integer_bits(op.result.type) == 1:
        for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if e.constant(other) is not None:
                negate = bool(e.constant(other))
                _bind_negated(e, op.result, value, negate)
                return
    _logic(ptx.XorOp)(e, op)


def _bind_negated(e: Emitter, result: SSAValue, value: SSAValue, negate: bool) -> None:
    lowered = e.get(value)
    if not negate:
        e.bind(result, lowered)
    elif isinstance(lowered, int):
        e.bind(result, 1 - lowered)
    elif isinstance(lowered, Negated):
        e.bind(result, lowered.predicate)
    else:
        e.bind(result, Negated(e.register(value)))


_COMPARISONS = (
    ("eq", "b"),
    ("ne", "b"),
    ("lt", "s"),
    ("le", "s"),
    ("gt", "s"),
    ("ge", "s"),
    ("lt", "u"),
    ("le", "u"),
    ("gt", "u"),
    ("ge", "u"),
)
"""Comparison and type letter for each predicate of `arith.cmpi`."""


def _compare(e: Emitter, op: arith.CmpiOp) -> None:
    comparison, letter = _COMPARISONS[op.predicate.value.data]
    if integer_bits(op.lhs.type) == 1 and letter == "b":
        a, b = e.register(op.lhs), e.register(op.rhs)
        differ = e.emit(ptx.XorOp(_T.Predicate, a, b)).result
        e.bind(op.result, differ if comparison == "ne" else Negated(differ))
        return
    type = _T(f"{letter}{_width(e, op.lhs)}")
    lhs, rhs = (e.source_of(value) for value in (op.lhs, op.rhs))
    e.bind(op.result, compare(e, type, comparison, lhs, rhs))


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare(
    e: Emitter, type: InstructionType, comparison: str, lhs: Source, rhs: Source
) -> SSAValue:
    """A predicate from a comparison, with an immediate in the second place."""
    lhs, rhs = wrapped(lhs, type), wrapped(rhs, type)
    if isinstance(lhs, int):
        lhs, rhs = rhs, lhs
        comparison = _MIRRORED.get(comparison, comparison)
    return e.emit(ptx.SetpOp(type, lhs, rhs, qualifiers=comparison)).result


def _select(e: Emitter, op: arith.SelectOp) -> None:
    known = e.constant(op.cond)
    if known is not None:
        e.bind(op.result, e.get(op.lhs if known else op.rhs))
        return
    type = e.type_of(op.result)
    predicate, negated = e.predicate(op.cond)
    a, b = (op.rhs, op.lhs) if negated else (op.lhs, op.rhs)
    if isinstance(type, GroupType):
        lanes = [
            e.emit(
                ptx.SelpOp(
                    _T(type.kind.value),
                    e.materialize(ours, type.lane),
                    e.materialize(theirs, type.lane),
                    predicate,
                )
            ).result
            for ours, theirs in zip(e.lanes(a), e.lanes(b), strict=True)
        ]
        e.bind(op.result, Members(tuple(lanes)))
        return
    if type == PREDICATE:
        both = ptx.AndOp(_T.Predicate, predicate, e.register(a))
        inverse = e.emit(ptx.NotOp(_T.Predicate, predicate)).result
        neither = ptx.AndOp(_T.Predicate, inverse, e.register(b))
        either = ptx.OrOp(_T.Predicate, e.emit(both).result, e.emit(neither).result)
        e.bind(op.result, e.emit(either).result)
        return
    sources = (e.source_of(a), e.source_of(b), predicate)
    e.bind(op.result, e.emit(ptx.SelpOp(_T(type.kind.value), *sources)).result)


def _extend(
    letter: str, all_ones: int
) -> Callable[[Emitter, arith.ExtUIOp | arith.ExtSIOp], None]:
    """A rule for an extension; of a predicate, to 0 or to `all_ones`."""

    def make(e: Emitter, op: arith.ExtUIOp | arith.ExtSIOp) -> None:
        bits, source_bits = _width(e, op.result), integer_bits(op.input.type) or 0
        known = e.constant(op.input)
        if known is not None:
            e.bind(
                op.result,
                wrapped(known, _T(f"{letter}{source_bits}"))
                if source_bits > 1
                else known * all_ones,
            )
        elif source_bits == 1:
            predicate, negated = e.predicate(op.input)
            ways = (0, all_ones) if negated else (all_ones, 0)
            selp = ptx.SelpOp(_T(f"b{bits}"), *ways, predicate)
            e.bind(op.result, e.emit(selp).result)
        else:
            cvt = CvtOp(
                _T(f"{letter}{bits}"),
                _T(f"{letter}{source_bits}"),
                e.register(op.input),
            )
            e.bind(op.result, e.emit(cvt).result)

    return make


def _truncate(e: Emitter, op: arith.TruncIOp) -> None:
    bits, source_bits = integer_bits(op.result.type) or 0, _width(e, op.input, least=8)
    known = e.constant(op.input)
    if known is not None:
        e.bind(op.result, known & ((1 << bits) - 1))
    elif bits == 1:
        source = e.register(op.input)
        low = e.emit(ptx.AndOp(_T(f"b{max(source_bits, 16)}"), source, 1)).result
        setp = ptx.SetpOp(_T(f"b{max(source_bits, 16)}"), low, 0, qualifiers="ne")
        e.bind(op.result, e.emit(setp).result)
    else:
        cvt = CvtOp(_T(f"u{bits}"), _T(f"u{source_bits}"), e.register(op.input))
        e.bind(op.result, e.emit(cvt).result)


RULES: RuleTable = dict(
    [
        rule(arith.AddiOp, _binary(ptx.AddOp, "s")),
        rule(arith.SubiOp, _binary(ptx.SubOp, "s")),
        rule(arith.MuliOp, _binary(ptx.MulOp, "s", "lo")),
        rule(arith.DivUIOp, _division(ptx.DivOp, divided)),
        rule(arith.DivSIOp, _binary(ptx.DivOp, "s")),
        rule(arith.RemUIOp, _division(ptx.RemOp, remainder)),
        rule(arith.RemSIOp, _binary(ptx.RemOp, "s")),
        rule(arith.MinUIOp, _binary(ptx.MinOp, "u")),
        rule(arith.MaxUIOp, _binary(ptx.MaxOp, "u")),
        rule(arith.MinSIOp, _binary(ptx.MinOp, "s")),
        rule(arith.MaxSIOp, _binary(ptx.MaxOp, "s")),
        rule(arith.AndIOp, _logic(ptx.AndOp)),
        rule(arith.OrIOp, _logic(ptx.OrOp)),
        rule(arith.XOrIOp, _xor),
        rule(arith.ShLIOp, _shift(ptx.ShlOp, "b")),
        rule(arith.ShRUIOp, _shift(ptx.ShrOp, "u")),
        rule(arith.ShRSIOp, _shift(ptx.ShrOp, "s")),
        rule(arith.CmpiOp, _compare),
        rule(arith.SelectOp, _select),
        rule(arith.ExtUIOp, _extend("u", 1)),
        rule(arith.ExtSIOp, _extend("s", -1)),
        rule(arith.TruncIOp, _truncate),
    ]
)
