"""The calls that are measured: compiled kernels, bare launches, torch and Triton."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from many_arguments import sum_of

import croqtile_mlir as croq

from .measures import Call, Contender, Failures, ready
from .variants import variants

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZE = 256
"""Extent of every dim."""

STEP = 256
"""Bytes from one tensor to the next where no address comes twice."""

BARE = "cuLaunchKernel: product"
"""The launch that every call of the product makes."""


@dataclass(frozen=True)
class Moving:
    """Matrices inside one buffer, each at an address that was not used before."""

    torch: Any
    buffer: Any
    used: list[int]
    """How many were made, in one element."""

    @staticmethod
    def of(torch: Any, device: str, count: int) -> Moving:
        """Room for `count` matrices of f16."""
        elements = SIZE * SIZE + count * STEP // 2
        buffer = torch.zeros(elements, dtype=torch.float16, device=device)
        return Moving(torch, buffer, [0])

    def next(self) -> Any:
        """One that overlaps with the others."""
        start = self.used[0] * STEP // 2
        self.used[0] += 1
        return self.buffer[start : start + SIZE * SIZE].view(SIZE, SIZE)


@dataclass(frozen=True)
class Contenders:
    """All contenders, in groups; a group that cannot be made is left out and told."""

    torch: Any
    sets: int
    """Of rotating tensors."""

    calls: int
    """At most so many in all."""

    failures: Failures
    device: str = "cuda"

    def all(self, *, with_variants: bool) -> list[Contender]:
        """All that can be made here; results of kernels are compared with torch's."""
        made = self.failures.made
        found = made("products", self.products)
        for tensors, scalars in ((18, 0), (8, 10), (2, 16)):
            name = f"{tensors + 1} tensors, {scalars} scalars"
            found += made(name, partial(self.many_arguments, name, tensors, scalars))
        found += made("returned product", self.returned)
        found += made("croq.matmul", self.matmul)
        found += made("torch", self.of_torch)
        found += made("sum", self.sum)
        found += made("Triton", self.triton)
        found += made("cupy", self.cupy)
        if with_variants:
            found += made("variants of a sum of 3", partial(self.variants, 2))
            found += made("variants of a sum of 19", partial(self.variants, 18))
        return found

    def random(self, dtype: Any) -> Any:
        """A matrix."""
        return self.torch.randn(SIZE, SIZE, device=self.device).to(dtype)

    @cached_property
    def operands(self) -> tuple[Any, Any, Any]:
        """Of a product in f16."""
        a, b, c = (self.random(self.torch.float16) for _ in range(3))
        return a, b, c

    @cached_property
    def summands(self) -> tuple[Any, Any, Any]:
        """And a sum in f32."""
        x, y, z = (self.random(self.torch.float32) for _ in range(3))
        return x, y, z

    def products(self) -> Iterator[Contender]:
        """A kernel with the tensor maps of three tensors."""
        torch, f16 = self.torch, self.torch.float16
        lhs, rhs, out = ([self.random(f16) for _ in range(self.sets)] for _ in "abc")
        kernel = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
        prepared = kernel.prepare(lhs[0], rhs[0], out[0])
        stream = torch.cuda.Stream()
        a, b, c = lhs[0], rhs[0], out[0]

        def rotating(number: int) -> None:
            at = number % self.sets
            kernel(lhs[at], rhs[at], out[at])

        moving = Moving.of(torch, self.device, 3 * self.calls)

        def moved(count: int) -> Call:
            tensors = [tuple(moving.next() for _ in range(3)) for _ in range(count)]
            return lambda number: kernel(*tensors[number])

        check_products(torch, rotating, lhs, rhs, out)
        yield Contender(BARE, ready(bare(prepared)))
        every = {
            "kernel(a, b, out): product, same addresses": ready(
                lambda _: kernel(a, b, c)
            ),
            f"kernel(a, b, out): product, {self.sets} sets of tensors": ready(rotating),
            "kernel(a, b, out): product, addresses never seen": moved,
            "kernel(a, b, out, stream=s): product": ready(
                lambda _: kernel(a, b, c, stream=stream)
            ),
            "kernel.prepare(a, b, out).launch(): product": ready(
                lambda _: prepared.launch()
            ),
        }
        for name, batch in every.items():
            yield Contender(name, batch, BARE)

    def many_arguments(
        self, what: str, tensors: int, scalars: int
    ) -> Iterator[Contender]:
        """Calls of a kernel of many arguments, and its bare launch.

        That has as many parameters as the call has arguments.
        """
        kernel, xs, out = self.sum_of(tensors, scalars)
        numbers = [0.25 * number for number in range(scalars)]
        arguments = (*xs, *numbers, out)
        kernel(*arguments)
        check_sum(self.torch, xs, sum(numbers), out)
        if len(kernel.plan.params) != len(arguments):
            raise RuntimeError(f"{len(kernel.plan.params)} parameters")
        prepared = kernel.prepare(*arguments)
        name = f"cuLaunchKernel: {what}"
        yield Contender(name, ready(bare(prepared)))
        yield Contender(
            f"kernel(...): {what}", ready(lambda _: kernel(*arguments)), name
        )

    def variants(self, tensors: int) -> Iterator[Contender]:
        """Other ways to make the same call."""
        kernel, xs, out = self.sum_of(tensors, 0)
        arguments, other = (*xs, out), self.torch.empty_like(out)
        prepared = kernel.prepare(*arguments)
        name = f"cuLaunchKernel: sum of {tensors + 1} tensors"
        yield Contender(name, ready(bare(prepared)))
        kernel(*arguments)
        call = ready(lambda _: kernel(*arguments))
        yield Contender(f"{tensors + 1} tensors: kernel(...)", call, name)
        for variant, make in variants(self.torch, prepared, arguments):
            what = f"{tensors + 1} tensors: {variant}"
            yield from self.failures.made(
                what, partial(self._variant, what, name, make, arguments, other)
            )

    def _variant(
        self,
        what: str,
        bare: str,
        make: Callable[[], Callable[..., object]],
        arguments: Sequence[Any],
        other: Any,
    ) -> Iterator[Contender]:
        launch = make()
        *xs, out = arguments
        out.fill_(float("nan"))
        launch(*arguments)
        check_sum(self.torch, xs, 0.0, out)
        try:
            launch(*xs, other)
        except LookupError:
            pass
        else:
            if "nothing checked" not in what:
                raise RuntimeError("another address was not seen")
        yield Contender(what, ready(lambda _: launch(*arguments)), bare)

    def sum_of(self, tensors: int, scalars: int) -> tuple[croq.Kernel, list[Any], Any]:
        """A kernel, its vectors, and one for the result."""
        torch, device = self.torch, self.device
        xs = [torch.randn(256, device=device) for _ in range(tensors)]
        out = torch.full((256,), float("nan"), device=device)
        return croq.compile(sum_of(tensors, scalars)), xs, out

    def returned(self) -> Iterator[Contender]:
        """A kernel that makes its result."""
        a, b, _ = self.operands
        kernel = croq.compile(EXAMPLES / "matmul_returned.mlir")
        check_product(self.torch, a, b, kernel(a, b))
        yield Contender("out = kernel(a, b): product", ready(lambda _: kernel(a, b)))

    def matmul(self) -> Iterator[Contender]:
        """The product that chooses its kernel."""
        a, b, out = self.operands
        transposed = b.T
        for _ in range(3):
            out.fill_(float("nan"))
            croq.matmul(a, transposed, out)
            check_product(self.torch, a, b, out)
            check_product(self.torch, a, b, croq.matmul(a, transposed))
        calls: dict[str, Call] = {
            "croq.matmul(a, b.T, out)": lambda _: croq.matmul(a, transposed, out),
            "out = croq.matmul(a, b.T)": lambda _: croq.matmul(a, transposed),
        }
        for name, call in calls.items():
            yield Contender(name, ready(call))

    def of_torch(self) -> Iterator[Contender]:
        """What torch takes for the like."""
        torch = self.torch
        (a, b, out), (x, y, z) = self.operands, self.summands
        transposed = b.T
        calls: dict[str, Call] = {
            "torch.matmul(a, b.T, out=out)": lambda _: torch.matmul(
                a, transposed, out=out
            ),
            "out = torch.matmul(a, b.T)": lambda _: torch.matmul(a, transposed),
            "torch.add(a, b, out=out)": lambda _: torch.add(x, y, out=z),
        }
        for name, call in calls.items():
            yield Contender(name, ready(call))

    def sum(self) -> Iterator[Contender]:
        """A trivial kernel."""
        kernel = croq.compile(EXAMPLES / "add.mlir")
        x, y, z = self.summands
        yield self._sum("kernel(a, b, out): sum", lambda _: kernel(x, y, z))

    def triton(self) -> Iterator[Contender]:
        """The same of Triton, which needs a C compiler."""
        launch = import_module("triton_add").launch
        x, y, z = self.summands
        yield self._sum("Triton: sum", lambda _: launch(x, y, z))

    def cupy(self) -> Iterator[Contender]:
        """The same of arrays of cupy, and what cupy takes for it."""
        cupy: Any = import_module("cupy")
        kernel = croq.compile(EXAMPLES / "add.mlir")
        x, y, z = (cupy.asarray(each) for each in self.summands)
        calls: dict[str, Call] = {
            "kernel(a, b, out): sum, of cupy": lambda _: kernel(x, y, z),
            "cupy.add(a, b, out=out)": lambda _: cupy.add(x, y, out=z),
        }
        for name, call in calls.items():
            yield self._sum(name, call)

    def _sum(self, name: str, call: Call) -> Contender:
        x, y, z = self.summands
        z.fill_(float("nan"))
        call(0)
        if not self.torch.equal(z, x + y):
            raise RuntimeError("the sum is wrong")
        return Contender(name, ready(call))


def bare(prepared: Any) -> Call:
    """The driver's launch by cuda-python, with all that it takes made beforehand."""
    driver: Any = import_module("cuda.bindings.driver")
    plan, function = prepared.plan, prepared.kernel.function
    (x, y, z), block, shared = prepared.grid, plan.block, plan.shared_bytes
    # The driver reads from here: the parameters must outlive the call.
    stream, parameters = driver.CUstream(prepared.stream), prepared.parameters
    launch, address = driver.cuLaunchKernel, parameters.address

    def call(number: int, kept: Any = parameters) -> None:
        launch(function, x, y, z, block, 1, 1, shared, stream, address, 0)

    return call


def check_products(
    torch: Any,
    rotating: Call,
    lhs: Sequence[Any],
    rhs: Sequence[Any],
    out: Sequence[Any],
) -> None:
    """Every set of tensors twice, the second time by what the first left behind."""
    for _ in range(2):
        for number, (a, b, c) in enumerate(zip(lhs, rhs, out, strict=True)):
            c.fill_(float("nan"))
            rotating(number)
            check_product(torch, a, b, c)


def check_product(torch: Any, a: Any, b: Any, c: Any) -> None:
    """Whether c is a @ b.T."""
    wanted = a.double() @ b.double().T
    error = torch.linalg.norm(c.double() - wanted) / torch.linalg.norm(wanted)
    if not float(error) < 1e-3:
        raise RuntimeError(f"a product is wrong: relative error {float(error):.1e}")


def check_sum(torch: Any, xs: Sequence[Any], more: float, out: Any) -> None:
    """Whether `out` is the sum of vectors and a number."""
    wanted = torch.stack(xs).double().sum(0) + more
    if not torch.allclose(out.double(), wanted, rtol=1e-4, atol=1e-4):
        raise RuntimeError(f"the sum of {len(xs)} tensors is wrong")
