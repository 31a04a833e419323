"""Kernels that add to several neighbours at once."""


def vector_adds(type: str, count: int) -> str:
    """B blocks add their rows of x to y, so many elements at a time."""
    loads = "\n".join(
        f"""
      %k{k} = arith.constant {k} : index
      %j{k} = arith.addi %base, %k{k} : index
      %v{k} = croq.load %x[%b, %j{k}]"""
        for k in range(count)
    )
    values = ", ".join(f"%v{k}" for k in range(count))
    return f"""
croq.kernel @vector_adds dims(B) (
    %x: !croq.tile<[B]x128x{type}, global>, %y: !croq.tile<128x{type}, global>) {{
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 64 {{
    croq.parallel (%i) in ({128 // count}) : thread {{
      %n = arith.constant {count} : index
      %base = arith.muli %i, %n : index
{loads}
      croq.atomic add ({values}), %y[%base]
    }}
  }}
}}
"""


CASES = (("f16", 2), ("bf16", 2), ("f32", 2), ("f32", 4))
"""Element types, and how many are added at once."""
