"""
Small kernels at hardware level that lay open what the instructions of a warp do.

What stmatrix and ldmatrix move, the registers that every form of `mma.sync` makes, what
it reads of a tf32, and how f32 are rounded to it. For what Ampere has already the text
is for sm_80. See `tables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from support.tables import BASE, THREADS, Argument, Table, copy_words, table_of


def matrices(count: int, layout: str, store: bool) -> Table:
    """What stmatrix writes of, or ldmatrix reads into, the registers of each warp."""
    size = THREADS * 16
    image = Argument("image", "i32", (count * THREADS,))
    dump_words = size // 4 if store else count * THREADS
    dump = Argument("dump", "i32", (dump_words,), written=True)
    attributes = (
        f"layout = #nvvm.mma_layout<{layout}>, "
        "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
        "eltType = #nvvm.ld_st_matrix_elt_type<b16>"
    )
    struct = f"!llvm.struct<({', '.join(['i32'] * count)})>" if count > 1 else "i32"
    names = [f"%r{index}" for index in range(count)]
    lines = [
        "      %mine = arith.muli %tid, %four : i32",
        "      %sixteen = arith.constant 16 : i32",
        "      %row = arith.muli %tid, %sixteen : i32",
        "      %address = llvm.getelementptr %data[%row] : "
        "(!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8",
    ]
    target = "image" if store else "dump"
    for index in range(count):
        lines += [
            f"      %p{index} = llvm.getelementptr %{target}[{index * THREADS * 4}] : "
            "(!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
            f"      %q{index} = llvm.getelementptr %p{index}[%mine] : "
            "(!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8",
        ]
    if store:
        lines += [
            f"      %r{index} = llvm.load %q{index} {{alignment = 4 : i64}} : "
            "!llvm.ptr<1> -> i32"
            for index in range(count)
        ]
        # Every byte of the dump is written first: with fewer than 4 matrices stmatrix
        # leaves some rows alone.
        body = (
            _fill_shared(size)
            + "\n      nvvm.barrier\n"
            + "\n".join(lines)
            + f"\n      nvvm.stmatrix %address, {', '.join(names)} {{{attributes}}} : "
            f"!llvm.ptr<3>, {', '.join(['i32'] * count)}\n      nvvm.barrier"
            + copy_words(dump_words, "data", "dump")
        )
    else:
        image = Argument("image", "i32", (size // 4,))
        loaded = [
            f"      %all = nvvm.ldmatrix %address {{num = {count} : i32, {attributes}}}"
            f" : (!llvm.ptr<3>) -> {struct}"
        ]
        for index in range(count):
            value = f"%r{index}" if count > 1 else "%all"
            if count > 1:
                loaded.append(
                    f"      {value} = llvm.extractvalue %all[{index}] : {struct}"
                )
            loaded.append(
                f"      llvm.store {value}, %q{index} {{alignment = 4 : i64}} : i32, "
                "!llvm.ptr<1>"
            )
        body = (
            copy_words(size // 4, "image", "data")
            + "\n      nvvm.barrier\n"
            + "\n".join(lines + loaded)
        )
    verb = "stmatrix" if store else "ldmatrix"
    return table_of(f"{verb}_{count}_{layout}", (image, dump), [], BASE + size, body)


def _fill_shared(size: int) -> str:
    return f"""
      %fill_words = arith.constant {size // 4} : i32
      scf.for %fill_i = %tid to %fill_words step %threads : i32 {{
        %offset = arith.muli %fill_i, %four : i32
        %to = llvm.getelementptr %data[%offset]
          : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %fill_i, %to {{alignment = 4 : i64}} : i32, !llvm.ptr<3>
      }}"""


@dataclass(frozen=True)
class Product:
    """One form of `mma.sync`."""

    kind: str
    """Of A and B, in PTX."""

    k: int
    sums: str
    overflow: str = ""

    @property
    def name(self) -> str:
        """Of the table."""
        return "_".join(
            filter(None, ("mma", self.kind, str(self.k), self.sums, self.overflow))
        )

    @property
    def registers(self) -> tuple[int, int, int]:
        """Of A, B and C."""
        bits = {"f16": 16, "bf16": 16, "tf32": 32}.get(self.kind, 8)
        c = 2 if self.sums == "f16" else 4
        return 16 * self.k * bits // 1024, 8 * self.k * bits // 1024, c

    def op(self, a: list[str], b: list[str], c: list[str]) -> str:
        """The op, of registers of i32 each; its result is `%d`."""
        operand = "vector<2xf16>" if self.kind == "f16" else "i32"
        result = {"f32": "f32", "f16": "vector<2xf16>"}.get(self.sums, "i32")
        overflow = ""
        if self.overflow:
            overflow = (
                f"intOverflowBehavior = #nvvm.mma_int_overflow<{self.overflow}>, "
            )
        groups = " ".join(
            f"{name}[{', '.join(values)}]"
            for name, values in zip("ABC", (a, b, c), strict=True)
        )
        return (
            f"      %d = nvvm.mma.sync {groups} {{layoutA = #nvvm.mma_layout<row>, "
            f"layoutB = #nvvm.mma_layout<col>, {overflow}"
            f"multiplicandAPtxType = #nvvm.mma_type<{self.kind}>, "
            f"multiplicandBPtxType = #nvvm.mma_type<{self.kind}>, "
            f"shape = #nvvm.shape<m = 16, n = 8, k = {self.k}>}} "
            f": ({operand}, {operand}, {result}) -> {self.struct}"
        )

    @property
    def struct(self) -> str:
        """The type of the result."""
        result = {"f32": "f32", "f16": "vector<2xf16>"}.get(self.sums, "i32")
        return f"!llvm.struct<({', '.join([result] * self.registers[2])})>"


def _load(name: str, number: int, type_: str) -> tuple[str, str]:
    """The thread's word of a row of an argument: its name, and the ops."""
    value = f"%{name}{number}"
    return (
        value,
        f"""
      {value}_row = llvm.getelementptr %{name}[{number * THREADS * 4}]
        : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      {value}_at = llvm.getelementptr {value}_row[%mine]
        : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      {value} = llvm.load {value}_at {{alignment = 4 : i64}}
        : !llvm.ptr<1> -> {type_}""",
    )


def _store(value: str, number: int, type_: str) -> str:
    """Store a word of the thread to a row of `dump`."""
    return f"""
      {value}_row = llvm.getelementptr %dump[{number * THREADS * 4}]
        : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      {value}_at = llvm.getelementptr {value}_row[%mine]
        : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      llvm.store {value}, {value}_at {{alignment = 4 : i64}} : {type_}, !llvm.ptr<1>"""


_MINE = "      %mine = arith.muli %tid, %four : i32"


def product(form: Product) -> Table:
    """The registers of D, of four warps with operands of their own."""
    inputs = {"f16": "f16", "bf16": "bf16", "tf32": "f32"}.get(form.kind, "words")
    sums = {"f32": "f32", "f16": "f16"}.get(form.sums, "words")
    operand = "vector<2xf16>" if form.kind == "f16" else "i32"
    result = {"f32": "f32", "f16": "vector<2xf16>"}.get(form.sums, "i32")
    arguments: list[Argument] = []
    text, groups = _MINE, list[list[str]]()
    for name, count in zip("abc", form.registers, strict=True):
        values = sums if name == "c" else inputs
        arguments.append(Argument(name, "i32", (count, THREADS), values=values))
        groups.append([])
        for number in range(count):
            value, ops = _load(name, number, result if name == "c" else operand)
            groups[-1].append(value)
            text += ops
    text += "\n" + form.op(groups[0], groups[1], groups[2])
    for number in range(form.registers[2]):
        text += f"\n      %d{number} = llvm.extractvalue %d[{number}] : {form.struct}"
        text += _store(f"%d{number}", number, result)
    dump = Argument("dump", "i32", (form.registers[2], THREADS), written=True)
    return table_of(form.name, (*arguments, dump), [], BASE, text, target="sm_80")


def tf32_read() -> Table:
    """What `mma.sync` reads of f32 that are no tf32: A times the identity."""
    form = Product("tf32", 8, "f32")
    a = Argument("a", "i32", (4, THREADS), values="fractions")
    text, groups = _MINE, list[str]()
    for number in range(4):
        value, ops = _load("a", number, "i32")
        groups.append(value)
        text += ops
    # B as (n, k): lane 4 n + t holds k = t and t + 4.
    text += """
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %one_f = arith.constant 0x3F800000 : i32
      %zero_f = arith.constant 0.0 : f32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %n = arith.shrui %lane, %two : i32
      %k0 = arith.andi %lane, %three : i32
      %k1 = arith.addi %k0, %four : i32
      %is0 = arith.cmpi eq, %k0, %n : i32
      %is1 = arith.cmpi eq, %k1, %n : i32
      %b0 = arith.select %is0, %one_f, %zero : i32
      %b1 = arith.select %is1, %one_f, %zero : i32
"""
    text += form.op(groups, ["%b0", "%b1"], ["%zero_f"] * 4)
    for number in range(4):
        text += f"\n      %d{number} = llvm.extractvalue %d[{number}] : {form.struct}"
        text += _store(f"%d{number}", number, "f32")
    dump = Argument("dump", "i32", (4, THREADS), written=True)
    return table_of("mma_tf32_read", (a, dump), [], BASE, text, target="sm_80")


def tf32_rounded() -> Table:
    """How any f32 is rounded to tf32, infinities and what is no number among them."""
    rows = 32
    words = Argument("a", "i32", (rows, THREADS), values="words")
    text = _MINE
    for number in range(rows):
        value, ops = _load("a", number, "f32")
        rounded = f"%r{number}"
        text += ops
        text += (
            f"\n      {rounded} = nvvm.convert.float.to.tf32 {value} "
            "{rnd = #nvvm.fp_rnd_mode<rna>}"
        )
        text += _store(rounded, number, "i32")
    dump = Argument("dump", "i32", (rows, THREADS), written=True)
    return table_of("tf32_rounded", (words, dump), [], BASE, text, target="sm_80")


PRODUCTS = (
    *(Product("f16", k, sums) for k in (8, 16) for sums in ("f32", "f16")),
    *(Product("bf16", k, "f32") for k in (8, 16)),
    *(Product("tf32", k, "f32") for k in (4, 8)),
    *(
        Product(kind, k, "s32", overflow)
        for kind in ("s8", "u8")
        for k in (16, 32)
        for overflow in ("wrapped", "satfinite")
    ),
)


def warp_tables() -> Iterator[Table]:
    """Every form of the instructions of a warp on matrices."""
    for count in (1, 2, 4):
        for layout in ("row", "col"):
            yield matrices(count, layout, store=True)
            yield matrices(count, layout, store=False)
    yield from map(product, PRODUCTS)
    yield tf32_read()
    yield tf32_rounded()
