// out[m, n] = exp(in[m, n] - max of row m) / the sum of these over the row: a warp for each row,
// without buffers and without barriers. Lanes take columns in turn, and exchange what they
// have by shuffles: after five of them, with distances from 16 to 1, each lane knows of all.
//
//   croq-run examples/warp_softmax.mlir --size M=1000,N=777

croq.kernel @warp_softmax dims(M, N) (
    %in: !croq.tile<[M]x[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf32, global>) {
  %blocks = croq.cdiv M, 4
  croq.parallel (%b) in (%blocks) : block threads 128 {
    croq.parallel (%w, %lane) in (4, 32) : thread {
      %m = croq.dim M
      %n = croq.dim N
      %steps = croq.cdiv N, 32
      %four = arith.constant 4 : index
      %width = arith.constant 32 : index
      %first = arith.muli %b, %four : index
      %row = arith.addi %first, %w : index
      %there = arith.cmpi slt, %row, %m : index
      // The same in all lanes of a warp.
      scf.if %there {
        %sixteen = arith.constant 16 : i32
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0xFF800000 : f32
        %own_max = croq.foreach %i in %steps iter(%so_far = %none) {
          %before = arith.muli %i, %width : index
          %col = arith.addi %before, %lane : index
          %inside = arith.cmpi slt, %col, %n : index
          %x = scf.if %inside -> (f32) {
            %read = croq.load %in[%row, %col]
            scf.yield %read : f32
          } else {
            scf.yield %none : f32
          }
          %more = arith.maximumf %so_far, %x : f32
          croq.yield %more : f32
        }
        %max = croq.foreach %i in 5 iter(%mine = %own_max) unroll {
          %down = arith.index_cast %i : index to i32
          %distance = arith.shrui %sixteen, %down : i32
          %other = croq.shuffle xor %mine by %distance : f32 -> f32
          %more = arith.maximumf %mine, %other : f32
          croq.yield %more : f32
        }
        %own_sum = croq.foreach %i in %steps iter(%so_far = %zero) {
          %before = arith.muli %i, %width : index
          %col = arith.addi %before, %lane : index
          %inside = arith.cmpi slt, %col, %n : index
          %e = scf.if %inside -> (f32) {
            %x = croq.load %in[%row, %col]
            %less = arith.subf %x, %max : f32
            %power = math.exp %less : f32
            scf.yield %power : f32
          } else {
            scf.yield %zero : f32
          }
          %more = arith.addf %so_far, %e : f32
          croq.yield %more : f32
        }
        %sum = croq.foreach %i in 5 iter(%mine = %own_sum) unroll {
          %down = arith.index_cast %i : index to i32
          %distance = arith.shrui %sixteen, %down : i32
          %other = croq.shuffle xor %mine by %distance : f32 -> f32
          %more = arith.addf %mine, %other : f32
          croq.yield %more : f32
        }
        croq.foreach %i in %steps {
          %before = arith.muli %i, %width : index
          %col = arith.addi %before, %lane : index
          %inside = arith.cmpi slt, %col, %n : index
          scf.if %inside {
            %x = croq.load %in[%row, %col]
            %less = arith.subf %x, %max : f32
            %power = math.exp %less : f32
            %part = arith.divf %power, %sum : f32
            croq.store %part, %out[%row, %col]
          }
        }
      }
    }
  }
}
