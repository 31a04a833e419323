// dst = src by fixed points: every other group of GROUP threads halves the distance to src one way,
// the others another way. Both take as many steps, so that the work is the same whatever GROUP is.
// With GROUP=32 all lanes of a warp go one way; with GROUP=1 they part at every `scf.if`, and the
// warp runs both sides. Sides of at most 7 instructions are predicated instead (docs/occupancy.md).
//
//   croq-run examples/warp_divergence.mlir --check
//   croq-run examples/warp_divergence.mlir --param GROUP=32,ITERS=4096 --check
//   croq-run examples/warp_divergence.mlir --param WORK=32,OTHER=32,ITERS=4096 --check
//   croq-opt examples/warp_divergence.mlir -p croq-to-ptx -t ptx

croq.kernel @warp_divergence dims(N) params(ITERS = 8, WORK = 4, OTHER = 4, GROUP = 1) (
    %src: !croq.tile<[N]xf32, global>,
    %dst: !croq.tile<[N]xf32, global>) attributes {reference = "dst[i] = src[i]"} {
  %blocks = croq.cdiv N, 256
  croq.parallel (%b) in (%blocks) : block threads 256 {
    croq.parallel (%t) in (256) : thread {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %c256 = arith.constant 256 : index
      %half = arith.constant 0.5 : f32
      %less = arith.constant -0.5 : f32
      %more = arith.constant 1.5 : f32
      %n = croq.dim N
      %base = arith.muli %b, %c256 : index
      %i = arith.addi %base, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %x = croq.load %src[%i]
        %near = arith.mulf %x, %half : f32
        %far = arith.mulf %x, %more : f32
        %after = arith.addi %t, %one : index
        %group = croq.cdiv %after, GROUP
        %bit = arith.andi %group, %one : index
        %odd = arith.cmpi ne, %bit, %zero : index
        %y = croq.foreach %k in ITERS iter(%v = %x) {
          %w = scf.if %odd -> (f32) {
            %u = croq.foreach %j in WORK iter(%a = %v) unroll {
              %c = math.fma %a, %half, %near : f32
              croq.yield %c : f32
            }
            scf.yield %u : f32
          } else {
            %u = croq.foreach %j in OTHER iter(%a = %v) unroll {
              %c = math.fma %a, %less, %far : f32
              croq.yield %c : f32
            }
            scf.yield %u : f32
          }
          croq.yield %w : f32
        }
        croq.store %y, %dst[%i]
      }
    }
  }
}
