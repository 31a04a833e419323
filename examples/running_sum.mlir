// y[n] = x[0] + .. + x[n], by any number of blocks, each of which takes every B-th chunk of 256
// elements. A block sums up its chunk by itself; then it waits for the sum of all chunks in front of
// it, and hands on its own: block c mod B triggers generation c of an event that all blocks have in
// common. All blocks have to run at once, which a launch checks.
//
//   croq-run examples/running_sum.mlir --size N=1000000,B=132

croq.kernel @running_sum dims(N, B) (
    %x: !croq.tile<[N]xi32, global>,
    %sums: !croq.tile<[B]xi32, global>,
    %y: !croq.tile<[N]xi32, global>) {
  %chunks = croq.cdiv N, 256
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 256 {
    %done = croq.event arrivals 1 : !croq.event<1, grid>
    %own = croq.alloc : !croq.tile<256xi32, shared>
    %before = croq.alloc : !croq.tile<8xi32, shared>
    %n = croq.dim N
    croq.foreach %c in %b to %chunks step B {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %size = arith.constant 256 : index
      %first = arith.muli %c, %size : index
      croq.parallel (%w, %lane) in (8, 32) : thread {
        %none = arith.constant 0 : i32
        %last_lane = arith.constant 31 : index
        %bit = arith.constant 1 : i32
        %width = arith.constant 32 : index
        %row = arith.muli %w, %width : index
        %t = arith.addi %row, %lane : index
        %at = arith.addi %first, %t : index
        %inside = arith.cmpi slt, %at, %n : index
        %v = scf.if %inside -> (i32) {
          %read = croq.load %x[%at]
          scf.yield %read : i32
        } else {
          scf.yield %none : i32
        }
        %lane32 = arith.index_cast %lane : index to i32
        %of_lanes = croq.foreach %i in 5 iter(%so_far = %v) unroll {
          %i32 = arith.index_cast %i : index to i32
          %by = arith.shli %bit, %i32 : i32
          %other = croq.shuffle up %so_far by %by : i32 -> i32
          %has = arith.cmpi sge, %lane32, %by : i32
          %more = arith.select %has, %other, %none : i32
          %sum = arith.addi %so_far, %more : i32
          croq.yield %sum : i32
        }
        croq.store %of_lanes, %own[%t]
        %is_last = arith.cmpi eq, %lane, %last_lane : index
        scf.if %is_last {
          croq.store %of_lanes, %before[%w]
        }
      }
      %follows = arith.cmpi sgt, %c, %zero : index
      %previous = arith.subi %c, %one : index
      scf.if %follows {
        croq.wait %done at %previous
      }
      croq.parallel (%t) in (1) : thread {
        %none = arith.constant 0 : i32
        %start = scf.if %follows -> (i32) {
          %peer = arith.remui %previous, %blocks : index
          %read = croq.load %sums[%peer]
          scf.yield %read : i32
        } else {
          scf.yield %none : i32
        }
        %end = croq.foreach %w in 8 iter(%so_far = %start) {
          %of_warp = croq.load %before[%w]
          croq.store %so_far, %before[%w]
          %more = arith.addi %so_far, %of_warp : i32
          croq.yield %more : i32
        }
        croq.store %end, %sums[%b]
      }
      croq.trigger %done at %c
      croq.parallel (%w, %lane) in (8, 32) : thread {
        %width = arith.constant 32 : index
        %row = arith.muli %w, %width : index
        %t = arith.addi %row, %lane : index
        %at = arith.addi %first, %t : index
        %inside = arith.cmpi slt, %at, %n : index
        scf.if %inside {
          %mine = croq.load %own[%t]
          %start = croq.load %before[%w]
          %sum = arith.addi %start, %mine : i32
          croq.store %sum, %y[%at]
        }
      }
    }
  }
}
