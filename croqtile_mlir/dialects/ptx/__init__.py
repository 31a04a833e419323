"""
The `ptx` dialect: one op for one line of PTX, on typed virtual registers.

A `ptx.module` holds declarations and kernels (`ptx.entry`); a kernel is a graph of
blocks in the order of the text. Ops print themselves (`assembly_line`), and nothing is
decided after this level: what the text says is what the ops say. Values are registers,
or groups of registers that an instruction names in braces; their types carry the
registers' names once `--assign-registers` has run.

Ops that would expand to several instructions belong to a level above. The exceptions
are `fill_group` and `mov_group`, one `mov` for each register of a group.
"""

from xdsl.ir import Dialect

from croqtile_mlir.dialects.ptx import (
    arithmetic,
    atomics,
    barrier,
    bulk,
    control,
    conversion,
    copies,
    matrix,
    mbarrier,
    memory,
    registers,
    structure,
    warp,
)
from croqtile_mlir.dialects.ptx.memory import StateSpaceAttr
from croqtile_mlir.dialects.ptx.structure import ParameterAttr
from croqtile_mlir.dialects.ptx.types import (
    GroupType,
    InstructionTypeAttr,
    PredicateType,
    RegisterKindAttr,
    RegisterType,
)

PTX = Dialect(
    "ptx",
    [
        *arithmetic.OPS,
        *atomics.OPS,
        *barrier.OPS,
        *bulk.OPS,
        *control.OPS,
        *conversion.OPS,
        *copies.OPS,
        *matrix.OPS,
        *mbarrier.OPS,
        *memory.OPS,
        *registers.OPS,
        *structure.OPS,
        *warp.OPS,
    ],
    [
        GroupType,
        InstructionTypeAttr,
        ParameterAttr,
        PredicateType,
        RegisterKindAttr,
        RegisterType,
        StateSpaceAttr,
    ],
)
