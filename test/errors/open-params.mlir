// RUN: croq-opt --verify-diagnostics --bind-params %s
// RUN: croq-opt --bind-params{S=3} %s | filecheck %s
// RUN: not croq-opt --verify-sync %s 2>&1 | filecheck %s --check-prefix=SYNC
// RUN: croq-opt %s | croq-opt | filecheck %s --check-prefix=TEXT
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s --check-prefix=TEXT

// A parameter without a value has to be given one.

// SYNC: must be given a value for parameter S, which has none
// TEXT: croq.kernel @k params(S, T = 2) ()
// CHECK: croq.parallel (%i) in (3) : block
// expected-error@+1 {{'croq.kernel' op must be given a value for parameter S, which has none}}
croq.kernel @k params(S, T = 2) () {
  croq.parallel (%i) in (S) : block {
    %e = croq.alloc : !croq.tile<[S]x[T]xf32, shared>
  }
}
