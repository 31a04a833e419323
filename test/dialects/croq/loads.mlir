// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Groups of loads.

// CHECK:       croq.kernel @groups
croq.kernel @groups dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       croq.commit_loads{{$}}
    // GENERIC:     "croq.commit_loads"() : () -> ()
    croq.commit_loads
    // CHECK-NEXT:  croq.commit_loads {note}
    croq.commit_loads {note}
    // CHECK-NEXT:  croq.await_loads in_flight 0{{$}}
    // GENERIC:     "croq.await_loads"() <{in_flight = #builtin.int<0>}> : () -> ()
    croq.await_loads in_flight 0
    // CHECK-NEXT:  croq.await_loads in_flight 7 {note}
    // GENERIC:     "croq.await_loads"() <{in_flight = #builtin.int<7>}> {note} : () -> ()
    croq.await_loads in_flight 7 {note}
  }
}
