"""Asynchronous copies: `cp.async`, the bulk copies, and tensor copies (TMA).

All of them write, or order writes, that the thread does not wait for. They have
unknown effects: never removed, merged, or moved across.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    CTAGroupAttr,
    LoadCacheModifier,
    LoadCacheModifierAttr,
    PrefetchCacheLevel,
    PrefetchCacheLevelAttr,
    TMALoadMode,
    TMALoadModeAttr,
    TMAReduxKind,
    TMAReduxKindAttr,
    TMAStoreMode,
    TMAStoreModeAttr,
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

CP_ASYNC_SIZES = (4, 8, 16)
"""The bytes that one `cp.async` can copy."""

MAX_TENSOR_RANK = 5


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


def check_rank(coordinates: int, mode: str, im2col_offsets: int = 0) -> None:
    """Raise unless a tensor copy has as many coordinates as its mode allows."""
    least = 3 if mode.startswith("im2col") else 1
    if not least <= coordinates <= MAX_TENSOR_RANK:
        raise VerifyException(
            f"box must have {least} to {MAX_TENSOR_RANK} coordinates, got {coordinates}"
        )
    wanted = coordinates - 2 if mode == "im2col" else 0
    if mode in ("tile", "im2col") and im2col_offsets != wanted:
        raise VerifyException(
            f"must have {wanted} im2col offsets for {coordinates} coordinates in"
            f" mode {mode}, got {im2col_offsets}"
        )


@irdl_op_definition
class CpAsyncBulkTensorLoadOp(IRDLOperation):
    """Copy a box of a tensor from global to shared memory (a TMA load).

    One thread issues it; the bytes count on the mbarrier `mbar`. Coordinates are in
    elements, innermost first. With `multicast_mask` the box goes to the same offset
    in every block of the cluster whose bit is set.

    ```mlir
    nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y]
        : !llvm.ptr<7>, !llvm.ptr
    ```
    """

    name = "nvvm.cp.async.bulk.tensor.shared.cluster.global"

    dst = operand_def(LLVMPointerType)
    tensor_map = operand_def(LLVMPointerType)
    coordinates = var_operand_def(i32)
    mbar = operand_def(pointer(SHARED))
    im2col_offsets = var_operand_def(i16)
    multicast_mask = opt_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)
    predicate = opt_operand_def(i1)
    mode = prop_def(TMALoadModeAttr, default_value=TMALoadModeAttr(TMALoadMode.Tile))
    is_cta_only = prop_def(BoolAttr, default_value=FALSE, prop_name="isCTAOnly")
    group = opt_prop_def(CTAGroupAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$dst `,` $tensor_map `,` $mbar `,` `box` `[` $coordinates `]`"
        " (`im2col` `[` $im2col_offsets^ `]`)?"
        " (`multicast_mask` `=` $multicast_mask^)?"
        " (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`predicate` `=` $predicate^)? attr-dict"
        " `:` type($dst) `,` type($tensor_map)"
    )

    def __init__(
        self,
        dst: Value,
        tensor_map: Value,
        coordinates: Sequence[Value],
        mbar: Value,
        *,
        multicast_mask: Value | None = None,
        l2_cache_hint: Value | None = None,
        predicate: Value | None = None,
        im2col_offsets: Sequence[Value] = (),
        mode: TMALoadMode = TMALoadMode.Tile,
        is_cta_only: bool = False,
    ):
        super().__init__(
            operands=[
                dst,
                tensor_map,
                coordinates,
                mbar,
                im2col_offsets,
                optional(multicast_mask),
                optional(l2_cache_hint),
                optional(predicate),
            ],
            properties={
                "mode": TMALoadModeAttr(mode),
                "isCTAOnly": boolean(is_cta_only),
            },
        )

    def verify_(self) -> None:
        cta_only = bool(self.is_cta_only.value.data)
        check_space(self.dst, "dst", SHARED if cta_only else SHARED_CLUSTER)
        check_space(self.tensor_map, "tensor map", GENERIC)
        check_rank(
            len(self.coordinates), self.mode.data.value, len(self.im2col_offsets)
        )
        if cta_only and self.multicast_mask is not None:
            raise VerifyException(
                "with isCTAOnly must not have a multicast_mask, got one"
            )
        if cta_only and self.group is not None:
            raise VerifyException("with isCTAOnly must not have a group, got one")


@irdl_op_definition
class CpAsyncBulkTensorStoreOp(IRDLOperation):
    """Copy a box from shared memory to a tensor in global memory (a TMA store).

    Part of the thread's current bulk group: see `CpAsyncBulkCommitGroupOp`.

    ```mlir
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %src, box[%x, %y]
        : !llvm.ptr, !llvm.ptr<3>
    ```
    """

    name = "nvvm.cp.async.bulk.tensor.global.shared.cta"

    tensor_map = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    coordinates = var_operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    predicate = opt_operand_def(i1)
    mode = prop_def(TMAStoreModeAttr, default_value=TMAStoreModeAttr(TMAStoreMode.Tile))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$tensor_map `,` $src `,` `box` `[` $coordinates `]`"
        " (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`,` `predicate` `=` $predicate^)? attr-dict"
        " `:` type($tensor_map) `,` type($src)"
    )

    def __init__(
        self,
        tensor_map: Value,
        src: Value,
        coordinates: Sequence[Value],
        *,
        l2_cache_hint: Value | None = None,
        predicate: Value | None = None,
        mode: TMAStoreMode = TMAStoreMode.Tile,
    ):
        super().__init__(
            operands=[
                tensor_map,
                src,
                coordinates,
                optional(l2_cache_hint),
                optional(predicate),
            ],
            properties={"mode": TMAStoreModeAttr(mode)},
        )

    def verify_(self) -> None:
        check_space(self.tensor_map, "tensor map", GENERIC)
        check_space(self.src, "src", SHARED)
        check_rank(len(self.coordinates), self.mode.data.value)


@irdl_op_definition
class CpAsyncBulkTensorReduceOp(IRDLOperation):
    """Combine a box from shared memory with a tensor in global memory.

    ```mlir
    nvvm.cp.async.bulk.tensor.reduce %map, %src, box[%x, %y]
        {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
    ```
    """

    name = "nvvm.cp.async.bulk.tensor.reduce"

    tensor_map = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    coordinates = var_operand_def(i32)
    l2_cache_hint = opt_operand_def(i64)
    kind = prop_def(TMAReduxKindAttr, prop_name="redKind")
    mode = prop_def(TMAStoreModeAttr, default_value=TMAStoreModeAttr(TMAStoreMode.Tile))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$tensor_map `,` $src `,` `box` `[` $coordinates `]`"
        " (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict"
        " `:` type($tensor_map) `,` type($src)"
    )

    def __init__(
        self,
        tensor_map: Value,
        src: Value,
        coordinates: Sequence[Value],
        kind: TMAReduxKind = TMAReduxKind.Add,
        *,
        l2_cache_hint: Value | None = None,
        mode: TMAStoreMode = TMAStoreMode.Tile,
    ):
        super().__init__(
            operands=[tensor_map, src, coordinates, optional(l2_cache_hint)],
            properties={
                "redKind": TMAReduxKindAttr(kind),
                "mode": TMAStoreModeAttr(mode),
            },
        )

    def verify_(self) -> None:
        check_space(self.tensor_map, "tensor map", GENERIC)
        check_space(self.src, "src", SHARED)
        check_rank(len(self.coordinates), self.mode.data.value)


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
class CpAsyncBulkTensorPrefetchOp(IRDLOperation):
    """Bring a box of a tensor into the second-level cache.

    ```mlir
    nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y] : !llvm.ptr
    ```
    """

    name = "nvvm.cp.async.bulk.tensor.prefetch"

    tensor_map = operand_def(LLVMPointerType)
    coordinates = var_operand_def(i32)
    im2col_offsets = var_operand_def(i16)
    l2_cache_hint = opt_operand_def(i64)
    mode = prop_def(TMALoadModeAttr, default_value=TMALoadModeAttr(TMALoadMode.Tile))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$tensor_map `,` `box` `[` $coordinates `]`"
        " (`im2col` `[` $im2col_offsets^ `]`)?"
        " (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict `:` type($tensor_map)"
    )

    def __init__(
        self,
        tensor_map: Value,
        coordinates: Sequence[Value],
        *,
        l2_cache_hint: Value | None = None,
        im2col_offsets: Sequence[Value] = (),
        mode: TMALoadMode = TMALoadMode.Tile,
    ):
        super().__init__(
            operands=[tensor_map, coordinates, im2col_offsets, optional(l2_cache_hint)],
            properties={"mode": TMALoadModeAttr(mode)},
        )

    def verify_(self) -> None:
        check_space(self.tensor_map, "tensor map", GENERIC)
        check_rank(
            len(self.coordinates), self.mode.data.value, len(self.im2col_offsets)
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

    assembly_format = (
        "$dst `,` $src `,` $mbar `,` $size"
        " (`multicast_mask` `=` $multicast_mask^)?"
        " (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict"
        " `:` type($dst) `,` type($src)"
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

    assembly_format = (
        "$dst `,` $src `,` $size (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`byte_mask` `=` $byte_mask^)? attr-dict `:` type($dst) `,` type($src)"
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
            check_space(self.addr, "tensor map", GENERIC, CONSTANT)
            return
        check_space(self.addr, "addr", GENERIC, GLOBAL)
        if self.predicate is not None:
            raise VerifyException("with a level must not have a predicate, got one")


OPS = (
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkLoadOp,
    CpAsyncBulkStoreOp,
    CpAsyncBulkTensorLoadOp,
    CpAsyncBulkTensorPrefetchOp,
    CpAsyncBulkTensorReduceOp,
    CpAsyncBulkTensorStoreOp,
    CpAsyncBulkWaitGroupOp,
    CpAsyncCommitGroupOp,
    CpAsyncMbarrierArriveOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
    PrefetchOp,
)
