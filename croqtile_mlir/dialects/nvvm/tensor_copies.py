"""Tensor copies (TMA): boxes of a tensor in global memory to and from shared memory.

One thread issues a copy for all; nobody waits for it on the spot. All of them have
unknown effects: never removed, merged, or moved across.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BoolAttr,
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
    TMALoadMode,
    TMALoadModeAttr,
    TMAReduxKind,
    TMAReduxKindAttr,
    TMAStoreMode,
    TMAStoreModeAttr,
)
from croqtile_mlir.dialects.nvvm.operands import (
    FALSE,
    GENERIC,
    SHARED,
    SHARED_CLUSTER,
    Value,
    boolean,
    check_space,
    optional,
    pointer,
)
from croqtile_mlir.dialects.nvvm.syntax import PointerType

MAX_TENSOR_RANK = 5


def check_rank(coordinates: int, mode: str) -> None:
    """Raise unless a tensor copy has as many coordinates as its mode allows."""
    least = 3 if mode.startswith("im2col") else 1
    if not least <= coordinates <= MAX_TENSOR_RANK:
        raise VerifyException(
            f"box must have {least} to {MAX_TENSOR_RANK} coordinates, got {coordinates}"
        )
    if mode in ("tile_gather4", "tile_scatter4") and coordinates != 5:
        raise VerifyException(
            f"box must have 5 coordinates in mode {mode}, got {coordinates}"
        )


def check_offsets(coordinates: int, mode: str, im2col_offsets: int) -> None:
    """Raise unless a load or prefetch has as many offsets as its mode takes."""
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
    custom_directives = (PointerType,)

    assembly_format = (
        "$dst `,` $tensor_map `,` $mbar `,` `box` `[` $coordinates `]`"
        " (`im2col` `[` $im2col_offsets^ `]`)?"
        " (`multicast_mask` `=` $multicast_mask^)?"
        " (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`predicate` `=` $predicate^)? attr-dict"
        " `:` custom<PointerType>(type($dst))"
        " `,` custom<PointerType>(type($tensor_map))"
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
        check_rank(len(self.coordinates), self.mode.data.value)
        check_offsets(
            len(self.coordinates), self.mode.data.value, len(self.im2col_offsets)
        )
        if not cta_only:
            return
        for what, value in (
            ("multicast_mask", self.multicast_mask),
            ("predicate", self.predicate),
            ("group", self.group),
        ):
            if value is not None:
                raise VerifyException(f"with isCTAOnly must have no {what}, got one")


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
    custom_directives = (PointerType,)

    assembly_format = (
        "$tensor_map `,` $src `,` `box` `[` $coordinates `]`"
        " (`l2_cache_hint` `=` $l2_cache_hint^)?"
        " (`,` `predicate` `=` $predicate^)? attr-dict"
        " `:` custom<PointerType>(type($tensor_map))"
        " `,` custom<PointerType>(type($src))"
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
        if self.predicate is None:
            return
        if self.l2_cache_hint is not None:
            raise VerifyException(
                "with a predicate must have no l2_cache_hint, got one"
            )
        if self.mode.data is not TMAStoreMode.Tile:
            raise VerifyException(
                f"with a predicate must have mode tile, got {self.mode.data.value}"
            )


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
    custom_directives = (PointerType,)

    assembly_format = (
        "$tensor_map `,` $src `,` `box` `[` $coordinates `]`"
        " (`l2_cache_hint` `=` $l2_cache_hint^)? attr-dict"
        " `:` custom<PointerType>(type($tensor_map))"
        " `,` custom<PointerType>(type($src))"
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
        if self.mode.data is TMAStoreMode.TileScatter4:
            raise VerifyException(
                f"mode must be tile or im2col, got {self.mode.data.value}"
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
    custom_directives = (PointerType,)

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
        check_rank(len(self.coordinates), self.mode.data.value)
        check_offsets(
            len(self.coordinates), self.mode.data.value, len(self.im2col_offsets)
        )


OPS = (
    CpAsyncBulkTensorLoadOp,
    CpAsyncBulkTensorPrefetchOp,
    CpAsyncBulkTensorReduceOp,
    CpAsyncBulkTensorStoreOp,
)
