"""Asynchronous copies: `cp.async` and the bulk copies; prefetches.

All of them write, or order writes, that the thread does not wait for. They have
unknown effects: never removed, merged, or moved across.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    UnitAttr,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    eq,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    LoadCacheModifier,
    LoadCacheModifierAttr,
    PrefetchCacheLevel,
    PrefetchCacheLevelAttr,
)
from croqtile_mlir.dialects.nvvm.operands import (
    CONSTANT,
    FALSE,
    GENERIC,
    GLOBAL,
    SHARED,
    SHARED_CLUSTER,
    Value,
    boolean,
    check_space,
    optional,
    pointer,
)
from croqtile_mlir.dialects.nvvm.syntax import PointerType

CP_ASYNC_SIZES = (4, 8, 16)
"""The bytes that one `cp.async` can copy."""


@irdl_op_definition
class CpAsyncOp(IRDLOperation):
    """Copy 4, 8 or 16 bytes from global to shared memory, asynchronously.

    With `cp_size`, only so many bytes are read and the rest is zero. `cg` (16 bytes
    only) bypasses the first-level cache.

    ```mlir
    nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    ```
    """

    name = "nvvm.cp.async.shared.global"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    cp_size = opt_operand_def(i32)
    size = prop_def(IntegerAttr.constr(type=eq(i32)))
    modifier = prop_def(LoadCacheModifierAttr)

    assembly_format = (
        "$dst `,` $src `,` $size `,` `cache` `=` $modifier (`,` $cp_size^)?"
        " attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        dst: Value,
        src: Value,
        size: int = 16,
        modifier: LoadCacheModifier = LoadCacheModifier.CG,
        cp_size: Value | None = None,
    ):
        super().__init__(
            operands=[dst, src, optional(cp_size)],
            properties={
                "size": IntegerAttr(size, i32),
                "modifier": LoadCacheModifierAttr(modifier),
            },
        )

    def verify_(self) -> None:
        check_space(self.dst, "dst", SHARED)
        check_space(self.src, "src", GLOBAL)
        size = self.size.value.data
        if size not in CP_ASYNC_SIZES:
            raise VerifyException(f"size must be 4, 8 or 16 bytes, got {size}")
        modifier = self.modifier.data
        if modifier not in (LoadCacheModifier.CA, LoadCacheModifier.CG):
            raise VerifyException(f"cache must be ca or cg, got {modifier.value}")
        if modifier is LoadCacheModifier.CG and size != 16:
            raise VerifyException(f"size must be 16 bytes with cache cg, got {size}")


@irdl_op_definition
class CpAsyncCommitGroupOp(IRDLOperation):
    """Make a group of the thread's `cp.async` copies so far.

    ```mlir
    nvvm.cp.async.commit.group
    ```
    """

    name = "nvvm.cp.async.commit.group"

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class CpAsyncWaitGroupOp(IRDLOperation):
    """Wait until at most `n` of the thread's latest `cp.async` groups are pending.

    ```mlir
    nvvm.cp.async.wait.group 2
    ```
    """

    name = "nvvm.cp.async.wait.group"

    n = prop_def(IntegerAttr.constr(type=eq(i32)))

    assembly_format = "$n attr-dict"

    def __init__(self, n: int):
        super().__init__(properties={"n": IntegerAttr(n, i32)})

    def verify_(self) -> None:
        if self.n.value.data < 0:
            raise VerifyException(f"n must not be negative, got {self.n.value.data}")


@irdl_op_definition
class CpAsyncMbarrierArriveOp(IRDLOperation):
    """Arrive at an mbarrier once the thread's `cp.async` copies so far are done.

    Unless `noinc`, the count that the phase expects is raised by one first.

    ```mlir
    nvvm.cp.async.mbarrier.arrive %bar {noinc = true} : !llvm.ptr<3>
    ```
    """

    name = "nvvm.cp.async.mbarrier.arrive"

    addr = operand_def(LLVMPointerType)
    noinc = prop_def(BoolAttr, default_value=FALSE)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$addr attr-dict `:` type($addr)"

    def __init__(self, addr: Value, *, noinc: bool = False):
        super().__init__(operands=[addr], properties={"noinc": boolean(noinc)})

    def verify_(self) -> None:
        check_space(self.addr, "addr", GENERIC, SHARED)


@irdl_op_definition
class CpAsyncBulkCommitGroupOp(IRDLOperation):
    """Make a group of the thread's bulk stores and reductions so far.

    ```mlir
    nvvm.cp.async.bulk.commit.group
    ```
    """

    name = "nvvm.cp.async.bulk.commit.group"

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class CpAsyncBulkWaitGroupOp(IRDLOperation):
    """Wait until at most `group` of the thread's latest bulk groups are pending.

    With `read`, only until their sources have been read and may be overwritten.

    ```mlir
    nvvm.cp.async.bulk.wait_group 1 {read}
    ```
    """

    name = "nvvm.cp.async.bulk.wait_group"

    group = prop_def(IntegerAttr.constr(type=eq(i32)))
    read = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$group attr-dict"

    def __init__(self, group: int, *, read: bool = False):
        super().__init__(
            properties={
                "group": IntegerAttr(group, i32),
                "read": UnitAttr() if read else None,
            }
        )

    def verify_(self) -> None:
        if self.group.value.data < 0:
            raise VerifyException(
                f"group must not be negative, got {self.group.value.data}"
            )


@irdl_op_definition
class CpAsyncBulkLoadOp(IRDLOperation):
    """Copy `size` bytes (a multiple of 16) from global to shared memory.

    The bytes count on the mbarrier `mbar`.

    ```mlir
    nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %bar, %size
        : !llvm.ptr<7>, !llvm.ptr<1>
    ```
    """

    name = "nvvm.cp.async.bulk.shared.cluster.global"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    mbar = operand_def(pointer(SHARED))
    size = operand_def(i32)
    multicast_mask = opt_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (PointerType,)

    assembly_format = (
        "$dst `,` $src `,` $mbar `,` $size"
        " (`multicast_mask` `=` $multicast_mask^)?"
        " (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict"
        ""
        " `:` custom<PointerType>(type($dst)) `,` custom<PointerType>(type($src))"
    )

    def __init__(
        self,
        dst: Value,
        src: Value,
        mbar: Value,
        size: Value,
        *,
        multicast_mask: Value | None = None,
        l2_cache_hint: Value | None = None,
    ):
        super().__init__(
            operands=[
                dst,
                src,
                mbar,
                size,
                optional(multicast_mask),
                optional(l2_cache_hint),
            ]
        )

    def verify_(self) -> None:
        check_space(self.dst, "dst", SHARED, SHARED_CLUSTER)
        check_space(self.src, "src", GLOBAL)


@irdl_op_definition
class CpAsyncBulkStoreOp(IRDLOperation):
    """Copy `size` bytes (a multiple of 16) from shared to global memory.

    ```mlir
    nvvm.cp.async.bulk.global.shared.cta %dst, %src, %size
        : !llvm.ptr<1>, !llvm.ptr<3>
    ```
    """

    name = "nvvm.cp.async.bulk.global.shared.cta"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    size = operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    byte_mask = opt_operand_def(i16)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (PointerType,)

    assembly_format = (
        "$dst `,` $src `,` $size (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`byte_mask` `=` $byte_mask^)? attr-dict"
        " `:` custom<PointerType>(type($dst)) `,` custom<PointerType>(type($src))"
    )

    def __init__(
        self,
        dst: Value,
        src: Value,
        size: Value,
        *,
        l2_cache_hint: Value | None = None,
        byte_mask: Value | None = None,
    ):
        super().__init__(
            operands=[dst, src, size, optional(l2_cache_hint), optional(byte_mask)]
        )

    def verify_(self) -> None:
        check_space(self.dst, "dst", GLOBAL)
        check_space(self.src, "src", SHARED)


@irdl_op_definition
class CpAsyncBulkRemoteStoreOp(IRDLOperation):
    """Copy `size` bytes from the block's shared memory to that of another block.

    The bytes count on the mbarrier `mbar`, which is in the other block too.

    ```mlir
    nvvm.cp.async.bulk.shared.cluster.shared.cta %dst, %src, %bar, %size
        : !llvm.ptr<7>, !llvm.ptr<3>
    ```
    """

    name = "nvvm.cp.async.bulk.shared.cluster.shared.cta"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    mbar = operand_def(pointer(SHARED))
    size = operand_def(i32)

    custom_directives = (PointerType,)

    assembly_format = (
        "$dst `,` $src `,` $mbar `,` $size attr-dict"
        " `:` custom<PointerType>(type($dst)) `,` custom<PointerType>(type($src))"
    )

    def __init__(self, dst: Value, src: Value, mbar: Value, size: Value):
        super().__init__(operands=[dst, src, mbar, size])

    def verify_(self) -> None:
        check_space(self.dst, "dst", SHARED_CLUSTER)
        check_space(self.src, "src", SHARED)


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Bring a tensor map, or a line of memory, into a cache.

    ```mlir
    nvvm.prefetch tensormap, %map : !llvm.ptr
    nvvm.prefetch level = L2, %p : !llvm.ptr<1>
    ```
    """

    name = "nvvm.prefetch"

    addr = operand_def(LLVMPointerType)
    predicate = opt_operand_def(i1)
    cache_level = opt_prop_def(PrefetchCacheLevelAttr, prop_name="cacheLevel")
    tensormap = opt_prop_def(UnitAttr)
    in_param_space = opt_prop_def(UnitAttr)

    assembly_format = (
        "(`level` `=` $cacheLevel^ `,`)?"
        " (`tensormap` $tensormap^ (`in_param_space` $in_param_space^)? `,`)?"
        " $addr (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        addr: Value,
        predicate: Value | None = None,
        *,
        level: PrefetchCacheLevel | None = None,
        in_param_space: bool = False,
    ):
        """Without a `level`, `addr` is that of a tensor map."""
        super().__init__(
            operands=[addr, optional(predicate)],
            properties={
                "cacheLevel": None if level is None else PrefetchCacheLevelAttr(level),
                "tensormap": UnitAttr() if level is None else None,
                "in_param_space": UnitAttr() if in_param_space else None,
            },
        )

    def verify_(self) -> None:
        if (self.tensormap is None) == (self.cache_level is None):
            raise VerifyException("must have either a level or tensormap")
        if self.tensormap is not None:
            spaces = (GENERIC,) if self.in_param_space else (GENERIC, CONSTANT)
            check_space(self.addr, "tensor map", *spaces)
            return
        if self.in_param_space is not None:
            raise VerifyException("must be of a tensormap with in_param_space")
        check_space(self.addr, "addr", GENERIC, GLOBAL)
        if self.predicate is not None:
            raise VerifyException("with a level must not have a predicate, got one")


OPS = (
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkLoadOp,
    CpAsyncBulkRemoteStoreOp,
    CpAsyncBulkStoreOp,
    CpAsyncBulkWaitGroupOp,
    CpAsyncCommitGroupOp,
    CpAsyncMbarrierArriveOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
    PrefetchOp,
)
