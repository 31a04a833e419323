"""On a device: epilogues on accumulators, softmax, RMS norm, elementary functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.tensors import operand, output

import croqtile_mlir as croq

SCHEDULES = {
    "as written": "bind-params",
    "specialized": "bind-params,persist{blocks=132},"
    "warp-specialize{consumers=2 stages=3},overlap-epilogue",
    "split": "bind-params,persist{blocks=132},warp-specialize{consumers=2 stages=3},"
    "split-consumers,overlap-epilogue",
    "pingpong": "bind-params,persist{blocks=132},"
    "warp-specialize{consumers=2 stages=3 mode=pingpong},overlap-epilogue",
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 8, 8), (200, 136, 72), (1000, 776, 320), (2048, 2048, 1024)]
)
def test_bias_and_relu(
    torch: Any, examples: Path, m: int, n: int, k: int, schedule: str
):
    kernel = croq.compile(
        examples / "matmul_bias_relu.mlir", schedule=SCHEDULES[schedule]
    )
    scale = k**-0.25
    a, b = (operand(torch, r, k, scale, 8, "float16") for r in (m, n))
    bias = torch.randn(n, device="cuda")
    out = output(torch, m, n, 8, "float16")
    kernel(a, b, bias, out.view)
    wanted = torch.relu(a.double() @ b.double().T + bias.double())
    error = (out.view.double() - wanted).norm() / wanted.norm()
    assert error <= 1e-3
    assert out.guards_untouched()


SHAPES = [(1, 1), (3, 31), (64, 1024), (5, 1025), (1000, 777), (33, 20000)]


@pytest.mark.parametrize("unit", [1, 8])
@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_softmax(torch: Any, examples: Path, m: int, n: int, unit: int):
    kernel = croq.compile(examples / "softmax.mlir")
    x = operand(torch, m, n, 3.0, unit, "float32")
    out = output(torch, m, n, unit, "float32")
    kernel(x, out.view)
    wanted = torch.softmax(x.double(), dim=1)
    assert torch.allclose(out.view.double(), wanted, rtol=3e-5, atol=1e-9)
    assert out.guards_untouched()


@pytest.mark.parametrize("unit", [1, 8])
@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_rms_norm(torch: Any, examples: Path, m: int, n: int, unit: int):
    kernel = croq.compile(examples / "rms_norm.mlir")
    x = operand(torch, m, n, 1.0, unit, "float16")
    weight = torch.randn(n, device="cuda").half()
    out = output(torch, m, n, unit, "float16")
    kernel(x, weight, out.view)
    wide = x.double()
    root = torch.rsqrt((wide * wide).mean(dim=1, keepdim=True) + 1e-5)
    wanted = wide * root * weight.double()
    error = (out.view.double() - wanted).norm() / wanted.norm()
    assert error <= 1e-3
    assert out.guards_untouched()


FUNCTIONS = {
    # The function of torch, the part of the result and the absolute error allowed.
    "exp": ("exp", 3e-6, 0.0),
    "exp2": ("exp2", 5e-7, 0.0),
    "log": ("log", 5e-7, 3e-7),
    "log2": ("log2", 5e-7, 3e-7),
    "rsqrt": ("rsqrt", 3e-7, 0.0),
    "sqrt": ("sqrt", 1e-7, 0.0),
    "tanh": ("tanh", 5e-7, 5e-7),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_accuracy_of_functions(torch: Any, function: str):
    """Docs/levels.md, "Elementary functions"."""
    kernel = croq.compile(f"""
croq.kernel @f dims(N) (
    %a: !croq.tile<[N]xf32, global>, %c: !croq.tile<[N]xf32, global>) {{
  %tiles = croq.cdiv N, 1024
  croq.parallel (%b) in (%tiles) : block threads 256 {{
    %x = croq.subspan %a [1024] tile (%b)
    %y = croq.subspan %c [1024] tile (%b)
    croq.elementwise (%e = %x) => %y {{
      %v = math.{function} %e : f32
      croq.yield %v : f32
    }}
  }}
}}
""")
    name, relative, absolute = FUNCTIONS[function]
    x = torch.randn(1 << 20, device="cuda") * 4
    if function in ("log", "log2", "rsqrt", "sqrt"):
        x = x.abs() + 1e-3
    out = torch.full_like(x, float("nan"))
    kernel(x, out)
    wanted = getattr(torch, name)(x.double())
    assert torch.allclose(out.double(), wanted, rtol=relative, atol=absolute)


def test_approximate_tanh(torch: Any):
    kernel = croq.compile("""
croq.kernel @f (%a: !croq.tile<1024xf32, global>, %c: !croq.tile<1024xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    croq.elementwise (%e = %a) => %c {
      %v = math.tanh %e fastmath<afn> : f32
      croq.yield %v : f32
    }
  }
}
""")
    x = torch.randn(1024, device="cuda")
    out = torch.full_like(x, float("nan"))
    kernel(x, out)
    assert torch.allclose(out.double(), torch.tanh(x.double()), rtol=2**-10, atol=1e-6)
