"""
Special registers as the indices of blocks and clusters.

Part of `--lower-parallel`. PTX ISA, "Special Registers".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block

from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_Read = Callable[[], nvvm.SpecialRegisterOp]

_BLOCK_IDS = (nvvm.CtaIdXOp, nvvm.CtaIdYOp, nvvm.CtaIdZOp)
_CLUSTER_IDS = (nvvm.ClusterIdXOp, nvvm.ClusterIdYOp, nvvm.ClusterIdZOp)
_IDS_IN_CLUSTER = (nvvm.ClusterCtaIdXOp, nvvm.ClusterCtaIdYOp, nvvm.ClusterCtaIdZOp)


def bind_block_indices(
    block: croq.ParallelOp,
    cluster: croq.ParallelOp | None,
    extents: Sequence[int],
    prologue: LocatedBuilder,
) -> None:
    """
    Replace the indices of a block, and of the cluster around it, by what `prologue`
    reads. `extents` are the blocks of a cluster along each index.
    """
    if cluster is None:
        _bind(block.body.block, _BLOCK_IDS, prologue)
        return
    # A cluster of one block is launched as a block.
    alone = all(extent == 1 for extent in extents)
    _bind(cluster.body.block, _BLOCK_IDS if alone else _CLUSTER_IDS, prologue)
    body = block.body.block
    for argument, extent in zip(body.args, extents, strict=False):
        if extent == 1 and argument.first_use is not None:
            argument.replace_all_uses_with(prologue.index(0))
    _bind(body, _IDS_IN_CLUSTER, prologue)


def _bind(body: Block, reads: Sequence[_Read], prologue: LocatedBuilder) -> None:
    for read, argument in zip(reads, tuple(body.args), strict=False):
        if argument.first_use is not None:
            index = prologue.insert(read()).result
            value = prologue.cast(index, IndexType())
            value.name_hint = argument.name_hint
            argument.replace_all_uses_with(value)
        body.erase_arg(argument)
