"""
Clusters: blocks that run together, and what reaches the peers of a block.

`multicast [d, ..]` names indices of the block-level `croq.parallel`: the op reaches the
blocks of the cluster that differ from its own in those indices at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntAttr, IntegerType
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.types import Level

IndexNumbersAttr = ArrayAttr[IntAttr]
"""Numbers of indices of a block."""


def index_numbers(numbers: Sequence[int]) -> IndexNumbersAttr | None:
    """The property of an op; nothing for none."""
    return ArrayAttr(IntAttr(n) for n in numbers) if numbers else None


def numbers_of(stored: IndexNumbersAttr | None) -> tuple[int, ...]:
    """The numbers that an op stores, in order."""
    return () if stored is None else tuple(n.data for n in stored)


def parse_multicast(parser: Parser) -> tuple[int, ...]:
    """Parse `multicast [d, ..]`, or nothing."""
    if parser.parse_optional_keyword("multicast") is None:
        return ()
    pos = parser.pos
    numbers = parser.parse_comma_separated_list(
        Parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    if not numbers:
        parser.raise_error("multicast must name an index", pos, parser.pos)
    return tuple(numbers)


def print_multicast(printer: Printer, numbers: Sequence[int]) -> None:
    """Print ` multicast [d, ..]`, or nothing."""
    if numbers:
        printer.print_string(f" multicast [{', '.join(map(str, numbers))}]")


def verify_multicast(op: Operation, stored: IndexNumbersAttr | None) -> None:
    """Check the numbers of indices against the block around an op."""
    from croqtile_mlir.dialects.croq.structure import KernelOp, ParallelOp

    if stored is None:
        return
    numbers = numbers_of(stored)
    if not numbers or list(numbers) != sorted(set(numbers)):
        raise VerifyException(
            f"multicast must name different indices in order, got {list(numbers)}"
        )
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp):
        if isinstance(parent, ParallelOp) and parent.level.data is Level.Block:
            if parent.extents_in_cluster is None:
                break
            rank = len(parent.static_extents)
            if numbers[0] < 0 or numbers[-1] >= rank:
                raise VerifyException(
                    f"multicast must name indices of the block, 0 to {rank - 1}, got "
                    f"{list(numbers)}"
                )
            return
        parent = parent.parent_op()
    if parent is not None:
        raise VerifyException("multicast must be in a block of a cluster")


def verify_in_cluster(op: Operation) -> None:
    """Check that an op is directly in the block of a cluster."""
    from croqtile_mlir.dialects.croq.structure import ParallelOp

    parent = op.parent_op()
    if parent is None:
        return
    if not isinstance(parent, ParallelOp) or parent.level.data is not Level.Block:
        raise VerifyException(
            "with cluster must be directly in the block of a cluster, got "
            f"{parent.name}"
        )
    if parent.parent_op() is not None and parent.extents_in_cluster is None:
        raise VerifyException("with cluster must be in a block of a cluster")


def verify_cluster_body(body: Sequence[Operation], rank: int) -> None:
    """
    Check what a `parallel : cluster` of so many indices executes: index arithmetic and
    one block-level `parallel`.
    """
    from croqtile_mlir.dialects.croq.structure import ParallelOp

    blocks: list[ParallelOp] = []
    for op in body:
        if isinstance(op, ParallelOp) and op.level.data is Level.Block:
            blocks.append(op)
        elif not _is_index_arithmetic(op):
            raise VerifyException(
                "level cluster must have index arithmetic and one croq.parallel of "
                f"level block inside, got {op.name}"
            )
    if len(blocks) != 1:
        raise VerifyException(
            "level cluster must have one croq.parallel of level block inside, got "
            f"{len(blocks)}"
        )
    if (indices := len(blocks[0].static_extents)) < rank:
        raise VerifyException(
            f"level cluster must have no more indices than its block, which has "
            f"{indices}, got {rank}"
        )


def _is_index_arithmetic(op: Operation) -> bool:
    pure = op.name.startswith("arith.") or is_side_effect_free(op)
    return (
        pure
        and not op.regions
        and all(isinstance(r.type, IndexType | IntegerType) for r in op.results)
    )
