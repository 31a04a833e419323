// RUN: not croq-opt --bind-params{T=3} %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not croq-opt --bind-params{S=three} %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not croq-opt --bind-params{S=0} %s 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: not croq-opt --bind-params{S=-1} %s 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not croq-opt --bind-params{S=2,3} %s 2>&1 | filecheck %s --check-prefix=LIST
// RUN: not croq-opt --bind-params{S} %s 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not croq-opt --bind-params{S=3} %s 2>&1 | filecheck %s --check-prefix=CHUNK

// UNKNOWN: bind-params.mlir:15:1: error: 'croq.kernel' op must have a parameter of the name that is bound, got T = 3 (parameters: S, Rows)
// WORD: error: bind-params: parameter S must be a positive integer, got three
// ZERO: parameter S must be a positive integer, got 0
// NEGATIVE: parameter S must be a positive integer, got -1
// LIST: parameter S must be a positive integer, got 2,3
// NOTHING: parameter S must be a positive integer, got nothing
croq.kernel @k params(S = 4, Rows = 8) () {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<[S]x[Rows]xf32, shared>
    // CHUNK: bind-params.mlir:19:5: error: 'croq.chunkat' op dim 0 must be divisible in 2 chunks, got 3
    %half = croq.chunkat %t [2, _] at (1, _)
  }
}
