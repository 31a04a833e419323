"""
Operations on mbarriers: 64-bit words in shared memory that count arrivals and bytes
(PTX ISA 9.7.13.15).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B32_REGISTER,
    B64_REGISTER,
    PREDICATE_REGISTER,
    Registers,
)
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    GuardedOp,
    Version,
    dotted,
)
from croqtile_mlir.dialects.ptx.memory import StateSpace, StateSpaceAttr
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    MemoryOperand,
    RegisterOrImmediate,
    Source,
    address_text,
    pack_offset,
    pack_source,
    source_text,
)
from croqtile_mlir.dialects.ptx.types import B64, PREDICATE, RegisterKind
from croqtile_mlir.targets.architecture import Feature

_SPACES = (StateSpace.Generic, StateSpace.Shared, StateSpace.Cluster)


def _check_space(space: StateSpace, allowed: tuple[StateSpace, ...]) -> None:
    if space not in allowed:
        names = ", ".join(s.value for s in allowed)
        raise VerifyException(f"space must be one of {names}, got {space.value}")


class _MbarrierOp(GuardedOp):
    """An operation on the mbarrier at an address that gives nothing back."""

    SPACES: ClassVar[tuple[StateSpace, ...]] = _SPACES[:2]
    FEATURE: ClassVar[Feature | None] = "mbarrier"

    space = prop_def(StateSpaceAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)

    @property
    def place(self) -> str:
        """The mbarrier's address in PTX."""
        return address_text(self, self.address, self.offset)

    def opcode(self, order: StringAttr | None = None) -> str:
        """The instruction's name with space and type."""
        mnemonic = self.name.removeprefix("ptx.")
        qualifier = order.data if order else None
        return dotted(mnemonic, qualifier, self.space.data.text, "b64")

    def verify_(self) -> None:
        super().verify_()
        _check_space(self.space.data, self.SPACES)


@irdl_op_definition
class MbarrierInitOp(_MbarrierOp):
    """
    An mbarrier whose phases end after `count` arrivals.

    `ptx.mbarrier.init shared [%a + 8], 4` prints `mbarrier.init.shared.b64 [%r1+8], 4;`
    """

    name = "ptx.mbarrier.init"

    count = opt_operand_def(B32_REGISTER)
    count_immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $space "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($count, type($count), $count_immediate) attr-dict"
    )

    def __init__(self, space: StateSpace, address: Address, count: Source):
        register, immediate = pack_source(count)
        super().__init__(
            operands=[register, address.base, None],
            properties={
                "space": StateSpaceAttr(space),
                "offset": pack_offset(address),
                "count_immediate": immediate,
            },
        )

    def instruction(self) -> str:
        count = source_text(self, self.count, self.count_immediate)
        return f"{self.opcode()} {self.place}, {count}"


@irdl_op_definition
class MbarrierInvalOp(_MbarrierOp):
    """
    The end of an mbarrier: its memory may serve something else.

    `ptx.mbarrier.inval shared [%a]` prints `mbarrier.inval.shared.b64 [%r1];`
    """

    name = "ptx.mbarrier.inval"

    custom_directives = (Guard, MemoryOperand)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $space "
        "custom<MemoryOperand>($address, type($address), $offset) attr-dict"
    )

    def __init__(self, space: StateSpace, address: Address):
        super().__init__(
            operands=[address.base, None],
            properties={"space": StateSpaceAttr(space), "offset": pack_offset(address)},
        )

    def instruction(self) -> str:
        return f"{self.opcode()} {self.place}"


ARRIVE_ORDERS = (
    "release.cta",
    "release.cluster",
    "relaxed.cta",
    "relaxed.cluster",
)


class _ArriveOp(_MbarrierOp):
    """An arrival whose state is dropped, with a count of arrivals or of bytes."""

    SPACES: ClassVar[tuple[StateSpace, ...]] = _SPACES
    HAS_SINK: ClassVar[bool] = True

    order = opt_prop_def(StringAttr)
    count = opt_operand_def(B32_REGISTER)
    count_immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $space (`order` $order^)? "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($count, type($count), $count_immediate) attr-dict"
    )

    def __init__(
        self,
        space: StateSpace,
        address: Address,
        count: Source,
        *,
        order: str | None = None,
    ):
        register, immediate = pack_source(count)
        super().__init__(
            operands=[register, address.base, None],
            properties={
                "space": StateSpaceAttr(space),
                "order": None if order is None else StringAttr(order),
                "offset": pack_offset(address),
                "count_immediate": immediate,
            },
        )

    def instruction(self) -> str:
        count = source_text(self, self.count, self.count_immediate)
        sink = "_, " if self.HAS_SINK else ""
        return f"{self.opcode(self.order)} {sink}{self.place}, {count}"

    def needs_version(self) -> Version:
        relaxed = self.order is not None and self.order.data.startswith("relaxed")
        return (8, 6) if relaxed else (8, 0)

    def verify_(self) -> None:
        super().verify_()
        if self.order is not None and self.order.data not in ARRIVE_ORDERS:
            raise VerifyException(
                f"order must be one of {', '.join(ARRIVE_ORDERS)}, "
                f"got {self.order.data}"
            )


@irdl_op_definition
class MbarrierArriveOp(_ArriveOp):
    """
    So many arrivals. A count of 1 is not printed, as older targets take none.

    `ptx.mbarrier.arrive if %p shared [%a], 1` prints
    `@%p1 mbarrier.arrive.shared.b64 _, [%r1];`
    """

    name = "ptx.mbarrier.arrive"

    @property
    def is_single(self) -> bool:
        """Whether this is one arrival."""
        return self.count_immediate is not None and self.count_immediate.data == 1

    def instruction(self) -> str:
        if self.is_single:
            return f"{self.opcode(self.order)} _, {self.place}"
        return super().instruction()

    def needs_feature(self) -> Feature | None:
        plain = self.is_single and self.order is None
        return self.FEATURE if plain else "mbarrier_tx"

    def needs_version(self) -> Version:
        if self.order is not None:
            return super().needs_version()
        return (7, 1) if self.is_single else (7, 8)


@irdl_op_definition
class MbarrierArriveDropOp(_ArriveOp):
    """
    So many arrivals that the later phases do not expect any more.

    `ptx.mbarrier.arrive_drop shared [%a], 1` prints
    `mbarrier.arrive_drop.shared.b64 _, [%r1], 1;`
    """

    name = "ptx.mbarrier.arrive_drop"


@irdl_op_definition
class MbarrierArriveExpectTxOp(_ArriveOp):
    """
    One arrival that makes the phase expect `count` bytes more.

    `ptx.mbarrier.arrive.expect_tx shared [%a], 32768` prints
    `mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 32768;`
    """

    name = "ptx.mbarrier.arrive.expect_tx"
    FEATURE: ClassVar[Feature | None] = "mbarrier_tx"


@irdl_op_definition
class MbarrierExpectTxOp(_ArriveOp):
    """
    The phase expects `count` bytes more.

    `ptx.mbarrier.expect_tx shared order "relaxed.cta" [%a], 64` prints
    `mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 64;`
    """

    name = "ptx.mbarrier.expect_tx"
    FEATURE: ClassVar[Feature | None] = "mbarrier_tx"
    HAS_SINK: ClassVar[bool] = False

    def needs_version(self) -> Version:
        return (8, 0)


@irdl_op_definition
class MbarrierCompleteTxOp(_ArriveOp):
    """
    As if `count` bytes had arrived.

    `ptx.mbarrier.complete_tx shared order "relaxed.cta" [%a], 64` prints
    `mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 64;`
    """

    name = "ptx.mbarrier.complete_tx"
    FEATURE: ClassVar[Feature | None] = "mbarrier_tx"
    HAS_SINK: ClassVar[bool] = False

    def needs_version(self) -> Version:
        return (8, 0)


ARRIVE_FORMS = ("arrive", "arrive.noComplete", "arrive.expect_tx", "arrive_drop")


@irdl_op_definition
class MbarrierArriveStateOp(AssemblyOp):
    """
    An arrival that gives the state of the phase, in one of the forms above.

    `%s = ptx.mbarrier.arrive_state "arrive" shared [%a], 1 : !ptx.reg<b64>` prints
    `mbarrier.arrive.shared.b64 %rd1, [%r1];`
    """

    name = "ptx.mbarrier.arrive_state"
    FEATURE: ClassVar[Feature | None] = "mbarrier"

    form = prop_def(StringAttr)
    space = prop_def(StateSpaceAttr)
    order = opt_prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    count = opt_operand_def(B32_REGISTER)
    count_immediate = opt_prop_def(IntAttr)
    result = result_def(B64_REGISTER)

    custom_directives = (MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$form $space (`order` $order^)? "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($count, type($count), $count_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        form: str,
        space: StateSpace,
        address: Address,
        count: Source,
        *,
        order: str | None = None,
    ):
        register, immediate = pack_source(count)
        super().__init__(
            operands=[address.base, register],
            result_types=[B64],
            properties={
                "form": StringAttr(form),
                "space": StateSpaceAttr(space),
                "order": None if order is None else StringAttr(order),
                "offset": pack_offset(address),
                "count_immediate": immediate,
            },
        )

    @property
    def is_single(self) -> bool:
        """Whether this is one arrival, which older targets have, too."""
        single = self.count_immediate is not None and self.count_immediate.data == 1
        return single and self.form.data == "arrive"

    def needs_feature(self) -> Feature | None:
        plain = self.is_single or self.form.data == "arrive.noComplete"
        return self.FEATURE if plain and self.order is None else "mbarrier_tx"

    def assembly_line(self) -> str | None:
        form, order = self.form.data, self.order.data if self.order else None
        opcode = dotted("mbarrier", form, order, self.space.data.text, "b64")
        place = address_text(self, self.address, self.offset)
        count = ""
        if not self.is_single:
            count = f", {source_text(self, self.count, self.count_immediate)}"
        return f"{opcode} {self.register(self.result)}, {place}{count};"

    def verify_(self) -> None:
        _check_space(self.space.data, _SPACES[:2])
        if self.form.data not in ARRIVE_FORMS:
            raise VerifyException(
                f"form must be one of {', '.join(ARRIVE_FORMS)}, got {self.form.data}"
            )


class _WaitOp(AssemblyOp):
    """Whether a phase is over; the phase is a parity (`b32`) or a state (`b64`)."""

    FEATURE: ClassVar[Feature | None] = "mbarrier"

    space = prop_def(StateSpaceAttr)
    order = opt_prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    phase = opt_operand_def(Registers((RegisterKind.B32, RegisterKind.B64)))
    parity = opt_prop_def(IntAttr)
    result = result_def(PREDICATE_REGISTER)

    custom_directives = (MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$space (`order` $order^)? "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($phase, type($phase), $parity) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        space: StateSpace,
        address: Address,
        phase: Source,
        *,
        order: str | None = None,
    ):
        register, parity = pack_source(phase)
        super().__init__(
            operands=[address.base, register],
            result_types=[PREDICATE],
            properties={
                "space": StateSpaceAttr(space),
                "order": None if order is None else StringAttr(order),
                "offset": pack_offset(address),
                "parity": parity,
            },
        )

    def assembly_line(self) -> str | None:
        waits_for_state = self.phase is not None and B64_REGISTER.verifies(
            self.phase.type
        )
        opcode = dotted(
            self.name.removeprefix("ptx."),
            None if waits_for_state else "parity",
            self.order.data if self.order else None,
            self.space.data.text,
            "b64",
        )
        place = address_text(self, self.address, self.offset)
        phase = source_text(self, self.phase, self.parity)
        return f"{opcode} {self.register(self.result)}, {place}, {phase};"

    def verify_(self) -> None:
        _check_space(self.space.data, _SPACES[:2])
        orders = tuple(f"acquire.{scope}" for scope in ("cta", "cluster"))
        if self.order is not None and self.order.data not in orders:
            raise VerifyException(
                f"order must be one of {', '.join(orders)}, got {self.order.data}"
            )


@irdl_op_definition
class MbarrierTryWaitOp(_WaitOp):
    """
    Whether the phase is over, after the hardware has waited for it for a while.

    `%p = ptx.mbarrier.try_wait shared [%a], %parity : !ptx.pred` prints
    `mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;`
    """

    name = "ptx.mbarrier.try_wait"
    FEATURE: ClassVar[Feature | None] = "mbarrier_tx"

    def needs_version(self) -> Version:
        return (8, 0) if self.order is not None else (7, 8)


@irdl_op_definition
class MbarrierTestWaitOp(_WaitOp):
    """
    Whether the phase is over now.

    `%p = ptx.mbarrier.test_wait shared [%a], %parity : !ptx.pred` prints
    `mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2;`
    """

    name = "ptx.mbarrier.test_wait"

    def needs_feature(self) -> Feature | None:
        return self.FEATURE if self.order is None else "mbarrier_tx"

    def needs_version(self) -> Version:
        return (8, 0) if self.order is not None else (7, 1)


OPS = (
    MbarrierArriveDropOp,
    MbarrierArriveExpectTxOp,
    MbarrierArriveOp,
    MbarrierArriveStateOp,
    MbarrierCompleteTxOp,
    MbarrierExpectTxOp,
    MbarrierInitOp,
    MbarrierInvalOp,
    MbarrierTestWaitOp,
    MbarrierTryWaitOp,
)
