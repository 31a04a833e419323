// Levels of several indices, nested, and several nests in a block.
croq.kernel @levels_of_parallelism dims(M) (
    %x: !croq.tile<[M]x256xi32, global>,
    %y: !croq.tile<[M]x256xi32, global>) {
  croq.parallel (%b, %c) in (M, 1) : block {
    %s = croq.alloc : !croq.tile<256xi32, shared>
    croq.parallel (%g) in (2) : warpgroup {
      croq.parallel (%w, %v) in (2, 2) : warp {
        croq.parallel (%t, %u) in (4, 8) : thread {
          %i = croq.compose %g, %w, %v, %t, %u
          %e = croq.load %x[%b, %i]
          croq.store %e, %s[%i]
        }
      }
    }
    croq.parallel (%w, %v) in (2, 4) : warp {
      croq.parallel (%t) in (32) : thread {
        %i = croq.compose %v, %w, %t
        %e = croq.load %s[%i]
        %f = arith.addi %e, %e : i32
        croq.store %f, %s[%i]
      }
    }
    croq.parallel (%p) in (3) : warp {
      %last = croq.axis %p
      croq.parallel (%t) in (16) : thread {
        %i = croq.compose %t, %p
        %e = croq.load %s[%i]
        %at = arith.addi %i, %last : index
        %n = arith.index_cast %at : index to i32
        %f = arith.addi %e, %n : i32
        croq.store %f, %s[%i]
      }
    }
    croq.parallel (%t, %u, %z) in (2, 4, 32) : thread {
      %i = croq.compose %z, %t, %u
      %e = croq.load %s[%i]
      croq.store %e, %y[%b, %i]
    }
  }
}
