"""Texts of kernels whose threads hold a given number of independent values."""

from __future__ import annotations

THREADS = 256
"""Of a block, unless it is said otherwise."""


def chains_kernel(
    chains: int, steps: int, threads: int = THREADS, max_registers: int | None = None
) -> str:
    """
    `dst = src` by `chains` fixed points, which make `steps` products in all.

    Each chain is `v = v * h + x * (1 - h)` with an h of its own, from v = x on: no
    chain waits for another, and each keeps two values in registers. `steps` is a
    multiple of `chains`.
    """
    if chains < 1 or steps % chains:
        raise ValueError(f"steps must be a multiple of {chains} chains, got {steps}")
    numbers = range(chains)
    factors = [0.5 * (number + 1) / chains for number in numbers]
    constants = [
        f"%h{n} = arith.constant {h!r} : f32\n%g{n} = arith.constant {1 - h!r} : f32"
        for n, h in zip(numbers, factors, strict=True)
    ]
    starts = [f"%x{n} = arith.mulf %x, %g{n} : f32" for n in numbers]
    carried = ", ".join(f"%v{n} = %x" for n in numbers)
    body = [f"%w{n} = math.fma %v{n}, %h{n}, %x{n} : f32" for n in numbers]
    yielded = ", ".join(f"%w{n}" for n in numbers)
    types = ", ".join(["f32"] * chains)
    results = ", ".join(f"%y{n}" for n in numbers)
    sums = ["%s0 = arith.mulf %y0, %part : f32"]
    sums += [
        f"%t{n} = arith.mulf %y{n}, %part : f32\n"
        f"%s{n} = arith.addf %s{n - 1}, %t{n} : f32"
        for n in numbers[1:]
    ]
    lines = "\n".join
    stated = 'reference = "dst[i] = src[i]"'
    if max_registers is not None:
        stated += f", max_registers = {max_registers} : i64"
    return f"""
croq.kernel @chains dims(N) (
    %src: !croq.tile<[N]xf32, global>,
    %dst: !croq.tile<[N]xf32, global>) attributes {{{stated}}} {{
  %blocks = croq.cdiv N, {threads}
  croq.parallel (%b) in (%blocks) : block threads {threads} {{
    croq.parallel (%t) in ({threads}) : thread {{
      %size = arith.constant {threads} : index
      %part = arith.constant {1 / chains!r} : f32
      {lines(constants)}
      %n = croq.dim N
      %base = arith.muli %b, %size : index
      %i = arith.addi %base, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {{
        %x = croq.load %src[%i]
        {lines(starts)}
        {results} = croq.foreach %k in {steps // chains} iter({carried}) {{
          {lines(body)}
          croq.yield {yielded} : {types}
        }}
        {lines(sums)}
        croq.store %s{chains - 1}, %dst[%i]
      }}
    }}
  }}
}}
"""
