// RUN: not croq-opt --bind-dims{K=3} %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not croq-opt --bind-dims{N=12} %s 2>&1 | filecheck %s --check-prefix=MULTIPLE
// RUN: not croq-opt --bind-dims{M=2147483648} %s 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not croq-opt --bind-dims{M=0} %s 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: not croq-opt --bind-dims{M=some} %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not croq-opt --bind-dims{M=3} %s 2>&1 | filecheck %s --check-prefix=CHUNK
// RUN: not croq-opt --lower-views --bind-dims{M=2} %s 2>&1 | filecheck %s --check-prefix=LATE

// UNKNOWN: bind-dims.mlir:16:1: error: 'croq.kernel' op must have a dim of the name that is bound, got K = 3 (dims: M, N)
// MULTIPLE: bind-dims.mlir:16:1: error: 'croq.kernel' op dim N must be a multiple of 8, got 12
// LARGE: bind-dims.mlir:16:1: error: 'croq.kernel' op dim M must be in 1..2147483647, got 2147483648
// ZERO: error: bind-dims: dim M must be a positive integer, got 0
// WORD: error: bind-dims: dim M must be a positive integer, got some
// LATE: error: 'croq.kernel' op must have no attribute croq.checks yet, which names dims
// LATE: hint: run --bind-dims before all other passes
croq.kernel @k dims(M, N multiple_of 8) (%x: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // CHUNK: bind-dims.mlir:19:5: error: 'croq.chunkat' op dim 0 must be divisible in 2 chunks, got 3
    %half = croq.chunkat %x [2, _] at (1, _)
    croq.parallel (%t) in (1) : thread {
      %v = croq.load %half[0, 0]
      croq.store %v, %half[0, 1]
    }
  }
}
