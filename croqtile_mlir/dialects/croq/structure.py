"""Kernels, levels of parallelism, roles and loops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
    ensure_terminator,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.clusters import verify_cluster_body
from croqtile_mlir.dialects.croq.filling import verify_returned
from croqtile_mlir.dialects.croq.handles import verify_handles
from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    pack,
    parse_index_list,
    print_index_list,
    unpack,
    verify_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.types import (
    DYNAMIC,
    Level,
    LevelAttr,
    Space,
    TileType,
)
from croqtile_mlir.targets.architecture import MAX_CLUSTER_BLOCKS

_index = IndexType()


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """
    Ends a kernel; its operands are the tiles that the kernel returns.

    Each is the result of a global `croq.alloc`: the runtime allocates it and the call
    returns it.

    ```mlir
    croq.return %out : !croq.tile<[M]x[N]xf16, global>
    ```
    """

    name = "croq.return"

    tiles = var_operand_def(TileType)

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(KernelOp)))

    assembly_format = "($tiles^ `:` type($tiles))? attr-dict"

    def __init__(self, tiles: Sequence[SSAValue] = ()):
        super().__init__(operands=[tiles])

    def verify_(self) -> None:
        for tile in self.tiles:
            owner = tile.owner
            if not isinstance(owner, Operation) or owner.name != "croq.alloc":
                raise VerifyException(
                    "operands must be results of croq.alloc in the body of the kernel"
                )
            if isinstance(tile.type, TileType) and (
                tile.type.memory_space is not Space.Global
            ):
                raise VerifyException(f"operands must be global tiles, got {tile.type}")
        if len(set(self.tiles)) != len(self.tiles):
            raise VerifyException("must return each tile once")
        verify_returned(self.tiles)


def _argument_name(index: int, text: str) -> str:
    """The name of the argument written as `text`; one is made up for `%0`."""
    return f"arg{index}" if text[1:].isdigit() else text[1:]


_KERNEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")

_RESERVED_NAMES = ("_", "WARP_SZ", "smem")
"""What PTX refuses as the name of a kernel, and the name of the shared memory."""


@irdl_op_definition
class KernelOp(IRDLOperation):
    """
    One launch.

    `dims` are integers bound from the shapes of the arguments at launch (equal names
    must agree; `multiple_of` is checked); `params` are compile-time integers bound by
    `--bind-params`, which has to give a value to those without one. Outside
    `croq.parallel .. : block` the body only computes extents.

    ```mlir
    croq.kernel @copy dims(M, N multiple_of 8) params(S = 4) (
        %src: !croq.tile<[M]x[N]xf16, global>, %dst: !croq.tile<[M]x[N]xf16, global>) {
      croq.return
    }
    ```
    """

    name = "croq.kernel"

    sym_name = prop_def(SymbolNameConstraint())
    dims = prop_def(ArrayAttr[StringAttr])
    multiples = prop_def(ArrayAttr[IntAttr])
    params = prop_def(DictionaryAttr)
    arg_names = prop_def(ArrayAttr[StringAttr])

    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(),
        SymbolOpInterface(),
        SingleBlockImplicitTerminator(ReturnOp),
    )

    def __init__(
        self,
        name: str,
        region: Region,
        *,
        dims: Sequence[str] = (),
        multiples: Sequence[int] | None = None,
        params: Mapping[str, int | None] | None = None,
        arg_names: Sequence[str] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        if arg_names is None:
            arg_names = [
                arg.name_hint or f"arg{i}" for i, arg in enumerate(region.block.args)
            ]
        super().__init__(
            regions=[region],
            properties={
                "sym_name": StringAttr(name),
                "dims": ArrayAttr(StringAttr(d) for d in dims),
                "multiples": ArrayAttr(
                    IntAttr(m) for m in (multiples or [1] * len(dims))
                ),
                "params": DictionaryAttr(
                    {
                        n: UnitAttr() if v is None else IntegerAttr(v, i64)
                        for n, v in (params or {}).items()
                    }
                ),
                "arg_names": ArrayAttr(StringAttr(n) for n in arg_names),
            },
            attributes=dict(attributes or {}),
        )

    @property
    def dim_names(self) -> tuple[str, ...]:
        """Names of the dims bound at launch."""
        return tuple(d.data for d in self.dims)

    @property
    def dim_multiples(self) -> dict[str, int]:
        """What each dim is known to be a multiple of."""
        return {d.data: m.data for d, m in zip(self.dims, self.multiples, strict=True)}

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the parameters, with and without default values."""
        return tuple(self.params.data)

    @property
    def param_values(self) -> dict[str, int]:
        """Parameters that have default values, with these."""
        values: dict[str, int] = {}
        for name, value in self.params.data.items():
            if isinstance(value, IntegerAttr):
                values[name] = value.value.data
        return values

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name().data
        dims: list[str] = []
        multiples: list[int] = []

        def parse_dim() -> None:
            dims.append(parser.parse_identifier(context_msg=" as the name of a dim"))
            multiple = 1
            if parser.parse_optional_keyword("multiple_of") is not None:
                multiple = parser.parse_integer(allow_boolean=False)
            multiples.append(multiple)

        if parser.parse_optional_keyword("dims") is not None:
            parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_dim)
        params: dict[str, int | None] = {}

        def parse_param() -> None:
            param = parser.parse_identifier(context_msg=" as the name of a parameter")
            params[param] = None
            if parser.parse_optional_punctuation("=") is not None:
                params[param] = parser.parse_integer(allow_boolean=False)

        if parser.parse_optional_keyword("params") is not None:
            parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_param)
        args = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parser.parse_argument()
        )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region(args)
        op = cls(
            name,
            region,
            dims=dims,
            multiples=multiples,
            params=params,
            arg_names=[_argument_name(i, arg.name.text) for i, arg in enumerate(args)],
            attributes={} if attributes is None else attributes.data,
        )
        for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
            ensure_terminator(op, trait)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.dims.data:
            printer.print_string(" dims(")
            printer.print_list(
                self.dim_multiples.items(),
                lambda dim: printer.print_string(
                    dim[0] if dim[1] == 1 else f"{dim[0]} multiple_of {dim[1]}"
                ),
            )
            printer.print_string(")")
        if self.params.data:
            printer.print_string(" params(")
            values = self.param_values
            printer.print_list(
                self.param_names,
                lambda name: printer.print_string(
                    f"{name} = {values[name]}" if name in values else name
                ),
            )
            printer.print_string(")")
        printer.print_string(" (")
        for name, arg in zip(self.arg_names, self.body.block.args, strict=True):
            arg.name_hint = name.data
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        last = self.body.block.last_op
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_block_terminators=last is not None and bool(last.operands),
        )

    def verify_(self) -> None:
        # The generic form may hold bytes that are no text.
        kernel = str(self.sym_name.data)
        if not _KERNEL_NAME.fullmatch(kernel) or kernel in _RESERVED_NAMES:
            raise VerifyException(
                "name must be one that PTX takes, of letters, digits, _ and $, and "
                f"none of {', '.join(_RESERVED_NAMES)}, got {kernel}"
            )
        if len(self.arg_names) != len(self.body.block.args):
            raise VerifyException(
                f"must have one argument name for each of its "
                f"{len(self.body.block.args)} arguments, got {len(self.arg_names)}"
            )
        if len(self.multiples) != len(self.dims):
            raise VerifyException("must have one multiple for each dim")
        for name in self.arg_names:
            if not SSAValue.is_valid_name(name.data):
                raise VerifyException(
                    f'names of arguments must be identifiers, got "{name.data}"'
                )
        arguments = [name.data for name in self.arg_names]
        for name in arguments:
            if arguments.count(name) > 1:
                raise VerifyException(f"must name each argument once, got {name} twice")
        names = [*self.dim_names, *self.params.data]
        for name in names:
            if names.count(name) > 1:
                raise VerifyException(f"declares the name {name} twice")
        for name, multiple in self.dim_multiples.items():
            if multiple < 1:
                raise VerifyException(
                    f"multiple_of of dim {name} must be positive, got {multiple}"
                )
        for name, value in self.param_values.items():
            if value < 1:
                raise VerifyException(f"parameter {name} must be positive, got {value}")
        for name, arg in zip(self.arg_names, self.body.block.args, strict=True):
            self._verify_argument(name.data, arg.type)
        verify_handles(self)

    def _verify_argument(self, name: str, arg_type: Attribute) -> None:
        if not isinstance(arg_type, TileType):
            if not isinstance(arg_type, IntegerType | IndexType | AnyFloat):
                raise VerifyException(
                    f"argument {name} must be a tile or a number, got {arg_type}"
                )
            return
        if arg_type.memory_space is not Space.Global:
            raise VerifyException(
                f"argument {name} must be a global tile, got {arg_type}"
            )
        for dim in arg_type.dims:
            if dim == DYNAMIC:
                raise VerifyException(
                    f"argument {name} must have named or constant extents, got "
                    f"{arg_type}"
                )
            declared = (*self.dim_names, *self.param_names)
            if isinstance(dim, str) and dim not in declared:
                raise VerifyException(
                    f"argument {name} must use declared dims and params, got [{dim}] "
                    f"(declared: {', '.join(declared) or 'none'})"
                )


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """
    Runs its body once for each index of a level: `cluster`, `block`, `warpgroup`,
    `warp`, `thread`.

    At `block` the first index is x of the grid; at the inner levels the last index is
    the fastest. `threads` fixes the threads of a block that has neither roles nor inner
    levels.

    ```mlir
    croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
      croq.parallel (%i, %j) in (16, 16) : thread {
      }
    }
    ```

    A `cluster` has index arithmetic and one `block` inside, of constant extents and at
    most 8 instances; missing indices are 1. Along index d the block has the index
    `cluster index * extent + index in the cluster` of the grid, and the first index in
    the cluster is the fastest of its rank.

    ```mlir
    croq.parallel (%c) in (66) : cluster {
      croq.parallel (%i, %j) in (2, 1) : block {
      }
    }
    ```
    """

    name = "croq.parallel"

    extents = var_operand_def(IndexType)
    static_extents = prop_def(IndexListAttr)
    level = prop_def(LevelAttr)
    threads = opt_prop_def(IntegerAttr)

    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        extents: Sequence[Index],
        level: Level,
        body: Region,
        threads: int | None = None,
    ):
        operands, static = pack(extents)
        super().__init__(
            operands=[operands],
            properties={
                "static_extents": static,
                "level": LevelAttr(level),
                "threads": None
                if threads is None
                else IntegerAttr.from_index_int_value(threads),
            },
            regions=[body],
        )

    @property
    def extent_values(self) -> tuple[Index, ...]:
        """How many instances there are along each index."""
        return unpack(self.extents, self.static_extents)

    @property
    def extents_in_cluster(self) -> tuple[int, ...] | None:
        """Of a block of a cluster: how many blocks a cluster has along each index."""
        parent = self.parent_op()
        if (
            self.level.data is not Level.Block
            or not isinstance(parent, ParallelOp)
            or parent.level.data is not Level.Cluster
        ):
            return None
        return tuple(e for e in self.extent_values if isinstance(e, int))

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        args = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_keyword("in")
        operands, static = parse_index_list(parser, Parser.Delimiter.PAREN)
        parser.parse_punctuation(":")
        level = parser.parse_str_enum(Level)
        threads = None
        if parser.parse_optional_keyword("threads") is not None:
            threads = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([arg.resolve(_index) for arg in args])
        op = cls(unpack(operands, static), level, body, threads)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(") in ")
        print_index_list(printer, self.extent_values, "()")
        printer.print_string(f" : {self.level.data.value}")
        if self.threads is not None:
            printer.print_string(f" threads {self.threads.value.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_empty_block=False
        )

    def verify_(self) -> None:
        if not well_formed(self.extents, self.static_extents):
            raise VerifyException("must have one operand for each dynamic extent")
        verify_names(self, self.extent_values)
        rank = len(self.static_extents)
        if not 1 <= rank <= 3:
            raise VerifyException(f"must have 1 to 3 indices, got {rank}")
        if rank != len(self.body.block.args):
            raise VerifyException(
                f"must have one index for each of its {rank} extents, "
                f"got {len(self.body.block.args)}"
            )
        self._verify_level(self.level.data)

    def _verify_level(self, level: Level) -> None:
        parent = self.parent_op()
        if level is Level.Cluster:
            if parent is not None and not isinstance(parent, KernelOp):
                raise VerifyException(
                    f"level cluster must be directly in croq.kernel, got {parent.name}"
                )
            verify_cluster_body(tuple(self.body.block.ops), len(self.static_extents))
        elif level is Level.Block:
            if self.extents_in_cluster is not None:
                self._verify_in_cluster()
            elif parent is not None and not isinstance(parent, KernelOp):
                raise VerifyException(
                    "level block must be directly in croq.kernel or level cluster, got "
                    f"{parent.name}"
                )
        else:
            while parent is not None and not isinstance(parent, ParallelOp):
                if isinstance(parent, KernelOp | ModuleOp):
                    raise VerifyException(
                        f"level {level.value} must be inside level block, "
                        f"got {parent.name}"
                    )
                parent = parent.parent_op()
            levels = tuple(Level)
            if parent is not None and (
                levels.index(parent.level.data) >= levels.index(level)
            ):
                raise VerifyException(
                    f"level {level.value} must be inside a coarser level, "
                    f"got level {parent.level.data.value}"
                )
            for extent in self.extent_values:
                if isinstance(extent, SSAValue):
                    raise VerifyException(
                        f"level {level.value} must have constant extents"
                    )
        self._verify_threads(level)

    def _verify_in_cluster(self) -> None:
        blocks = 1
        for extent in self.extent_values:
            if not isinstance(extent, int):
                raise VerifyException(
                    "level block must have constant extents inside level cluster"
                )
            if extent < 1:
                raise VerifyException(
                    f"extents in a cluster must be positive, got {extent}"
                )
            blocks *= extent
        if blocks > MAX_CLUSTER_BLOCKS:
            raise VerifyException(
                f"must be at most {MAX_CLUSTER_BLOCKS} blocks in a cluster, got "
                f"{blocks}"
            )

    def _verify_threads(self, level: Level) -> None:
        if self.threads is not None:
            threads = self.threads.value.data
            if level is not Level.Block:
                raise VerifyException("threads must be on level block")
            if not (0 < threads <= 1024 and threads % 32 == 0):
                raise VerifyException(
                    f"threads must be a multiple of 32 up to 1024, got {threads}"
                )


@irdl_op_definition
class RoleOp(IRDLOperation):
    """
    A part of a block with a program counter of its own (Croqtile's `inthreads.async`).

    All roles of a block run concurrently. `registers` is the budget of each thread.

    ```mlir
    croq.role "consumer" warpgroups [1, 3) registers 240 {
    }
    ```
    """

    name = "croq.role"

    role_name = prop_def(StringAttr)
    first = prop_def(IntAttr)
    last = prop_def(IntAttr)
    warps = opt_prop_def(UnitAttr)
    registers = opt_prop_def(IntAttr)

    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        role_name: str,
        first: int,
        last: int,
        body: Region,
        *,
        warps: bool = False,
        registers: int | None = None,
    ):
        super().__init__(
            properties={
                "role_name": StringAttr(role_name),
                "first": IntAttr(first),
                "last": IntAttr(last),
                "warps": UnitAttr() if warps else None,
                "registers": None if registers is None else IntAttr(registers),
            },
            regions=[body],
        )

    @property
    def first_thread(self) -> int:
        """Index in the block of the role's first thread."""
        return self.first.data * (128 if self.warps is None else 32)

    @property
    def num_threads(self) -> int:
        """Number of threads of the role."""
        return (self.last.data - self.first.data) * (128 if self.warps is None else 32)

    @classmethod
    def parse(cls, parser: Parser) -> RoleOp:
        name = parser.parse_str_literal()
        unit = parser.parse_keyword_in(("warpgroups", "warps"))
        parser.parse_punctuation("[")
        first = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        last = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(")")
        registers = None
        if parser.parse_optional_keyword("registers") is not None:
            registers = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(())
        op = cls(name, first, last, body, warps=unit == "warps", registers=registers)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.role_name.data)
        unit = "warpgroups" if self.warps is None else "warps"
        printer.print_string(f" {unit} [{self.first.data}, {self.last.data})")
        if self.registers is not None:
            printer.print_string(f" registers {self.registers.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        first, last = self.first.data, self.last.data
        unit = "warpgroups" if self.warps is None else "warps"
        if not 0 <= first < last or self.first_thread + self.num_threads > 1024:
            raise VerifyException(
                f"{unit} must be a non-empty range of the 1024 threads of a block, "
                f"got [{first}, {last})"
            )
        if self.registers is not None:
            registers = self.registers.data
            if registers % 8 or not 24 <= registers <= 256:
                raise VerifyException(
                    f"registers must be a multiple of 8 in 24..256, got {registers}"
                )
            if self.warps is not None:
                raise VerifyException(
                    "registers must be on a role of whole warpgroups (setmaxnreg)"
                )
        block = self.parent_op()
        if block is None:
            return
        if not isinstance(block, ParallelOp) or block.level.data is not Level.Block:
            raise VerifyException(
                f"must be directly inside level block, got {block.name}"
            )
        for other in block.body.block.ops:
            if not isinstance(other, RoleOp) or other is self:
                continue
            begin = max(self.first_thread, other.first_thread)
            end = min(
                self.first_thread + self.num_threads,
                other.first_thread + other.num_threads,
            )
            if begin < end:
                raise VerifyException(
                    f"must have threads of its own, got threads [{begin}, {end}) in "
                    f'common with role "{other.role_name.data}"'
                )
