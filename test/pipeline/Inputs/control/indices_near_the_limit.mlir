// Loops whose next index would not fit in 31 bits.
croq.kernel @indices_near_the_limit (%y: !croq.tile<4xi32, global>, %from: index, %to: index, %by: index) {
  croq.parallel (%b) in (1) : block threads 32 {
    croq.parallel (%t) in (1) : thread {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %n = croq.foreach %i in %from to %to step %by iter(%a = %zero) {
        %m = arith.addi %a, %one : i32
        croq.yield %m : i32
      }
      croq.store %n, %y[0]
      %n1 = croq.foreach %i in %from to %to step 1000 iter(%a = %zero) {
        %m = arith.addi %a, %one : i32
        croq.yield %m : i32
      }
      croq.store %n1, %y[1]
      %n2 = croq.foreach %i in %from to 2147483647 step 7 iter(%a = %zero) {
        %m = arith.addi %a, %one : i32
        croq.yield %m : i32
      }
      croq.store %n2, %y[2]
      %n3 = croq.foreach %i in %from to 2147483647 iter(%a = %zero) {
        %m = arith.addi %a, %one : i32
        croq.yield %m : i32
      }
      croq.store %n3, %y[3]
    }
  }
}
