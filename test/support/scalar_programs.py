"""
Random scalar kernels at the hardware level, as text, and what integer operations mean.

A kernel stores values, all through one pointer; what is stored is what it does.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

BINARY = (
    *("addi", "subi", "muli", "divui", "remui", "minui", "maxui", "minsi", "maxsi"),
    *("andi", "ori", "xori", "shli", "shrui", "shrsi"),
)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CONSTANTS = (0, 1, 2, 3, 4, 7, 8, 31, 64, 1000, -1, -8, 2**31 - 1, -(2**31))
TYPES = ("i32", "i64", "i1")


@dataclass
class Program:
    """Writes a kernel of two parameters, and a pointer that all stores go through."""

    random: random.Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def text(self, ops: int) -> str:
        """The kernel."""
        scope = {"i32": ["%a"], "i64": ["%b"], "i1": list[str]()}
        self.body(scope, ops, 0)
        body = "\n".join(self.lines)
        return (
            "gpu.module @m {\nllvm.func @k(%a: i32, %b: i64, %out: !llvm.ptr<1>) "
            f"attributes {{nvvm.kernel}} {{\n{body}\nllvm.return\n}}\n}}\n"
        )

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def value(self, scope: dict[str, list[str]], kind: str) -> str:
        """A value of a type: a recent one, or a new constant or comparison."""
        known = scope[kind]
        if known and self.random.random() < 0.8:
            return known[-self.random.randrange(1, min(len(known), 5) + 1)]
        name = self.name()
        if kind == "i1" and self.random.random() < 0.8:
            of = self.random.choice(("i32", "i64"))
            a, b = self.value(scope, of), self.value(scope, of)
            predicate = self.random.choice(PREDICATES)
            self.lines.append(f"{name} = arith.cmpi {predicate}, {a}, {b} : {of}")
            if self.random.random() < 0.5:
                true = self.fresh("arith.constant true")
                name = self.fresh(f"arith.xori {name}, {true} : i1")
        elif kind == "i1":
            word = self.random.choice(("true", "false"))
            self.lines.append(f"{name} = arith.constant {word}")
        else:
            constant = self.random.choice(CONSTANTS)
            self.lines.append(f"{name} = arith.constant {constant} : {kind}")
        scope[kind].append(name)
        return name

    def body(self, scope: dict[str, list[str]], ops: int, depth: int) -> None:
        for _ in range(self.random.randrange(1, ops + 1)):
            kinds: list[Callable[[dict[str, list[str]], int], None]] = [
                *(self.binary, self.binary, self.logic, self.convert, self.convert),
                *(self.select, self.store),
            ]
            if depth < 3:
                kinds += [self.loop, self.conditional, self.repeat]
            self.random.choice(kinds)(scope, depth)
        self.store(scope, depth)

    def binary(self, scope: dict[str, list[str]], depth: int) -> None:
        kind = self.random.choice(("i32", "i64"))
        op = self.random.choice(BINARY)
        a, b = self.value(scope, kind), self.value(scope, kind)
        width = int(kind[1:])
        if op.startswith("sh"):
            b = self.fresh(f"arith.constant {self.random.randrange(width)} : {kind}")
        elif op in ("divui", "remui"):
            one = self.fresh(f"arith.constant {self.random.choice((1, 3, 8))} : {kind}")
            b = self.fresh(f"arith.ori {b}, {one} : {kind}")
        self.define(scope, kind, f"arith.{op} {a}, {b} : {kind}")

    def fresh(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def define(self, scope: dict[str, list[str]], kind: str, text: str) -> None:
        """A new value, which is likely to be stored."""
        name = self.fresh(text)
        scope[kind].append(name)
        if self.random.random() < 0.7:
            if kind == "i1":
                kind, op = "i32", self.random.choice(("extui", "extsi"))
                name = self.fresh(f"arith.{op} {name} : i1 to i32")
            self.lines.append(f"llvm.store {name}, %out : {kind}, !llvm.ptr<1>")

    def logic(self, scope: dict[str, list[str]], depth: int) -> None:
        op = self.random.choice(("andi", "ori", "xori"))
        a, b = self.value(scope, "i1"), self.value(scope, "i1")
        if self.random.random() < 0.4:
            b = self.fresh("arith.constant true")
        self.define(scope, "i1", f"arith.{op} {a}, {b} : i1")

    def convert(self, scope: dict[str, list[str]], depth: int) -> None:
        to, source = self.random.sample(TYPES, 2)
        value = self.value(scope, source)
        if source != "i1" and self.random.random() < 0.2:
            constant = self.random.choice(CONSTANTS)
            value = self.fresh(f"arith.constant {constant} : {source}")
        narrow = int(to[1:]) < int(source[1:])
        op = "trunci" if narrow else self.random.choice(("extui", "extsi"))
        self.define(scope, to, f"arith.{op} {value} : {source} to {to}")

    def select(self, scope: dict[str, list[str]], depth: int) -> None:
        kind = self.random.choice(TYPES)
        c, a, b = (self.value(scope, each) for each in ("i1", kind, kind))
        self.define(scope, kind, f"arith.select {c}, {a}, {b} : {kind}")

    def store(self, scope: dict[str, list[str]], depth: int) -> None:
        kind = self.random.choice(("i32", "i64"))
        value = self.value(scope, kind)
        self.lines.append(f"llvm.store {value}, %out : {kind}, !llvm.ptr<1>")

    def carried(self, scope: dict[str, list[str]]) -> list[tuple[str, str]]:
        """Types and values that a region takes or gives."""
        kinds = [self.random.choice(TYPES) for _ in range(self.random.randrange(4))]
        return [(kind, self.value(scope, kind)) for kind in kinds]

    def loop(self, scope: dict[str, list[str]], depth: int) -> None:
        kind = self.random.choice(("i32", "i64"))
        bounds = [self.random.choice((0, 1, 3)), self.random.choice((0, 1, 2, 4, 5))]
        low, high = (self.fresh(f"arith.constant {b} : {kind}") for b in bounds)
        if self.random.random() < 0.5:
            # Not known at compile time.
            mask = self.fresh(f"arith.constant 3 : {kind}")
            value = self.value(scope, kind)
            high = self.fresh(f"arith.andi {value}, {mask} : {kind}")
        step = self.fresh(f"arith.constant {self.random.choice((1, 2))} : {kind}")
        start = self.carried(scope)
        names = [self.name() for _ in start]
        index, result = self.name(), self.name()
        types = ", ".join(kind for kind, _ in start)
        pairs = zip(names, start, strict=True)
        args = ", ".join(f"{name} = {value}" for name, (_, value) in pairs)
        head = f"{result}:{len(start)} = " if start else ""
        iter_args = f" iter_args({args}) -> ({types})" if start else ""
        self.lines.append(
            f"{head}scf.for {index} = {low} to {high} step {step}{iter_args} "
            f": {kind} {{"
        )
        inner = {each: list(values) for each, values in scope.items()}
        inner[kind].append(index)
        for name, (each, _) in zip(names, start, strict=True):
            inner[each].append(name)
        self.body(inner, 3, depth + 1)
        self.finish(inner, [kind for kind, _ in start])
        self.results(scope, result, [kind for kind, _ in start])

    def finish(self, scope: dict[str, list[str]], kinds: list[str]) -> None:
        values = ", ".join(self.value(scope, kind) for kind in kinds)
        types = f" : {', '.join(kinds)}" if kinds else ""
        self.lines.append(f"scf.yield {values}{types}\n}}")

    def results(self, scope: dict[str, list[str]], name: str, kinds: list[str]) -> None:
        for index, kind in enumerate(kinds):
            scope[kind].append(f"{name}#{index}")

    def conditional(self, scope: dict[str, list[str]], depth: int) -> None:
        condition = self.value(scope, "i1")
        kinds = [self.random.choice(TYPES) for _ in range(self.random.randrange(3))]
        result = self.name()
        head = f"{result}:{len(kinds)} = " if kinds else ""
        types = f" -> ({', '.join(kinds)})" if kinds else ""
        self.lines.append(f"{head}scf.if {condition}{types} {{")
        inner = {each: list(values) for each, values in scope.items()}
        self.body(inner, 3, depth + 1)
        self.finish(inner, kinds)
        if kinds or self.random.random() < 0.5:
            self.lines[-1] += " else {"
            inner = {each: list(values) for each, values in scope.items()}
            self.body(inner, 2, depth + 1)
            self.finish(inner, kinds)
        self.results(scope, result, kinds)

    def repeat(self, scope: dict[str, list[str]], depth: int) -> None:
        """A `while` that counts down from a few."""
        three = self.fresh("arith.constant 3 : i32")
        start = self.fresh(f"arith.andi {self.value(scope, 'i32')}, {three} : i32")
        zero = self.fresh("arith.constant 0 : i32")
        one = self.fresh("arith.constant 1 : i32")
        before, after, result = self.name(), self.name(), self.name()
        self.lines.append(
            f"{result} = scf.while ({before} = {start}) : (i32) -> i32 {{"
        )
        more = self.fresh(f"arith.cmpi sgt, {before}, {zero} : i32")
        if self.random.random() < 0.5:
            # All in the test, and nothing in the body.
            less = self.fresh(f"arith.subi {before}, {one} : i32")
            self.lines.append(f"scf.condition({more}) {less} : i32\n}} do {{")
            self.lines.append(f"^bb0({after}: i32):\nscf.yield {after} : i32\n}}")
        else:
            self.lines.append(f"scf.condition({more}) {before} : i32\n}} do {{")
            self.lines.append(f"^bb0({after}: i32):")
            less = self.fresh(f"arith.subi {after}, {one} : i32")
            inner = {each: list(values) for each, values in scope.items()}
            inner["i32"].append(after)
            self.body(inner, 2, depth + 1)
            self.lines.append(f"scf.yield {less} : i32\n}}")
        scope["i32"].append(result)


def signed(value: int, bits: int) -> int:
    """The low bits of a value, read as signed."""
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def calculate(op: str, a: int, b: int, bits: int) -> int:
    """An integer operation on bit patterns; the result is one too."""
    mask = (1 << bits) - 1
    x, y = signed(a, bits), signed(b, bits)
    table: dict[str, Callable[[], int]] = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "mulhiu": lambda: a * b >> bits,
        "divu": lambda: a // b,
        "remu": lambda: a % b,
        "minu": lambda: min(a, b),
        "maxu": lambda: max(a, b),
        "mins": lambda: min(x, y),
        "maxs": lambda: max(x, y),
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "shl": lambda: a << b,
        "shru": lambda: a >> b,
        "shrs": lambda: x >> b,
    }
    return table[op]() & mask


def compares(comparison: str, a: int, b: int) -> bool:
    """Whether `a` and `b` compare so, `lt` and so on."""
    table = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b}
    table |= {"gt": a > b, "ge": a >= b}
    return table[comparison]
