"""What the operands and results of an instruction may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.ir import Attribute
from xdsl.irdl import VerificationContext
from xdsl.irdl.constraints import AttrConstraint, IntConstraint
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.types import GroupType, PTXType, RegisterKind

DATA_KINDS = tuple(kind for kind in RegisterKind if kind is not RegisterKind.Predicate)


@dataclass(frozen=True)
class Registers(AttrConstraint[PTXType]):
    """
    A register of one of `kinds`; with `groups`, a group of so many registers, or of any
    number when that is zero.
    """

    kinds: tuple[RegisterKind, ...]
    groups: tuple[int, ...] = ()
    single: bool = True

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if isinstance(attr, PTXType) and attr.kind in self.kinds:
            if not isinstance(attr, GroupType):
                if self.single:
                    return
            elif 0 in self.groups or attr.lanes in self.groups:
                return
        raise VerifyException(f"must be {self}, got {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> Registers:
        return self

    def __str__(self) -> str:
        kinds = " or ".join(kind.value for kind in self.kinds)
        if set(DATA_KINDS) <= set(self.kinds):
            kinds = "any type"
        ways = [f"a register of {kinds}"] if self.single else []
        if self.groups:
            count = " or ".join(str(n) for n in self.groups if n)
            ways.append(
                f"a group of {count + ' ' if count else ''}registers of {kinds}"
            )
        return " or ".join(ways)


PREDICATE_REGISTER = Registers((RegisterKind.Predicate,))
B16_REGISTER = Registers((RegisterKind.B16,))
B32_REGISTER = Registers((RegisterKind.B32,))
B64_REGISTER = Registers((RegisterKind.B64,))
ADDRESS_REGISTER = Registers((RegisterKind.B32, RegisterKind.B64))
DATA_REGISTER = Registers(DATA_KINDS)
DATA = Registers(DATA_KINDS, groups=(0,))
GROUP = Registers(DATA_KINDS, groups=(0,), single=False)
ANY_REGISTER = Registers(tuple(RegisterKind))
ANY_VALUE = Registers(tuple(RegisterKind), groups=(0,))
