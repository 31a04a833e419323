"""
Roles: one if/else chain on the warp, and register budgets.

Part of `--lower-parallel`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.diagnostics import fail, remark
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.lowering.mma_fragments import OTHER_REGISTERS
from croqtile_mlir.lowering.parallel_threads import BlockThreads
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

MIN_REGISTERS = 24
"""The least that a thread can have under `setmaxnreg`."""


def entry_registers(
    ctx: Context, block: Block, threads: int, architecture: Architecture
) -> int | None:
    """
    The registers with which each thread of a block starts; None without budgets, or
    where the hardware cannot change them, of which a remark tells.

    What the roles above it take must be what those below it give, and each wgmma must
    fit in it, whatever its role has. It is the largest such number that leaves the
    largest budget an increase, where that is possible.
    """
    roles = [op for op in block.ops if isinstance(op, croq.RoleOp)]
    budgets = {role: role.registers.data for role in roles if role.registers}
    if not budgets:
        return None
    if not architecture.has("setmaxnreg"):
        for role in budgets:
            message = f"has no register budget on {architecture.name}: all threads of"
            remark(ctx, role, f"{message} a block have as many")
        return None
    step = architecture.register_granularity
    most = architecture.max_registers(threads) // step * step
    wanted = sum(budget * role.num_threads for role, budget in budgets.items())
    budgeted = sum(role.num_threads for role in budgets)
    legal = [c for c in range(MIN_REGISTERS, most + 1, step) if wanted <= c * budgeted]
    if not legal:
        fail(
            max(budgets, key=lambda role: budgets[role]),
            f"register budgets must fit in the {most * budgeted} registers that "
            f"{budgeted} threads start with ({most} each, when the block has {threads})"
            f", got {wanted}",
            hint="lower the budgets, or have fewer threads",
            notes=[
                (role, f"{role.num_threads} threads with {budget} registers each")
                for role, budget in budgets.items()
            ],
        )
    least = _wgmma_registers(block)
    legal = [c for c in legal if c >= least] or legal
    if budgeted < threads:
        return max(legal)
    largest = max(budgets.values())
    return max((c for c in legal if c < largest), default=min(legal))


def _wgmma_registers(block: Block) -> int:
    """The registers without which the assembler refuses a wgmma of the block."""
    return max(
        (
            len(op.result.type.types) + OTHER_REGISTERS
            for outer in block.ops
            for op in outer.walk()
            if isinstance(op, nvvm.WgmmaMmaAsyncOp)
        ),
        default=0,
    )


def role_groups(block: Block) -> list[list[croq.RoleOp]]:
    """
    The runs of roles of a block with nothing between; ops without effects, on which no
    role can depend, are moved before the first of a run.
    """
    groups: list[list[croq.RoleOp]] = []
    open_group = False
    for op in tuple(block.ops):
        if isinstance(op, croq.RoleOp):
            if not open_group:
                groups.append([])
            groups[-1].append(op)
            open_group = True
        elif open_group and is_side_effect_free(op):
            op.detach()
            block.insert_op_before(op, groups[-1][0])
        else:
            open_group = False
    return groups


def lower_roles(
    block: Block, threads: int, at_entry: int | None, indices: BlockThreads
) -> None:
    """Turn the roles of a block into branches, each run of them into one chain."""
    for roles in role_groups(block):
        for role in roles:
            _set_registers(role, at_entry)
        builder = LocatedBuilder.before(roles[0])
        ordered = sorted(roles, key=lambda role: role.first_thread)
        _chain(builder, ordered, threads, indices)
        for role in roles:
            role.detach()
            role.erase()


def _set_registers(role: croq.RoleOp, at_entry: int | None) -> None:
    if role.registers is None or at_entry is None or role.registers.data == at_entry:
        return
    more = role.registers.data > at_entry
    action = nvvm.SetMaxRegisterAction
    LocatedBuilder.at_start(role.body.block, role.location).insert(
        nvvm.SetMaxRegisterOp(
            role.registers.data, action.Increase if more else action.Decrease
        )
    )


def _chain(
    builder: LocatedBuilder,
    roles: Sequence[croq.RoleOp],
    threads: int,
    indices: BlockThreads,
    below: int = 0,
) -> None:
    """
    Branch to the first of the roles, else to the rest; `below` is the first warp that
    comes here.
    """
    role, *rest = roles
    builder = LocatedBuilder(builder.point, role.location)
    first = role.first_thread // WARP_THREADS
    last = first + role.num_threads // WARP_THREADS
    if first == below and last * WARP_THREADS == threads:
        _move(role.body.block.ops, builder.point)
        return
    then = Block()
    otherwise = Block()
    warp = indices.warp
    builder.insert(
        scf.IfOp(
            _is_in(builder, warp, first, last, below),
            [],
            Region(then),
            Region(otherwise) if rest else None,
        )
    )
    for body in (then, otherwise):
        body.add_op(end := scf.YieldOp())
        end.location = role.location
        point = InsertPoint.before(end)
        if body is then:
            _move(role.body.block.ops, point)
        elif rest:
            inner = LocatedBuilder(point, role.location)
            _chain(inner, rest, threads, indices, last if first == below else below)


def _is_in(
    builder: LocatedBuilder, warp: SSAValue, first: int, last: int, below: int
) -> SSAValue:
    """Whether a warp is in [first, last), given that it is not below `below`."""
    if first == below:
        return builder.cmp("ult", warp, last)
    return builder.cmp("ult", builder.sub(warp, first), last - first)


def _move(ops: Iterable[Operation], point: InsertPoint) -> None:
    for op in tuple(ops):
        op.detach()
        Rewriter.insert_op(op, point)
