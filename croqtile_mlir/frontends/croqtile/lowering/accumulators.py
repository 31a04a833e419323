"""
Accumulators: a name whose SSA value changes with every statement on it.

Loops and branches carry it. Its type follows from its first product, which may stand in
a loop behind the fill: until then the fill has a type of no meaning, and `settle` puts
the right one in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.carried import entering, leaving
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import constants
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Integer,
    equal,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import check_finite
from croqtile_mlir.frontends.croqtile.lowering.types import ELEMENTS, dim_of
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Extension,
    Tile,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.lowering.retyping import retype

_OPEN_TYPE = AccType(64, 8, f32)
"""The type of an accumulator whose first product is not known."""

_ACCUMULATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"f16": ("f16", "f32"), "bf16": ("f32",), "f32": ("f32",), "s8": ("s32",)}
)
"""What products of elements of a type are accumulated in."""


@dataclass(eq=False)
class Fragment(Extension):
    """An accumulator."""

    span: Span = ast.NO_PLACE
    element: str | None = None
    """None until the first product, where the fill does not state it."""
    shape: tuple[Integer, Integer] | None = None
    fill: croq.MmaFillOp | None = None
    is_open: bool = False
    """Whether it has products that are not committed."""
    in_flight: bool = False
    """Whether it has committed products that may not be complete."""

    @property
    def ssa(self) -> SSAValue:
        """The value now."""
        return self.carried[0]


def fill(ctx: Lowering, node: ast.MmaFill) -> None:
    """`mc = mma.fill.f32 0.0f`, `mma.fill mc, 0.0f`."""
    name = node.name if node.name is not None else node.target and node.target.name
    assert name is not None
    known = ctx.scope.find(name.text)
    value = constants.number(
        ctx, node.value, "filling an accumulator with what is no number"
    )
    if node.element is not None:
        check_finite(ctx, value, node.element.name, node.value)
    if isinstance(known, Fragment):
        if node.element is not None and node.element.name != known.element:
            ctx.fail(
                Kind.TypeMismatch,
                node.element,
                f"must be the element type of {name}, {known.element}, got "
                f"{node.element.word}",
                notes=[(known.span, "it is declared here")],
            )
        op = ctx.add(croq.MmaFillOp(value, _type_of(known)), name.text)
        known.carried[0], known.is_open, known.in_flight = op.acc, False, False
        return
    if node.name is None:
        ctx.find(name)
        ctx.fail(
            Kind.TypeMismatch,
            name,
            f"{name} must be an accumulator, got {kind_of(ctx.find(name))}",
        )
    element = None if node.element is None else node.element.name
    if element not in (None, "f16", "f32", "s32"):
        ctx.fail(
            Kind.TypeMismatch,
            node.element or node,
            f"an accumulator must be of f32, f16 or s32, got {element}",
        )
    fragment = Fragment("an accumulator", name.text, span=name.span, element=element)
    op = ctx.add(croq.MmaFillOp(value, _type_of(fragment)), name.text)
    fragment.fill = op
    fragment.carried.append(op.acc)
    ctx.parts.accumulators.append(fragment)
    ctx.declare(name, fragment)


def _type_of(fragment: Fragment) -> AccType:
    rows, cols = _OPEN_TYPE.dims
    if fragment.shape is not None:
        rows, cols = map(dim_of, fragment.shape)
    element = fragment.element
    return AccType(rows, cols, f32 if element is None else ELEMENTS[element])


def fragment_of(ctx: Lowering, ref: ast.Ref) -> Fragment:
    if ref.subscripts:
        ctx.unsupported(ref, "an array of accumulators", "give each a name")
    found = ctx.find(ref.name)
    if not isinstance(found, Fragment):
        ctx.fail(
            Kind.TypeMismatch,
            ref,
            f"{ref.name} must be an accumulator, got {kind_of(found)}",
            hint=f"{ref.name} = mma.fill.f32 0.0f;",
        )
    return found


def give_type(
    ctx: Lowering,
    node: ast.MmaExec,
    fragment: Fragment,
    a: Tile,
    shape: tuple[Integer, Integer],
) -> None:
    """The type that a product gives its accumulator, or that it must have."""
    element = "f32" if a.element == "tf32" else a.element
    allowed = _ACCUMULATORS.get(element, ())
    if fragment.element is None:
        if a.element == "f16":
            ctx.reporter.remark(
                Kind.F16Accumulator,
                fragment.span,
                "an accumulator without a type has that of the operands, f16",
                hint="mma.fill.f32 accumulates in f32",
            )
        elif element not in allowed:
            ctx.fail(
                Kind.TypeMismatch,
                fragment.span,
                f"an accumulator of products of {a.element} must be of "
                f"{' or '.join(allowed) or 'no known type'}, got that of the operands",
                hint=f"mma.fill.{allowed[0]}" if allowed else None,
            )
        fragment.element = element
    elif fragment.element not in allowed:
        ctx.fail(
            Kind.TypeMismatch,
            node,
            f"products of {a.element} must be accumulated in "
            f"{' or '.join(allowed) or 'no known type'}, got {fragment.element}",
            notes=[(fragment.span, "the accumulator is made here")],
        )
    if fragment.shape is None:
        fragment.shape = shape
        return
    if not all(map(equal, fragment.shape, shape)):
        ctx.fail(
            Kind.MmaShape,
            node,
            "must have the shape of its accumulator, "
            f"[{shape_text(fragment.shape)}], got [{shape_text(shape)}]",
            notes=[(fragment.span, "the accumulator is made here")],
        )


def shape_text(shape: tuple[Integer, ...]) -> str:
    return ", ".join(map(text, shape))


def settle(fragments: list[Fragment], kernel: Operation) -> None:
    """Give all accumulators the types of their products."""
    for fragment in fragments:
        if fragment.fill is not None:
            retype(fragment.fill.acc, _type_of(fragment))
    _follow_types(kernel)


def _follow_types(root: Operation) -> None:
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                if isinstance(op, croq.MmaExecOp | croq.MmaCommitOp | croq.MmaWaitOp):
                    retype(op.result, op.acc.type)
                for carried in entering(op):
                    _follow(carried.source, carried.names)
                _follow_types(op)
                for carried in leaving(op):
                    _follow(carried.source, carried.names)


def _follow(source: SSAValue, names: tuple[SSAValue, ...]) -> None:
    if isinstance(source.type, AccType):
        for value in names:
            retype(value, source.type)
