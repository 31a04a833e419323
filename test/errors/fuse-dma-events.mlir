// RUN: croq-opt --fuse-dma-events --split-input-file --verify-diagnostics %s

croq.kernel @auto dims(X, Z) (%p: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    // expected-error@+1 {{'croq.copy' op must have an engine to complete on an event, got auto}}
    croq.copy %t => %a
    // expected-note@+1 {{the event is triggered here}}
    croq.trigger %full
  }
}

// -----

croq.kernel @auto_async dims(X, Z) (%p: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    // expected-error@+1 {{'croq.copy_async' op must have an engine to complete on an event, got auto}}
    %f = croq.copy_async %t => %a
    // expected-note@+1 {{the event is triggered here}}
    croq.trigger %full after %f
  }
}
