"""Ops on mbarriers: 64-bit words in shared memory that count arrivals and bytes.

Every op here is a synchronisation and has unknown effects: it is never removed,
merged, or moved across.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import BoolAttr, i1, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import MemScope, MemScopeAttr
from croqtile_mlir.dialects.nvvm.operands import (
    FALSE,
    GENERIC,
    SHARED,
    SHARED_CLUSTER,
    Value,
    address_space,
    boolean,
    check_integer,
    check_space,
    optional,
    result_if,
)


def check_scope(scope: MemScope) -> None:
    """Raise unless an mbarrier op can have this scope."""
    if scope not in (MemScope.CTA, MemScope.Cluster):
        raise VerifyException(f"scope must be cta or cluster, got {scope.value}")


@irdl_op_definition
class MbarrierInitOp(IRDLOperation):
    """Initialise an mbarrier that completes a phase after `count` arrivals.

    ```mlir
    nvvm.mbarrier.init %bar, %count : !llvm.ptr<3>, i32
    ```
    """

    name = "nvvm.mbarrier.init"

    addr = operand_def(LLVMPointerType)
    count = operand_def(i32)
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$addr `,` $count (`,` `predicate` `=` $predicate^)? attr-dict"
        " `:` type(operands)"
    )

    def __init__(self, addr: Value, count: Value, predicate: Value | None = None):
        super().__init__(operands=[addr, count, optional(predicate)])

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)


@irdl_op_definition
class MbarrierInvalOp(IRDLOperation):
    """Invalidate an mbarrier, so that its memory may be used for something else.

    ```mlir
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    ```
    """

    name = "nvvm.mbarrier.inval"

    addr = operand_def(LLVMPointerType)

    assembly_format = "$addr attr-dict `:` type($addr)"

    def __init__(self, addr: Value):
        super().__init__(operands=[addr])

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)


class _ArriveOp(IRDLOperation, ABC):
    """An arrival with an optional count and an optional state as its result."""

    addr = operand_def(LLVMPointerType)
    count = opt_operand_def(i32)
    scope = prop_def(MemScopeAttr, default_value=MemScopeAttr(MemScope.CTA))
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    state = opt_result_def(i64)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$addr (`,` $count^)? attr-dict `:` type($addr) (`->` type($state)^)?"
    )

    def __init__(
        self,
        addr: Value,
        count: Value | None = None,
        *,
        scope: MemScope = MemScope.CTA,
        relaxed: bool = False,
        state: bool = False,
    ):
        super().__init__(
            operands=[addr, optional(count)],
            properties={"scope": MemScopeAttr(scope), "relaxed": boolean(relaxed)},
            result_types=[result_if(state, i64)],
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED, SHARED_CLUSTER)
        check_scope(self.scope.data)
        if self.state is not None and address_space(self.addr.type) == SHARED_CLUSTER:
            raise VerifyException(
                "on shared::cluster memory must not have a result, got one"
            )


@irdl_op_definition
class MbarrierArriveOp(_ArriveOp):
    """Arrive at an mbarrier, once or `count` times.

    A remote mbarrier (`!llvm.ptr<7>`, from `nvvm.mapa`) gives no state. With
    `scope = cluster` the instruction names its scope, which costs a fence; a plain
    arrive on a remote mbarrier is enough to release a buffer.

    ```mlir
    nvvm.mbarrier.arrive %bar : !llvm.ptr<3>
    %state = nvvm.mbarrier.arrive %bar, %n : !llvm.ptr<3> -> i64
    nvvm.mbarrier.arrive %bar {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    ```
    """

    name = "nvvm.mbarrier.arrive"


@irdl_op_definition
class MbarrierArriveDropOp(_ArriveOp):
    """Arrive, and lower the count that later phases expect.

    ```mlir
    nvvm.mbarrier.arrive_drop %bar : !llvm.ptr<3>
    ```
    """

    name = "nvvm.mbarrier.arrive_drop"


@irdl_op_definition
class MbarrierArriveNocompleteOp(IRDLOperation):
    """Arrive `count` times where that cannot complete the phase.

    ```mlir
    %state = nvvm.mbarrier.arrive.nocomplete %bar, %n : !llvm.ptr<3>, i32 -> i64
    ```
    """

    name = "nvvm.mbarrier.arrive.nocomplete"

    addr = operand_def(LLVMPointerType)
    count = operand_def(i32)
    state = result_def(i64)

    assembly_format = "$addr `,` $count attr-dict `:` type(operands) `->` type($state)"

    def __init__(self, addr: Value, count: Value):
        super().__init__(operands=[addr, count], result_types=[i64])

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)


@irdl_op_definition
class MbarrierArriveExpectTxOp(IRDLOperation):
    """Arrive once, and add `bytes` to what the current phase waits for.

    ```mlir
    nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
    ```
    """

    name = "nvvm.mbarrier.arrive.expect_tx"

    addr = operand_def(LLVMPointerType)
    bytes = operand_def(i32)
    predicate = opt_operand_def(i1)
    scope = prop_def(MemScopeAttr, default_value=MemScopeAttr(MemScope.CTA))
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    state = opt_result_def(i64)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$addr `,` $bytes (`,` `predicate` `=` $predicate^)? attr-dict"
        " `:` type(operands) (`->` type($state)^)?"
    )

    def __init__(
        self,
        addr: Value,
        bytes: Value,
        predicate: Value | None = None,
        *,
        scope: MemScope = MemScope.CTA,
        relaxed: bool = False,
        state: bool = False,
    ):
        super().__init__(
            operands=[addr, bytes, optional(predicate)],
            properties={"scope": MemScopeAttr(scope), "relaxed": boolean(relaxed)},
            result_types=[result_if(state, i64)],
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED, SHARED_CLUSTER)
        check_scope(self.scope.data)
        if self.state is not None and address_space(self.addr.type) == SHARED_CLUSTER:
            raise VerifyException(
                "on shared::cluster memory must not have a result, got one"
            )
        if self.predicate is None:
            return
        if self.state is not None:
            raise VerifyException("with a predicate must not have a result, got one")
        if self.scope.data is not MemScope.CTA or self.relaxed != FALSE:
            raise VerifyException(
                "with a predicate must have scope cta and not be relaxed, got scope"
                f" {self.scope.data.value} and relaxed = {self.relaxed}"
            )


class _TxOp(IRDLOperation, ABC):
    """A change of the byte count of the current phase, without an arrival."""

    addr = operand_def(LLVMPointerType)
    bytes = operand_def(i32)
    scope = prop_def(MemScopeAttr, default_value=MemScopeAttr(MemScope.CTA))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$addr `,` $bytes attr-dict `:` type(operands)"

    def __init__(self, addr: Value, bytes: Value, *, scope: MemScope = MemScope.CTA):
        super().__init__(
            operands=[addr, bytes], properties={"scope": MemScopeAttr(scope)}
        )

    def verify_(self) -> None:
        check_space(self.addr, "addr", SHARED, SHARED_CLUSTER)
        check_scope(self.scope.data)


@irdl_op_definition
class MbarrierExpectTxOp(_TxOp):
    """Add `bytes` to what the current phase waits for.

    ```mlir
    nvvm.mbarrier.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
    ```
    """

    name = "nvvm.mbarrier.expect_tx"


@irdl_op_definition
class MbarrierCompleteTxOp(_TxOp):
    """Take `bytes` off what the current phase waits for.

    ```mlir
    nvvm.mbarrier.complete_tx %bar, %bytes : !llvm.ptr<3>, i32
    ```
    """

    name = "nvvm.mbarrier.complete_tx"


class _TestOp(IRDLOperation, ABC):
    """A test of a phase, named by its parity (i32) or by a state (i64)."""

    addr = operand_def(LLVMPointerType)
    state_or_phase = operand_def()
    scope = prop_def(MemScopeAttr, default_value=MemScopeAttr(MemScope.CTA))
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    ready = result_def(i1)

    irdl_options = (ParsePropInAttrDict(),)

    @property
    def by_parity(self) -> bool:
        """Whether the phase is named by its parity."""
        return self.state_or_phase.type == i32

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)
        check_integer(self.state_or_phase, "state or phase", 32, 64)
        check_scope(self.scope.data)


@irdl_op_definition
class MbarrierTryWaitOp(_TestOp):
    """Test whether a phase is complete; the thread may sleep for a while first.

    An i32 names the phase by its parity, an i64 by the state of an arrival. One
    instruction, no loop: the result is false when the time limit (`ticks`, in
    nanoseconds, else one of the system) ran out.

    ```mlir
    %done = nvvm.mbarrier.try_wait %bar, %parity : !llvm.ptr<3>, i32 -> i1
    ```
    """

    name = "nvvm.mbarrier.try_wait"

    # Operands stand in the order of their definition, a subclass's own first.
    addr = operand_def(LLVMPointerType)
    state_or_phase = operand_def()
    ticks = opt_operand_def(i32)

    assembly_format = (
        "$addr `,` $state_or_phase (`,` $ticks^)? attr-dict"
        " `:` type(operands) `->` type($ready)"
    )

    def __init__(
        self,
        addr: Value,
        state_or_phase: Value,
        ticks: Value | None = None,
        *,
        scope: MemScope = MemScope.CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, state_or_phase, optional(ticks)],
            properties={"scope": MemScopeAttr(scope), "relaxed": boolean(relaxed)},
            result_types=[i1],
        )


@irdl_op_definition
class MbarrierTestWaitOp(_TestOp):
    """Test whether a phase is complete, at once.

    ```mlir
    %done = nvvm.mbarrier.test.wait %bar, %parity : !llvm.ptr<3>, i32 -> i1
    ```
    """

    name = "nvvm.mbarrier.test.wait"

    assembly_format = (
        "$addr `,` $state_or_phase attr-dict `:` type(operands) `->` type($ready)"
    )

    def __init__(
        self,
        addr: Value,
        state_or_phase: Value,
        *,
        scope: MemScope = MemScope.CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, state_or_phase],
            properties={"scope": MemScopeAttr(scope), "relaxed": boolean(relaxed)},
            result_types=[i1],
        )


@irdl_op_definition
class MbarrierTryWaitParityOp(IRDLOperation):
    """Spin until the phase of a parity is complete: a loop around `try_wait`.

    ```mlir
    nvvm.mbarrier.try_wait.parity %bar, %parity, %ticks : !llvm.ptr<3>, i32, i32
    ```
    """

    name = "nvvm.mbarrier.try_wait.parity"

    addr = operand_def(LLVMPointerType)
    phase = operand_def(i32)
    ticks = operand_def(i32)

    assembly_format = "$addr `,` $phase `,` $ticks attr-dict `:` type(operands)"

    def __init__(self, addr: Value, phase: Value, ticks: Value):
        super().__init__(operands=[addr, phase, ticks])

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)


OPS = (
    MbarrierArriveDropOp,
    MbarrierArriveExpectTxOp,
    MbarrierArriveNocompleteOp,
    MbarrierArriveOp,
    MbarrierCompleteTxOp,
    MbarrierExpectTxOp,
    MbarrierInitOp,
    MbarrierInvalOp,
    MbarrierTestWaitOp,
    MbarrierTryWaitOp,
    MbarrierTryWaitParityOp,
)
