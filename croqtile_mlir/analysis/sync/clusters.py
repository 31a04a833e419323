"""
From the model of one block to that of all blocks of a cluster.

The blocks run one body, so that it is translated once, with their indices as variables.
Here each block gets agents, barriers and buffers of its own, numbers in place of its
indices, and what goes to several blocks becomes an action for each of them: a multicast
copy is a copy to each receiver, which completes there (PTX ISA,
`cp.async.bulk.tensor`, `.multicast::cluster`: the signal goes to the same offset as the
mbarrier in each destination). Global memory is not compared between blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from croqtile_mlir.analysis.sync.model import (
    Action,
    Agent,
    Arrive,
    Barrier,
    Buffer,
    Constant,
    Expr,
    Program,
    Region,
    Rendezvous,
    SlotOf,
    Start,
    Statement,
    Touch,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.specialised import Specialised
from croqtile_mlir.analysis.sync.symbolic import Expressions

Place = Mapping[Expr, Expr]
"""The indices of one block in its cluster."""


def of_cluster(program: Program, make: Expressions, places: Sequence[Place]) -> Program:
    """
    The program of all blocks of a cluster, in the order of their ranks.

    `program` is that of one of them.
    """
    if len(places) < 2:
        return _of_one(program, make, places)
    own = [_Own.of(program, rank) for rank in range(len(places))]
    agents: list[Agent] = []
    for rank, place in enumerate(places):
        left = _OfBlock(make, place, home=rank, rank=rank, own=own)
        agents += [
            replace(
                agent,
                name=agent.name + owner_of(rank),
                body=left.block(agent.body),
                rank=rank,
            )
            for agent in program.agents
        ]
    return replace(
        program,
        agents=tuple(agents),
        barriers=tuple(b for each in own for b in each.barriers.values()),
        buffers=tuple(b for each in own for b in each.buffers.values()),
        blocks=len(places),
    )


def _of_one(program: Program, make: Expressions, places: Sequence[Place]) -> Program:
    """A cluster of one block is that block."""
    for place in places:
        left = Specialised(make, place)
        agents = [replace(a, body=left.block(a.body)) for a in program.agents]
        return replace(program, agents=tuple(agents))
    return program


def owner_of(rank: int) -> str:
    """What is said of a thing of a block in messages."""
    return f" of rank {rank}"


@dataclass(frozen=True)
class _Own:
    """The barriers and buffers of a block, by those of the model of one block."""

    barriers: dict[Barrier, Barrier]
    buffers: dict[Buffer, Buffer]

    @staticmethod
    def of(program: Program, rank: int) -> _Own:
        owner = owner_of(rank)
        return _Own(
            {b: replace(b, rank=rank, owner=owner) for b in program.barriers},
            {b: replace(b, rank=rank, owner=owner) for b in program.buffers},
        )


@dataclass(frozen=True)
class _OfBlock(Specialised):
    """The statements of one block."""

    home: int = field(kw_only=True)
    rank: int = field(kw_only=True)
    """The block whose shared memory is meant."""

    own: Sequence[_Own] = field(kw_only=True)

    def _statement(self, statement: Statement) -> tuple[Statement, ...]:
        match statement:
            case Arrive(ranks=Expr() as ranks):
                return self._arrivals(statement, ranks)
            case Start(ranks=Expr() as ranks):
                return self._copies(statement, ranks)
            case Touch(ranks=Expr() as ranks):
                return tuple(
                    self._of_rank(rank)._action(replace(statement, ranks=None))
                    for rank in self._members(ranks, statement)
                )
            case _:
                return super()._statement(statement)

    def _arrivals(self, arrive: Arrive, ranks: Expr) -> tuple[Action, ...]:
        found: list[Action] = []
        for rank in self._members(ranks, arrive):
            made = self._of_rank(rank)._action(replace(arrive, ranks=None))
            found.append(made)
        return tuple(found)

    def _copies(self, start: Start, ranks: Expr) -> tuple[Action, ...]:
        """A copy to each receiver; the first of them reads the source."""
        found: list[Action] = []
        for rank in self._members(ranks, start):
            accesses = tuple(
                access
                for access in start.accesses
                if access.region.buffer.shared or not found
            )
            one = replace(start, accesses=accesses, ranks=None)
            found.append(self._of_rank(rank)._action(one))
        return tuple(found)

    def _members(self, ranks: Expr, action: Action) -> list[int]:
        mask = self._expr(ranks)
        if not isinstance(mask, Constant):
            raise NotModelled(action.place, "the blocks that it reaches are not known")
        members = [rank for rank in range(len(self.own)) if mask.value >> rank & 1]
        if mask.value >> len(self.own) or not members:
            raise NotModelled(
                action.place,
                f"it reaches blocks {mask.value:#b} of a cluster of {len(self.own)}",
            )
        return members

    def _of_rank(self, rank: int) -> _OfBlock:
        return replace(self, rank=rank) if rank != self.rank else self

    def _action(self, action: Action) -> Action:
        made = super()._action(action)
        match made:
            case Rendezvous():
                return self._meeting(made)
            case Start(joint=joint) if joint:
                owner = owner_of(self.rank)
                return replace(made, joint=tuple(name + owner for name in joint))
            case _:
                return made

    def _meeting(self, action: Rendezvous) -> Rendezvous:
        ranks = range(len(self.own)) if action.cluster else (self.rank,)
        identity, members = action.identity, action.members
        if not action.cluster:
            identity += owner_of(self.rank)
        if members is not None:
            members = frozenset(m + owner_of(rank) for m in members for rank in ranks)
        return replace(action, identity=identity, members=members)

    def _slot(self, at: SlotOf) -> SlotOf:
        barrier = self.own[self.rank].barriers[at.barrier]
        return SlotOf(barrier, self._expr(at.slot))

    def _region(self, region: Region) -> Region:
        rank = self.rank if region.buffer.shared else self.home
        buffer = self.own[rank].buffers[region.buffer]
        return replace(super()._region(region), buffer=buffer)
