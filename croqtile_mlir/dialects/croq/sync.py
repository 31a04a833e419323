"""Events, waits, triggers, barriers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntAttr, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.clusters import (
    IndexNumbersAttr,
    index_numbers,
    numbers_of,
    parse_multicast,
    print_multicast,
    verify_in_cluster,
    verify_multicast,
)
from croqtile_mlir.dialects.croq.index import (
    IndexListAttr,
    parse_value,
    verify_type_names,
)
from croqtile_mlir.dialects.croq.position import Position, parse_position
from croqtile_mlir.dialects.croq.types import (
    Dim,
    EventType,
    FutureType,
    LevelAttr,
    Space,
    TileType,
    print_dim,
)


@irdl_op_definition
class EventOp(IRDLOperation):
    """
    A ring of generation counters, one for each slot.

    A generation of a slot completes when all its arrivals (and the bytes bound to it)
    have come. Every slot starts with generation 0 pending, or complete when `ready`.
    The number of arrivals follows from the triggers; `arrivals` states it.

    An event of the grid (`!croq.event<S, grid>`) is one for all blocks. Each trigger of
    a block is one arrival; `arrivals` complete a generation, an integer or a value that
    is the same in all blocks, and without it as many as the grid has blocks. A block
    that waits for others needs all of them to run at once, which a launch checks.

    ```mlir
    %empty = croq.event ready : !croq.event<[S]>
    %parts = croq.event arrivals %splits : !croq.event<64, grid>
    ```
    """

    name = "croq.event"

    from_blocks = opt_operand_def(IndexType)
    ready = opt_prop_def(UnitAttr)
    arrivals = opt_prop_def(IntAttr)
    event = result_def(EventType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self,
        event_type: EventType,
        *,
        ready: bool = False,
        arrivals: int | SSAValue | None = None,
    ):
        from_blocks = arrivals if isinstance(arrivals, SSAValue) else None
        if isinstance(arrivals, SSAValue):
            arrivals = None
        super().__init__(
            operands=[from_blocks],
            result_types=[event_type],
            properties={
                "ready": UnitAttr() if ready else None,
                "arrivals": None if arrivals is None else IntAttr(arrivals),
            },
        )

    @property
    def slots(self) -> Dim:
        """The number of slots."""
        return event_type(self.event).slots

    @classmethod
    def parse(cls, parser: Parser) -> EventOp:
        ready = parser.parse_optional_keyword("ready") is not None
        arrivals: int | SSAValue | None = None
        if parser.parse_optional_keyword("arrivals") is not None:
            arrivals = parser.parse_optional_integer(allow_boolean=False)
            if arrivals is None:
                arrivals = parse_value(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pos = parser.pos
        parsed = parser.parse_type()
        if not isinstance(parsed, EventType):
            parser.raise_error(f"expected an event type, got {parsed}", pos, parser.pos)
        op = cls(parsed, ready=ready, arrivals=arrivals)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.ready is not None:
            printer.print_string(" ready")
        if self.arrivals is not None:
            printer.print_string(f" arrivals {self.arrivals.data}")
        if self.from_blocks is not None:
            printer.print_string(" arrivals ")
            printer.print_ssa_value(self.from_blocks)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.event.type)

    def verify_(self) -> None:
        names = [dim for dim in event_type(self.event).dims if isinstance(dim, str)]
        verify_type_names(self, names, params=True)
        if self.from_blocks is not None:
            self._verify_from_blocks()
        if self.arrivals is not None and self.arrivals.data < 1:
            raise VerifyException(
                f"arrivals must be positive, got {self.arrivals.data}"
            )

    def _verify_from_blocks(self) -> None:
        if self.arrivals is not None:
            raise VerifyException("arrivals must be stated once, got two")
        if not event_type(self.event).is_of_grid:
            raise VerifyException(
                "arrivals must be an integer where the event is of a block, got a value"
            )


def event_type(value: SSAValue) -> EventType:
    """The event type of a value; a VerifyException when it is not an event."""
    if not isinstance(value.type, EventType):
        raise VerifyException(f"operand must be an event, got {value.type}")
    return value.type


def _parse_event(parser: Parser) -> SSAValue:
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, EventType):
        parser.raise_error(
            f"operand must be an event, got {value.type}", pos, parser.pos
        )
    return value


def _verify_position(op: WaitOp | TriggerOp) -> None:
    op.position.verify(op, event_type(op.event).dims)


@irdl_op_definition
class WaitOp(IRDLOperation):
    """
    Blocks the executing scope until a generation is complete.

    `at order` names it: slot order mod S, generation order div S. `[slot]` is the next
    generation of that slot that this role has not waited for; a slot of an array of two
    dims has two indices. `all` is that of every slot. Without any it is `[0]` of an
    event of one slot, else `all`.

    Of an event of the grid the generation is named by `at`: a block does not know how
    often others have waited.

    ```mlir
    croq.wait %full at %k
    croq.wait %done[0]
    croq.wait %tiles[%i, %j]
    croq.wait %tiles all
    ```
    """

    name = "croq.wait"

    event = operand_def(EventType)
    order = var_operand_def(IndexType)
    static_order = prop_def(IndexListAttr)
    offset = opt_prop_def(IndexListAttr)
    by_slot = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, event: SSAValue, position: Position):
        operands, properties = position.to_op("order")
        super().__init__(operands=[event, operands], properties=properties)

    @property
    def position(self) -> Position:
        """Which generation."""
        return Position.of_op(self.order, self.static_order, self.offset, self.by_slot)

    @classmethod
    def parse(cls, parser: Parser) -> WaitOp:
        event = _parse_event(parser)
        op = cls(event, parse_position(parser, event_type(event).dims))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.event)
        self.position.print(printer)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        _verify_position(self)
        if event_type(self.event).is_of_grid and self.position.by_slot:
            raise VerifyException(
                "must name the generation of an event of the grid by its order, at .., "
                "got a slot"
            )


@irdl_op_definition
class TriggerOp(IRDLOperation):
    """
    Arrives on a generation: what the executing scope did before is visible after the
    wait.

    With `after`, the generation completes only when those copies have landed. Orders
    are those of `croq.wait`: when initial credits were triggered (they were generation
    0), the release of step k is `at %k + S`; when the event is `ready` it is `at %k`.

    When copies of `after` are `multicast`, all blocks of the cluster trigger equally
    often; a generation of a block then completes when also all bytes have landed that
    the same triggers of its peers send to it. A trigger that is `multicast` itself
    arrives on the same generation of every block of the cluster that differs from its
    own in the listed indices at most; it has no `after`.

    A trigger of an event of the grid is one arrival, after all that the threads of the
    scope did before; `all` arrives at every slot.

    ```mlir
    croq.trigger %full at %k after %fa, %fb
    croq.trigger %empty at %k + S
    croq.trigger %empty at %k + S multicast [0]
    ```
    """

    name = "croq.trigger"

    event = operand_def(EventType)
    order = var_operand_def(IndexType)
    after = var_operand_def(FutureType)
    static_order = prop_def(IndexListAttr)
    offset = opt_prop_def(IndexListAttr)
    by_slot = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(IndexNumbersAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        event: SSAValue,
        position: Position,
        after: Sequence[SSAValue] = (),
        multicast: Sequence[int] = (),
    ):
        operands, properties = position.to_op("order")
        properties["multicast"] = index_numbers(multicast)
        super().__init__(operands=[event, operands, after], properties=properties)

    @property
    def multicast_indices(self) -> tuple[int, ...]:
        """Indices of the block along which all blocks of a cluster are reached."""
        return numbers_of(self.multicast)

    @property
    def position(self) -> Position:
        """Which generation."""
        return Position.of_op(self.order, self.static_order, self.offset, self.by_slot)

    @classmethod
    def parse(cls, parser: Parser) -> TriggerOp:
        event = _parse_event(parser)
        position = parse_position(parser, event_type(event).dims)
        after: list[SSAValue] = []
        if parser.parse_optional_keyword("after") is not None:
            pos = parser.pos
            after = parser.parse_comma_separated_list(
                Parser.Delimiter.NONE, lambda: parse_value(parser)
            )
            for value in after:
                if not isinstance(value.type, FutureType):
                    parser.raise_error(
                        f"operands of after must be futures, got {value.type}",
                        pos,
                        parser.pos,
                    )
        op = cls(event, position, after, parse_multicast(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.event)
        self.position.print(printer)
        if self.after:
            printer.print_string(" after ")
            printer.print_list(self.after, printer.print_ssa_value)
        print_multicast(printer, self.multicast_indices)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        _verify_position(self)
        slots = event_type(self.event).slots
        if len(set(self.after)) != len(self.after):
            raise VerifyException(
                f"must name each future once on !croq.event<{print_dim(slots)}>"
            )
        verify_multicast(self, self.multicast)
        if self.multicast is not None and self.after:
            raise VerifyException(
                "with multicast must have no after: copies complete in their own block"
            )
        if self.position.every and self.after:
            raise VerifyException("of all slots must have no after: name the slot")
        if event_type(self.event).is_of_grid:
            self._verify_of_grid()

    def _verify_of_grid(self) -> None:
        if self.after:
            raise VerifyException(
                "of an event of the grid must have no after: copies complete in their "
                "own block, await them before it"
            )
        if self.multicast is not None:
            raise VerifyException(
                "of an event of the grid must not be multicast: all blocks have it in "
                "common"
            )


COUNT_TYPE = "!croq.tile<1xi32, global>"
"""Of what the blocks of a grid count themselves in."""


@irdl_op_definition
class WorkspaceOp(IRDLOperation):
    """
    Memory that a launch provides: elements that are 0 before the first launch, and that
    later launches on the same stream find as earlier ones have left them.

    A kernel has one.

    ```mlir
    %counts = croq.workspace : !croq.tile<6xi32, global>
    ```
    """

    name = "croq.workspace"

    result = result_def(TileType)

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, elements: int = 1) -> None:
        super().__init__(result_types=[TileType([elements], i32, Space.Global)])

    @property
    def elements(self) -> int:
        """Of 4 bytes each."""
        dims = self.result.type.static_dims
        return 0 if dims is None else dims[0]

    def verify_(self) -> None:
        tile = self.result.type
        if tile != TileType([self.elements], i32, Space.Global):
            raise VerifyException(
                f"result must be a {COUNT_TYPE} or longer, got {tile}"
            )


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """
    All threads of the executing scope (the role, else the block) meet; what they wrote
    to shared memory before is visible to all of them after.

    With `cluster` it is all threads of all blocks of the cluster; with `grid` those of
    all blocks, and what they wrote to global memory is visible to all of them after.
    Both are in the block, not in a role. The blocks of a grid count themselves in an
    element of global memory that is 0 at the first launch: the operand, or without one
    the workspace that a launch provides. All of them must run at once, which a launch
    checks.

    ```mlir
    croq.barrier
    croq.barrier cluster
    croq.barrier grid
    croq.barrier grid count %count : !croq.tile<1xi32, global>
    ```
    """

    name = "croq.barrier"

    cluster = opt_prop_def(UnitAttr)
    grid = opt_prop_def(UnitAttr)
    count = opt_operand_def(TileType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = (
        "(`cluster` $cluster^)? (`grid` $grid^)? (`count` $count^ `:` type($count))?"
        " attr-dict"
    )

    def __init__(
        self,
        *,
        cluster: bool = False,
        grid: bool = False,
        count: SSAValue | None = None,
    ) -> None:
        properties = {"cluster": cluster, "grid": grid or count is not None}
        super().__init__(
            operands=[count],
            properties={
                key: UnitAttr() for key, is_set in properties.items() if is_set
            },
        )

    def verify_(self) -> None:
        if self.cluster is not None:
            verify_in_cluster(self)
        if self.grid is not None:
            self._verify_grid()
        elif self.count is not None:
            raise VerifyException("must be of the grid to have a count")

    def _verify_grid(self) -> None:
        if self.cluster is not None:
            raise VerifyException("must be of the cluster or of the grid, got both")
        if self.count is not None and str(self.count.type) != COUNT_TYPE:
            raise VerifyException(
                f"count must be a {COUNT_TYPE}, got {self.count.type}"
            )
        parent = self.parent_op()
        while parent is not None and parent.name != "croq.kernel":
            level = parent.properties.get("level")
            divided = isinstance(level, LevelAttr) and level.data.divides_block
            if divided or parent.name == "croq.role":
                raise VerifyException(
                    "of the grid must be executed by whole blocks, got it inside "
                    f"{parent.name}"
                )
            parent = parent.parent_op()
