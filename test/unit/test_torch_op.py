"""Kernels as operators of torch, on tensors in host memory: the real torch."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError

torch: Any = pytest.importorskip("torch", reason="torch is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
PARTS = """
croq.kernel @parts dims(M, N) (
    %x: !croq.tile<[M]x[N]xbf16, global>, %int: i32, %s: f32,
    %last: !croq.tile<[M]x[N]xf32, global>) {
  %y = croq.alloc : !croq.tile<[M]x[N]xbf16, global>
  %z = croq.alloc : !croq.tile<[M]x[N]xi32, global>
  %rows = croq.cdiv M, 8
  %columns = croq.cdiv N, 16
  croq.parallel (%i, %j) in (%rows, %columns) : block threads 128 {
    croq.parallel (%r, %c) in (8, 16) : thread {
      %xs = croq.subspan %x [8, 16] tile (%i, %j)
      %ys = croq.subspan %y [8, 16] tile (%i, %j)
      %zs = croq.subspan %z [8, 16] tile (%i, %j)
      %ls = croq.subspan %last [8, 16] tile (%i, %j)
      %v = croq.load %xs[%r, %c]
      %w = arith.addf %v, %v : bf16
      croq.store %w, %ys[%r, %c]
      croq.store %int, %zs[%r, %c]
      croq.store %s, %ls[%r, %c]
    }
  }
  croq.return %y, %z : !croq.tile<[M]x[N]xbf16, global>, !croq.tile<[M]x[N]xi32, global>
}
"""


@pytest.fixture(scope="module")
def product() -> Any:
    """`lhs @ rhs.T`, with a new result."""
    kernel = croq.compile(EXAMPLES / "matmul_returned.mlir")
    return croq.torch.custom_op(kernel, "croqtile_test::product")


def operands(m: int, n: int, k: int, seed: int = 5) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(seed)
    shapes = (m, k), (n, k)
    return tuple(torch.randn(s, generator=generator).half() for s in shapes)


def test_it_is_registered(product: Any):
    found = torch.ops.croqtile_test.product
    schema = "croqtile_test::product(Tensor lhs, Tensor rhs) -> Tensor"
    assert str(found.default._schema) == schema
    a, b = operands(70, 45, 64)
    expected = a.double() @ b.double().T
    for made in (product(a, b), found(a, b)):
        assert made.dtype == torch.float16
        assert made.shape == (70, 45)
        assert (made - expected).abs().max() < 1e-2


def test_torch_finds_nothing_wrong_with_it(product: Any):
    torch.library.opcheck(product, operands(33, 45, 72))


@pytest.mark.parametrize("columns", [45, 48])
def test_fake_tensors_are_laid_out_as_results_are(product: Any, columns: int):
    fakes: Any = import_module("torch._subclasses.fake_tensor")
    a, b = operands(9, columns, 16)
    with fakes.FakeTensorMode() as mode:
        fake = product(mode.from_tensor(a), mode.from_tensor(b))
    made = product(a, b)
    for what in (fake, made):
        # Rows start at multiples of 16 bytes.
        assert (what.shape, what.stride()) == ((9, columns), (48, 1))
    assert fake.dtype == made.dtype


def test_fake_tensors_obey_the_rules(product: Any):
    with pytest.raises(ArgumentError, match="extent of dim 1 must be K = 16"):
        product(
            torch.empty((8, 16), device="meta"), torch.empty((8, 17), device="meta")
        )


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_functions_call_it(product: Any, dynamic: bool):
    def function(a: Any, b: Any) -> Any:
        return torch.relu(product(a + a, b)) - 1

    compiled = torch.compile(
        function, dynamic=dynamic, backend="aot_eager", fullgraph=True
    )
    for n in (45, 46, 64, 1):
        a, b = operands(20, n, 40, seed=n)
        assert torch.equal(compiled(a, b), function(a, b))


def test_it_gets_a_derivative():
    kernel = croq.compile(EXAMPLES / "matmul_returned.mlir")
    product = croq.torch.custom_op(kernel, "croqtile_test::with_derivative")

    def setup(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, grad: Any) -> tuple[Any, Any]:
        a, b = ctx.saved_tensors
        return product(grad, b.T.contiguous()), product(
            grad.T.contiguous(), a.T.contiguous()
        )

    product.register_autograd(backward, setup_context=setup)
    a, b = operands(16, 24, 32)
    generator = torch.Generator().manual_seed(7)
    weights = torch.randn((16, 24), generator=generator).half()
    found: list[Any] = []

    def by_torch(a: Any, b: Any) -> Any:
        return a @ b.T

    for multiply in (product, by_torch):
        leaves = [each.clone().requires_grad_() for each in (a, b)]
        (multiply(*leaves) * weights).sum().backward()
        found.append([leaf.grad for leaf in leaves])
    for ours, theirs in zip(*found, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-2, atol=1e-2)


def test_what_is_stored_to_is_mutated():
    add = croq.torch.custom_op(croq.compile(EXAMPLES / "add.mlir"))
    schema = "croqtile::add(Tensor a, Tensor b, Tensor(a2!) c) -> ()"
    assert str(torch.ops.croqtile.add.default._schema) == schema
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randn((33, 20), generator=generator) for _ in range(2))
    c = torch.full((33, 40), float("nan"))
    add(a, b, c[:, 7:27])
    assert torch.equal(c[:, 7:27], a + b)
    assert c[:, :7].isnan().all()
    assert c[:, 27:].isnan().all()
    torch.library.opcheck(add, (a, b, torch.zeros_like(a)))

    def function(a: Any, b: Any) -> Any:
        out = torch.zeros_like(a)
        add(a, b, out)
        return out * 2

    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(a, b), (a + b) * 2)


def test_scalars_several_results_and_reserved_names():
    operator = croq.torch.custom_op(croq.compile(PARTS), "croqtile_test::parts")
    schema = str(torch.ops.croqtile_test.parts.default._schema)
    assert schema == (
        "croqtile_test::parts(Tensor x, int int_, float s, Tensor(a3!) last) -> "
        "(Tensor, Tensor)"
    )
    generator = torch.Generator().manual_seed(4)
    x = torch.randn((16, 32), generator=generator).bfloat16()
    last = torch.empty((16, 32))
    doubled, count = operator(x, -7, 0.75, last)
    assert torch.equal(doubled, x + x)
    assert (count == -7).all()
    assert count.dtype == torch.int32
    assert (last == 0.75).all()
    torch.library.opcheck(operator, (x, 3, 0.5, last))


def test_the_latest_of_one_name_counts():
    name = "croqtile_test::again"
    croq.torch.custom_op(croq.compile(EXAMPLES / "matmul_returned.mlir"), name)
    add = croq.torch.custom_op(croq.compile(EXAMPLES / "add.mlir"), name)
    assert len(torch.ops.croqtile_test.again.default._schema.arguments) == 3
    a, b = torch.randn((2, 5, 8), generator=torch.Generator().manual_seed(8))
    c = torch.empty_like(a)
    add(a, b, c)
    assert torch.equal(c, a + b)


@pytest.mark.parametrize("name", ["add", "a::b::c", "a::", "::b", "a.b::c", "a::2"])
def test_names_have_a_namespace(name: str):
    kernel = croq.compile(EXAMPLES / "add.mlir")
    with pytest.raises(ArgumentError, match="name must be like namespace::operator"):
        croq.torch.custom_op(kernel, name)


def test_what_is_no_kernel_or_no_name_is_refused():
    kernel = croq.compile(EXAMPLES / "add.mlir")
    with pytest.raises(ArgumentError, match="namespace::operator, got 3"):
        croq.torch.custom_op(kernel, cast(Any, 3))
    with pytest.raises(ArgumentError, match="kernel must be what croq"):
        croq.torch.custom_op(cast(Any, "add.mlir"))


def test_sharded_tensors_go_through_it(product: Any, tmp_path: Path):
    """`local_map` runs it on the local parts of a DTensor."""
    distributed: Any = import_module("torch.distributed")
    if not distributed.is_available() or os.name == "nt":
        pytest.skip("torch has no distributed part here")
    tensor: Any = import_module("torch.distributed.tensor")
    experimental: Any = import_module("torch.distributed.tensor.experimental")
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1
    )
    try:
        mesh = distributed.init_device_mesh("cpu", (1,))
        by_rows, whole = tensor.Shard(0), tensor.Replicate()
        a, b = operands(32, 24, 16)
        rows = tensor.distribute_tensor(a, mesh, [by_rows])
        all_of_b = tensor.distribute_tensor(b, mesh, [whole])
        sharded = experimental.local_map(
            product,
            out_placements=[by_rows],
            in_placements=([by_rows], [whole]),
            device_mesh=mesh,
        )
        made = sharded(rows, all_of_b)
        assert torch.equal(made.full_tensor(), product(a, b))
    finally:
        distributed.destroy_process_group()
