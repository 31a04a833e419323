"""Kernels whose blocks wait for each other."""

ROUNDS = """
croq.kernel @rounds dims(B, R) (%x: !croq.tile<[B]xi32, global>,
    %y: !croq.tile<[R]x[B]xi32, global>, %count: !croq.tile<1xi32, global>) {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 64 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %size = croq.dim B
    croq.foreach %r in R {
      croq.parallel (%t) in (1) : thread {
        %first = arith.cmpi eq, %r, %zero : index
        %next = arith.addi %b, %one : index
        %at = arith.remui %next, %size : index
        %v = scf.if %first -> (i32) {
          %own = croq.load %x[%b]
          scf.yield %own : i32
        } else {
          %before = arith.subi %r, %one : index
          %other = croq.load %y[%before, %at]
          scf.yield %other : i32
        }
        croq.store %v, %y[%r, %b]
      }
      BARRIER
    }
  }
}
"""
"""In each round a block takes what its neighbour had in the round before."""
