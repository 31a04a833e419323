// RUN: croq-opt --guard-tma-stores %s --verify-diagnostics

croq.kernel @background dims(N) (%out: !croq.tile<64x[N]xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %o = croq.subspan %out [64, 64] tile (0, %b)
    // expected-error@+1 {{with engine tma must store to rows that are known to end at 16 bytes}}
    %f = croq.copy_async %t => %o engine(tma)
    croq.await %f
  }
}
