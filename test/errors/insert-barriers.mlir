// RUN: croq-opt --insert-barriers %s --split-input-file --verify-diagnostics

// No barrier helps where only some threads would come to it.
croq.kernel @divergent (%src: !croq.tile<32xf32, global>, %dst: !croq.tile<32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %x = croq.alloc : !croq.tile<32xf32, shared, row_major>
    // expected-note@+1 {{they do it here}}
    croq.copy %src => %x engine(threads)
    // expected-note@+1 {{some threads only}}
    %t = croq.thread_id
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      // expected-error@+1 {{must be executed by all threads of its scope together}}
      croq.copy %x => %dst engine(threads)
    }
  }
}
