// dst = src by a fixed point, in four chains of which none waits for another: while one product is
// on its way the others start. The same products in one chain take up to four times as long where
// few warps are there to fill the gaps (docs/occupancy.md); `benchmarks/multiprocessor.py` has 1 to
// 8 chains.
//
//   croq-run examples/instruction_parallelism.mlir --param STEPS=4096 --check
//   croq-run examples/instruction_parallelism.mlir --resources

croq.kernel @instruction_parallelism dims(N) params(STEPS = 8) (
    %src: !croq.tile<[N]xf32, global>,
    %dst: !croq.tile<[N]xf32, global>) attributes {reference = "dst[i] = src[i]"} {
  %blocks = croq.cdiv N, 128
  croq.parallel (%b) in (%blocks) : block threads 128 {
    croq.parallel (%t) in (128) : thread {
      %c128 = arith.constant 128 : index
      %quarter = arith.constant 0.25 : f32
      %half = arith.constant 0.5 : f32
      %three = arith.constant 0.75 : f32
      %less = arith.constant -0.5 : f32
      %more = arith.constant 1.5 : f32
      %n = croq.dim N
      %base = arith.muli %b, %c128 : index
      %i = arith.addi %base, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %x = croq.load %src[%i]
        %x0 = arith.mulf %x, %three : f32
        %x1 = arith.mulf %x, %half : f32
        %x2 = arith.mulf %x, %quarter : f32
        %x3 = arith.mulf %x, %more : f32
        %y0, %y1, %y2, %y3 = croq.foreach %k in STEPS iter(%v0 = %x, %v1 = %x, %v2 = %x, %v3 = %x) {
          %w0 = math.fma %v0, %quarter, %x0 : f32
          %w1 = math.fma %v1, %half, %x1 : f32
          %w2 = math.fma %v2, %three, %x2 : f32
          %w3 = math.fma %v3, %less, %x3 : f32
          croq.yield %w0, %w1, %w2, %w3 : f32, f32, f32, f32
        }
        %s0 = arith.addf %y0, %y1 : f32
        %s1 = arith.addf %y2, %y3 : f32
        %s = arith.addf %s0, %s1 : f32
        %y = arith.mulf %s, %quarter : f32
        croq.store %y, %dst[%i]
      }
    }
  }
}
