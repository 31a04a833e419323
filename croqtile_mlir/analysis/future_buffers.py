"""Whether tiles that futures stand for are in different buffers."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.future_webs import webs_of
from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.dialects.croq import DataOp, root_of


def are_apart(first: SSAValue, second: SSAValue) -> bool:
    """
    Whether two shared tiles, at one place of the program, are never in one buffer.

    Only for tiles of which one is of the `data` of a future that was handed on; which
    buffer another tile is in can be seen from its views.
    """
    roots = root_of(first), root_of(second)
    if roots[0] is roots[1]:
        return False
    named = [root.owner for root in roots if isinstance(root.owner, DataOp)]
    if not named:
        return False
    webs = webs_of(block_of(named[0]))
    handles = [_handle(root) for root in roots]
    own = [webs.of.get(handle) for handle in handles]
    if own[0] is not own[1]:
        return True
    if own[0] is None:
        return False
    places = [webs.places.get(handle) for handle in handles]
    if places[0] is None or places[1] is None or places[0].base is not places[1].base:
        return False
    return (places[0].offset - places[1].offset) % own[0].slots != 0


def _handle(root: SSAValue) -> SSAValue:
    """What stands for a buffer in webs: its `alloc`, or a future."""
    owner = root.owner
    return owner.future if isinstance(owner, DataOp) else root
