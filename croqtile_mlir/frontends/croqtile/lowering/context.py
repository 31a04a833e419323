"""
The state of lowering one function: where ops go, what names mean, what was wrong.

Bodies of regions are built before the ops that hold them, so an op that is put at the
end of an outer block stands before the loop that is being built (`in_block`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import lcm
from typing import NoReturn, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.integer_ops import INTEGER_OPS
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Compose,
    Const,
    Integer,
    Named,
    Op,
    Runtime,
    Variable,
    is_non_negative,
    is_per_thread,
    known,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import (
    Access,
    OpenBlock,
    Parts,
    Role,
    ThreadNest,
)
from croqtile_mlir.frontends.croqtile.lowering.scopes import Scope
from croqtile_mlir.frontends.croqtile.lowering.suggestions import did_you_mean
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Buffer,
    Int,
    Poison,
    Tile,
    Value,
)
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import Span

OpT = TypeVar("OpT", bound=Operation)

_index = IndexType()


class Refused(Exception):
    """A statement is refused; what is wrong has been reported."""


@dataclass
class Lowering:
    """Lowers one function; the parts of the front end share it."""

    reporter: Reporter
    options: FrontendOptions
    program: ast.Program
    function: ast.Function
    statements: Mapping[type[ast.Node], Callable[[Lowering, ast.Node], None]]
    """What lowers each kind of statement (`tables.py`)."""
    scope: Scope = field(default_factory=Scope)
    stack: list[OpenBlock] = field(default_factory=list[OpenBlock])
    span: Span = ast.NO_PLACE
    """Where the construct is that ops are made for."""
    dims: list[str] = field(default_factory=list[str])
    multiples: dict[str, int] = field(default_factory=dict[str, int])
    """What dims are multiples of: assertions say so, or views need it."""
    params: dict[str, int | None] = field(default_factory=dict[str, int | None])
    threads: ThreadNest | None = None
    block_level: OpenBlock | None = None
    """The body of the block of threads, once it is open: where buffers are."""
    kernel_level: OpenBlock | None = None
    kernel_is_launched: bool = False
    """Whether the outermost parallel is there already."""
    block_threads: int | None = None
    """Threads of a block where no inner level says so."""
    initials: Mapping[str, float] = field(default_factory=dict[str, float])
    """First values of results that are read before they are written."""
    initialised: dict[Buffer, Tile] = field(default_factory=dict[Buffer, Tile])
    """Global buffers whose elements start with a value."""
    accesses: list[Access] = field(default_factory=list[Access])
    """What is accessed of them."""
    exchanged: frozenset[str] = frozenset()
    """Names of futures that need handles."""
    spilled: frozenset[str] = frozenset()
    """Names of scalars that outlive the region of threads that is being built."""
    uniform: frozenset[str] = frozenset()
    """Names of scalars that are values of the scope in a parallel of threads."""
    named: dict[Integer, str] = field(default_factory=dict[Integer, str])
    """What the source calls an integer that it computes."""
    parts: Parts = field(default_factory=Parts)
    """What is known of groups, roles, products and layouts."""
    loop: object = None
    """What `break` and `continue` leave (`control.py`)."""

    # What is wrong.

    def fail(
        self,
        kind: Kind,
        where: ast.Node | Span,
        message: str,
        *,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> NoReturn:
        """Refuse the statement.

        Raises:
            Refused: always.
        """
        span = where if isinstance(where, Span) else where.span
        self.reporter.error(kind, span, message, hint=hint, notes=notes)
        raise Refused

    def unsupported(
        self, where: ast.Node | Span, what: str, hint: str | None = None
    ) -> NoReturn:
        """Refuse a construct that has no counterpart in croq, by its name."""
        self.fail(Kind.Unsupported, where, f"{what} has no counterpart", hint=hint)

    # Names.

    def find(self, name: ast.Name) -> Value:
        """What a name stands for.

        Raises:
            Refused: it is not declared, or its declaration was refused.
        """
        found = self.scope.find(name.text)
        if found is None:
            self.undefined(name)
        if isinstance(found, Poison):
            raise Refused
        changed = self.parts.changed_in_roles
        if self.parts.role is None and (role := changed.get(found)) is not None:
            self._of_a_role(name, role)
        return found

    def _of_a_role(self, name: ast.Name, role: Role) -> NoReturn:
        """Refuse what differs between the threads of a role and others."""
        self.fail(
            Kind.Unsupported,
            name,
            f"{name} behind a role that changes it has no counterpart: the threads of "
            "other roles have another value",
            hint="use it in the role, or keep it in shared memory",
            notes=[(role.span, "the role is here")],
        )

    def undefined(self, name: ast.Name) -> NoReturn:
        """Refuse a name that is not declared."""
        hint = did_you_mean(name.text, self.scope.visible())
        self.fail(
            Kind.UndefinedName,
            name,
            f"{name} must be declared before it is used",
            hint=hint,
        )

    def declare(self, name: ast.Name, value: Value) -> None:
        """Declare a name in the block of the source that is being lowered.

        Raises:
            Refused: the block has the name already.
        """
        if name.text == "_":
            self.fail(Kind.Syntax, name, "a name must not be a lone _")
        if name.text in self.scope.names:
            if isinstance(self.scope.names[name.text], Poison):
                self.scope.declare(name.text, value, name.span)
                return
            place = self.scope.places.get(name.text)
            self.fail(
                Kind.Redeclaration,
                name,
                f"{name} must be declared once in a block",
                notes=[] if place is None else [(place, "it is declared here")],
            )
        self.scope.declare(name.text, value, name.span)
        if isinstance(value, Int) and isinstance(value.value, Op | Compose):
            self.named.setdefault(value.value, name.text)

    @contextmanager
    def new_scope(self) -> Generator[Scope]:
        """A block of the source."""
        around = self.scope
        self.scope = Scope(around)
        try:
            yield self.scope
        finally:
            self.scope = around

    def demand_multiple(self, dim: str, number: int) -> None:
        """Let launches check that a dim is a multiple of a number."""
        self.multiples[dim] = lcm(self.multiples.get(dim, 1), number)

    # Ops.

    @property
    def block(self) -> Block:
        """Where ops go."""
        return self.stack[-1].block

    @property
    def inside_threads(self) -> bool:
        """Whether the region of one thread is being built."""
        return self.threads is not None and self.threads.inside

    @property
    def is_conditional(self) -> bool:
        """Whether ops that are made now may not be executed."""
        return any(opened.is_conditional for opened in self.stack)

    @property
    def location(self) -> FileLineColLoc:
        """The place of `span` as ops have it."""
        found = self.reporter.source.location(self.span)
        return FileLineColLoc(
            StringAttr(found.file), IntAttr(found.line), IntAttr(found.col)
        )

    @contextmanager
    def at(self, node: ast.Node) -> Generator[None]:
        """Ops that are made inside have the place of a node."""
        around, self.span = self.span, node.span
        try:
            yield
        finally:
            self.span = around

    def add(self, op: OpT, name: str | None = None) -> OpT:
        """Put an op at the end of the block that is being built."""
        op.location = self.location
        self.block.add_op(op)
        if name is not None and op.results:
            op.results[0].name_hint = name
        return op

    def add_in_block(self, op: OpT, name: str | None = None) -> OpT:
        """Put an op in the body of the block of threads, before what is being built."""
        if self.block_level is None:
            return self.add(op, name)
        op.location = self.location
        self.block_level.block.add_op(op)
        if name is not None and op.results:
            op.results[0].name_hint = name
        return op

    @contextmanager
    def inside(
        self, block: Block, *, is_conditional: bool = False
    ) -> Generator[OpenBlock]:
        """Ops that are made inside go to the end of a block."""
        opened = OpenBlock(block, is_conditional)
        self.stack.append(opened)
        try:
            yield opened
        finally:
            self.stack.pop()

    # Integers as operands.

    def index(self, value: Integer, name: str | None = None) -> Index:
        """An integer as an index operand: a number, a name, or a value."""
        if isinstance(value, Named):
            return value.name
        number = None if isinstance(value, Runtime) else known(value)
        return self.computed(value, name) if number is None else number

    def index_value(self, value: Integer, name: str | None = None) -> SSAValue:
        """An integer as a value of type index."""
        if isinstance(value, Named):
            return self._remembered(
                value, lambda: self.add(croq.DimOp(value.name), value.name).result
            )
        found = self.index(value, name)
        if isinstance(found, SSAValue):
            return found
        assert isinstance(found, int)
        return self._constant(Const(found))

    def computed(self, value: Integer, name: str | None = None) -> SSAValue:
        """The value of an integer that is neither a number nor a name."""
        match value:
            case Variable():
                if value.ssa is None:
                    self.not_here(value)
                return value.ssa
            case Runtime():
                if value.ssa.type == _index:
                    return value.ssa
                return self._remembered(
                    value,
                    lambda: (
                        self.add(
                            arith.IndexCastOp(value.ssa, _index), value.ssa.name_hint
                        ).result
                    ),
                )
            case _:
                return self._remembered(value, lambda: self._compute(value), name)

    def not_here(self, value: Integer) -> NoReturn:
        """Refuse an integer that differs between threads where all must agree."""
        self.fail(
            Kind.Unsupported,
            self.span,
            f"operand must be the same for all threads of the scope, got {text(value)}",
            hint="copies and barriers are executed by all threads together",
        )

    def _remembered(
        self, value: Integer, make: Callable[[], SSAValue], name: str | None = None
    ) -> SSAValue:
        for opened in self.stack:
            if (found := opened.computed.get(value)) is not None:
                return found
        made = make()
        if made.name_hint is None:
            made.name_hint = self.named.get(value, name)
        self.stack[-1].computed[value] = made
        return made

    def _constant(self, value: Const) -> SSAValue:
        return self._remembered(
            value,
            lambda: (
                self.add(
                    arith.ConstantOp(IntegerAttr(value.value, _index)),
                    f"c{value.value}" if value.value >= 0 else None,
                ).result
            ),
        )

    def _compute(self, value: Integer) -> SSAValue:
        match value:
            case Compose(parts, total):
                # An index of one value is a number, which has no bound.
                if all(isinstance(p, Variable) and known(p) is None for p in parts[1:]):
                    operands = [self.index_value(part) for part in parts]
                    return self.add(croq.ComposeOp(operands)).result
                return self.index_value(total)
            case Op("cdiv", a, b) if is_non_negative(a):
                op = croq.CDivOp(self.index(a), self.index(b))
                return self.add(op).result
            case Op("cdiv", a, b):
                rest = operation("max", operation("%", a, b), ZERO)
                up = operation("min", rest, ONE)
                return self.index_value(operation("+", operation("/", a, b), up))
            case Op(kind, a, b):
                signed, unsigned = INTEGER_OPS[kind]
                maker = (
                    unsigned if is_non_negative(a) and is_non_negative(b) else signed
                )
                made = maker(self.index_value(a), self.index_value(b))
                return self.add(made).results[0]
            case _:
                return self.index_value(value)

    def not_here_condition(self, where: ast.Node) -> NoReturn:
        """Refuse a condition that parts threads which act together."""
        self.fail(
            Kind.BarrierScope,
            where,
            "condition must be the same for all threads, as copies or barriers are "
            "under it",
        )

    def is_uniform(self, value: Integer) -> bool:
        """Whether all threads of a block have the same value of an integer."""
        return not is_per_thread(value)
