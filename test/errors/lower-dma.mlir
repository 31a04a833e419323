// RUN: croq-opt --lower-dma --split-input-file --verify-diagnostics %s

croq.kernel @sync_load (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.copy' op with engine tma must complete on an mbarrier, got a synchronous load}}
    croq.copy %p => %a engine(tma)
  }
}

// -----

croq.kernel @no_mbarrier (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.copy_async' op with engine tma must complete on an mbarrier, got a load without}}
    %f = croq.copy_async %p => %a engine(tma)
  }
}

// -----

croq.kernel @auto (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.copy' op must have an engine, got auto}}
    croq.copy %a => %p
  }
}

// -----

croq.kernel @cp_async (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.copy' op with engine cp_async must have a future, got a synchronous load}}
    croq.copy %p => %a engine(cp_async)
  }
}

// -----

croq.kernel @await_load (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %f = croq.copy_async %p => %a engine(threads)
    // expected-error@+1 {{'croq.await' op must await a TMA store or a load by cp.async, got another copy}}
    croq.await %f
  }
}

// -----

croq.kernel @trigger (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %f = croq.copy_async %p => %a engine(threads)
    // expected-error@+1 {{'croq.trigger' op must be an arrival on an mbarrier before its copies are lowered}}
    croq.trigger %e after %f
  }
}

// -----

croq.kernel @data (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %f = croq.copy_async %p => %a engine(threads)
    // expected-error@+1 {{'croq.data' op must be replaced by the destination of its copy first}}
    %d = croq.data %f
  }
}

// -----

croq.kernel @open (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the tile is defined here}}
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy' op shared tile must have a layout, got !croq.tile<64x64xf16, shared>}}
    croq.copy %a => %p engine(tma)
  }
}

// -----

croq.kernel @open_threads (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the tile is defined here}}
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy' op shared tile must have a layout, got !croq.tile<64x64xf16, shared>}}
    croq.copy %a => %p engine(threads)
  }
}

// -----

croq.kernel @odd_rows (%p: !croq.tile<64x60xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the shared tile is defined here}}
    %a = croq.alloc : !croq.tile<64x60xf16, shared, row_major>
    // expected-error@+1 {{'croq.copy' op with engine tma: rows of a box must be a multiple of 16 bytes, got 120}}
    croq.copy %a => %p engine(tma)
  }
}

// -----

croq.kernel @long_rows (%p: !croq.tile<4x264xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the shared tile is defined here}}
    %a = croq.alloc : !croq.tile<4x264xf16, shared, row_major>
    // expected-error@+1 {{with engine tma: rows that are boxes of their own must be a multiple of 128 bytes apart, got 528}}
    croq.copy %a => %p engine(tma)
  }
}

// -----

croq.kernel @part_of_rows (%p: !croq.tile<64x32xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-note@+1 {{the shared tile is defined here}}
    %h = croq.chunkat %a [_, 2] at (_, 1)
    // expected-error@+1 {{with engine tma: box must start at a multiple of 128 bytes of its buffer, got 64}}
    croq.copy %h => %p engine(tma)
  }
}

// -----

croq.kernel @origin (%p: !croq.tile<16x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-note@+1 {{the shared tile is defined here}}
    %h = croq.view %a [16, 64] from (4, 0)
    // expected-error@+1 {{with engine tma: box must start at a multiple of 8 rows of its buffer, got row 4}}
    croq.copy %h => %p engine(tma)
  }
}

// -----

croq.kernel @overhang (%p: !croq.tile<100x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<16x64xf16, shared, swizzle<128>>
    %w = croq.view %p [40, 64] from (8, 0)
    // expected-note@+1 {{the global tile is defined here}}
    %t = croq.subspan %w [16, 64] tile (%i, 0)
    // expected-error@+1 {{with engine tma: tiles of a view must be known to end inside it, got one of 16 elements at index 3 of 40 elements}}
    croq.copy %a => %t engine(tma)
  }
}

// -----

croq.kernel @per_thread (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-note@+1 {{they part because of this}}
    croq.parallel (%t) in (128) : thread {
      // expected-error@+1 {{'croq.copy' op must be executed by all threads of its scope, got it where they part}}
      croq.copy %p => %a engine(threads)
    }
  }
}

// -----

croq.kernel @divergent_store (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-note@+1 {{they part because of this}}
    %t = croq.thread_id
    croq.foreach %k in %t {
      // expected-error@+1 {{'croq.copy' op must be executed by all threads of its scope, got it where they part}}
      croq.copy %a => %p engine(tma)
    }
  }
}

// -----

croq.kernel @carried (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %l = croq.foreach %k in 2 iter(%b = %a) {
      // expected-error@+1 {{'croq.copy' op must use views of a croq.alloc, got another shared tile}}
      croq.copy %p => %b engine(threads)
      croq.yield %b : !croq.tile<64x64xf16, shared, row_major>
    }
  }
}

// -----

croq.kernel @divergent_wait (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{they part because of this}}
    %t = croq.thread_id
    croq.foreach %k in %t {
      // expected-error@+1 {{'croq.await_stores' op must be executed by all threads of its scope, got it where they part}}
      croq.await_stores in_flight 0
    }
  }
}

// -----

// A part of 4 rows would begin in the middle of a swizzle.
croq.kernel @odd_part (%p: !croq.tile<512x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i) in (2) : block {
      %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
      %a = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
      %bar = croq.address %bars[0] : !llvm.ptr<3>
      // expected-note@+1 {{the shared tile is defined here}}
      %part = croq.chunkat %a [2, 1] at (%i, 0)
      // expected-note@+1 {{the global tile is defined here}}
      %x = croq.subspan %p [4, 64] tile (%c, 0)
      // expected-error@+1 {{with engine tma: box must start at a multiple of 8 rows of its buffer, got row 4}}
      %f = croq.copy_async %x => %part engine(tma) multicast [0] completes %bar : !llvm.ptr<3>
    }
  }
}

// -----

croq.kernel @whole dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.fill' op must fill a tile of constant extents, got !croq.tile<[M]x64xf16, global>}}
    croq.fill %t, 0.0
  }
}

// -----

croq.kernel @by_one_thread (%t: !croq.tile<32x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-note@+1 {{they part because of this}}
    croq.parallel (%i) in (64) : thread {
      // expected-error@+1 {{'croq.fill' op must be executed by all threads of its scope, got it where they part}}
      croq.fill %t, 0.0
    }
  }
}

// -----

croq.kernel @between_arguments dims(M) (%t: !croq.tile<[M]x64xf16, global>, %u: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op must copy tiles of constant extents between arguments, got !croq.tile<[M]x64xf16, global> and !croq.tile<[M]x64xf16, global>}}
    croq.copy %t => %u engine(threads)
  }
}

// -----

// What overhangs the inner one of two dims that one was split in is not beyond its end.
croq.kernel @overhangs_a_split dims(N) (%x: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<8x3xf32, shared, row_major>
    %p = croq.span_as %x [_, 4]
    %w = croq.subspan %p [8, 3] tile (%b, 1)
    // expected-error@+1 {{'croq.copy' op must use a tile that is known to end inside the dim that was split, got dim 1 of !croq.tile<8x3xf32, global>}}
    croq.copy %w => %t engine(threads)
  }
}
