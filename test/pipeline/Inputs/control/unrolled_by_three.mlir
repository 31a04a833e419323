// Loops that are unrolled by a number of iterations, and nests.
croq.kernel @unrolled_by_three (%y: !croq.tile<64xi32, global>, %from: index, %to: index, %by: index) {
  croq.parallel (%b) in (1) : block threads 32 {
    croq.parallel (%t) in (1) : thread {
      %n = croq.foreach %i in %from to %to step %by iter(%a = %from) unroll 3 {
        %m = arith.muli %a, %by : index
        %q = arith.addi %m, %i : index
        %c = arith.constant 10007 : index
        %r = arith.remui %q, %c : index
        croq.yield %r : index
      }
      %v = arith.index_cast %n : index to i32
      croq.store %v, %y[0]
      croq.foreach (%i, %j) in (3, %by) unroll 2 {
        %k = croq.compose %i, %j
        %one = arith.constant 1 : index
        %l = arith.addi %k, %one : index
        %w = arith.index_cast %l : index to i32
        croq.store %w, %y[%l]
      }
      %s = croq.foreach (%i, %j) in (3, %by) iter(%a = %from) {
        %k = arith.addi %a, %j : index
        croq.yield %k : index
      }
      %sv = arith.index_cast %s : index to i32
      croq.store %sv, %y[63]
    }
  }
}
