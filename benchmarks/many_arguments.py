"""A kernel of many arguments that does next to nothing: what a call of it costs."""

from __future__ import annotations


def sum_of(tensors: int, scalars: int) -> str:
    """out[n] = the sum of `tensors` vectors of 256 f32 and of `scalars` numbers.

    The arguments are the vectors, the scalars, and out.
    """
    kind = "!croq.tile<256xf32, global>"
    vectors = [f"%x{number}" for number in range(tensors)]
    numbers = [f"%s{number}" for number in range(scalars)]
    arguments = [f"{name}: {kind}" for name in vectors]
    arguments += [f"{name}: f32" for name in numbers]
    lines: list[str] = []
    total = "%zero"
    for name in vectors:
        lines.append(f"{name}_at = croq.load {name}[%t]")
    for name in [*(f"{name}_at" for name in vectors), *numbers]:
        lines.append(f"{name}_sum = arith.addf {total}, {name} : f32")
        total = f"{name}_sum"
    body = "\n      ".join(lines)
    return f"""
croq.kernel @sum ({", ".join(arguments)}, %out: {kind}) {{
  croq.parallel (%b) in (1) : block {{
    croq.parallel (%t) in (256) : thread {{
      %zero = arith.constant 0.0 : f32
      {body}
      croq.store {total}, %out[%t]
    }}
  }}
}}
"""
