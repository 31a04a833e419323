// sum = the sum of all elements of in, by as many blocks as parts has room for; the last of them to
// come to its end adds up what all have found, in their order: the result is the same every time.
//
// A block counts itself with an update of order acq_rel: as a release it covers the part that this
// thread has stored before, as an acquire what the blocks released that counted before. Scope gpu
// includes the threads of all blocks. The count is 0 again at the end, for the next launch.
//
//   croq-run examples/grid_sum.mlir --size N=1000000,B=132

croq.kernel @grid_sum dims(N, B) (
    %in: !croq.tile<[N]xf32, global>,
    %parts: !croq.tile<[B]xf32, global>,
    %count: !croq.tile<1xi32, global>,
    %sum: !croq.tile<1xf32, global>) {
  %tiles = croq.cdiv N, 256
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 256 {
    %of_warps = croq.alloc : !croq.tile<8xf32, shared>
    %n = croq.dim N
    croq.parallel (%w, %lane) in (8, 32) : thread {
      %zero = arith.constant 0.0 : f32
      %width = arith.constant 32 : index
      %size = arith.constant 256 : index
      %sixteen = arith.constant 16 : i32
      %own = croq.foreach %tile in %b to %tiles step B iter(%so_far = %zero) {
        %first = arith.muli %tile, %size : index
        %row = arith.muli %w, %width : index
        %down = arith.addi %first, %row : index
        %at = arith.addi %down, %lane : index
        %inside = arith.cmpi slt, %at, %n : index
        %x = scf.if %inside -> (f32) {
          %read = croq.load %in[%at]
          scf.yield %read : f32
        } else {
          scf.yield %zero : f32
        }
        %more = arith.addf %so_far, %x : f32
        croq.yield %more : f32
      }
      %of_warp = croq.foreach %i in 5 iter(%mine = %own) unroll {
        %step = arith.index_cast %i : index to i32
        %distance = arith.shrui %sixteen, %step : i32
        %other = croq.shuffle xor %mine by %distance : f32 -> f32
        %more = arith.addf %mine, %other : f32
        croq.yield %more : f32
      }
      %leads = croq.elect_lane
      scf.if %leads {
        croq.store %of_warp, %of_warps[%w]
      }
    }
    croq.parallel (%t) in (1) : thread {
      %zero = arith.constant 0.0 : f32
      %part = croq.foreach %i in 8 iter(%so_far = %zero) {
        %x = croq.load %of_warps[%i]
        %more = arith.addf %so_far, %x : f32
        croq.yield %more : f32
      }
      croq.store %part, %parts[%b]
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i32
      %all = arith.index_cast %blocks : index to i32
      %others = arith.subi %all, %one : i32
      %before = croq.atomic add %one, %count[0] order(acq_rel) scope(gpu) -> i32
      %last = arith.cmpi eq, %before, %others : i32
      scf.if %last {
        %total = croq.foreach %i in B iter(%so_far = %zero) {
          %x = croq.load %parts[%i]
          %more = arith.addf %so_far, %x : f32
          croq.yield %more : f32
        }
        croq.store %total, %sum[0]
        croq.store %none, %count[0] order(relaxed) scope(gpu)
      }
    }
  }
}
