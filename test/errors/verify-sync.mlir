// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// Each kernel breaks one rule of synchronisation. What surrounds the mistake is the ring of
// test/passes/verify-sync.mlir, which is accepted; where another is, it stands beside it.

// Nobody gives the first credits.

croq.kernel @missing_credit dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<3>
    %empty = croq.event : !croq.event<3>
    %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
    croq.role "producer" warps [0, 1) {
      croq.foreach %k in %tiles {
        // expected-error@+1 {{missing credit}}
        croq.wait %empty at %k
        %t = croq.subspan %x [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "consumer" warps [1, 2) {
      croq.foreach %k in %tiles {
        croq.wait %full at %k
        %t = croq.subspan %y [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        croq.copy %s => %t engine(tma)
        croq.trigger %empty at %k + 3
      }
    }
  }
}

// -----

// Two roles wait for each other.

croq.kernel @deadlock () {
  croq.parallel (%i) in (4) : block {
    %a = croq.event : !croq.event<1>
    %b = croq.event : !croq.event<1>
    croq.role "p" warps [0, 1) {
      // expected-error@+1 {{deadlock}}
      croq.wait %a at 0
      croq.trigger %b at 0
    }
    croq.role "q" warps [1, 2) {
      croq.wait %b at 0
      croq.trigger %a at 0
    }
  }
}

// -----

// One wait more than there are generations.

croq.kernel @lost_arrival dims(N) (%x: !croq.tile<[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    croq.role "p" warps [0, 1) {
      croq.foreach %k in %tiles {
        croq.trigger %e at %k
      }
      croq.trigger %e at %tiles
    }
    croq.role "q" warps [1, 2) {
      croq.foreach %k in %tiles {
        croq.wait %e at %k
      }
      croq.wait %e at %tiles
      // expected-error@+1 {{lost arrival}}
      croq.wait %e at %tiles + 1
    }
  }
}

// -----

// The slot is free for the producer while wgmma may still read it.

croq.kernel @released_early dims(M, N, K) (
    %x: !croq.tile<[M]x[K]xf16, global>, %y: !croq.tile<[M]x[N]xf16, global>) {
  %tiles = croq.cdiv K, 64
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<2>
    %empty = croq.event ready : !croq.event<2>
    %a = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    croq.role "producer" warps [0, 1) {
      croq.foreach %k in %tiles {
        croq.wait %empty at %k
        %t = croq.subspan %x [64, 64] tile (%i, %k)
        %s = croq.slot %a at %k
        // expected-error@+1 {{overwrite}}
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "consumer" warpgroups [1, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %acc = croq.foreach %k in %tiles iter(%c = %z) {
        croq.wait %full at %k
        %s = croq.slot %a at %k
        %c1 = croq.mma.exec row.row %c, %s, %s
        croq.trigger %empty at %k
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
    }
  }
}

// -----

// The consumer does not wait for the data.

croq.kernel @read_early dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    croq.role "producer" warps [0, 1) {
      %t = croq.subspan %x [32, 32] tile (%i, 0)
      %f = croq.copy_async %t => %a engine(tma)
      croq.trigger %full after %f
    }
    croq.role "consumer" warps [1, 2) {
      %t = croq.subspan %y [32, 32] tile (%i, 0)
      // expected-error@+1 {{read before write}}
      croq.copy %a => %t engine(tma)
    }
  }
}

// -----

// Two roles fill the same buffer.

croq.kernel @write_conflict dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    croq.role "p" warps [0, 1) {
      %t = croq.subspan %x [32, 32] tile (%i, 0)
      croq.copy %t => %a engine(threads)
    }
    croq.role "q" warps [1, 2) {
      %t = croq.subspan %x [32, 32] tile (%i, 1)
      // expected-error@+1 {{write conflict}}
      croq.copy %t => %a engine(threads)
    }
  }
}

// -----

// A role ends while its copy still writes.

croq.kernel @early_exit dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    croq.role "p" warps [0, 1) {
      %t = croq.subspan %x [32, 32] tile (%i, 0)
      // expected-error@+1 {{early exit}}
      %f = croq.copy_async %t => %a engine(tma)
      croq.trigger %e after %f
    }
  }
}

// -----

// Only one of the two readers of a slot releases it.

croq.kernel @one_reader_releases dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]x[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<2>
    %empty = croq.event ready : !croq.event<2>
    %a = croq.alloc : !croq.tile<2x32x32xf32, shared, row_major>
    croq.role "producer" warps [0, 1) {
      croq.foreach %k in %tiles {
        croq.wait %empty at %k
        %t = croq.subspan %x [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        // expected-error@+1 {{overwrite}}
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "left" warps [1, 2) {
      croq.foreach %k in %tiles {
        croq.wait %full at %k
        %t = croq.subspan %y [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        croq.copy %s => %t engine(tma)
        croq.trigger %empty at %k
      }
    }
    croq.role "right" warps [2, 3) {
      croq.foreach %k in %tiles {
        croq.wait %full at %k
        %t = croq.subspan %z [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        // expected-note@+1 {{the read}}
        croq.copy %s => %t engine(tma)
      }
    }
  }
}

// -----

// Two arrivals for a generation that needs one.

croq.kernel @arrival_count () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    croq.role "p" warps [0, 1) {
      croq.trigger %e at 0
      croq.trigger %e at 1
    }
    croq.role "r" warps [1, 2) {
      // expected-error@+1 {{arrival count}}
      croq.trigger %e at 1
    }
    croq.role "q" warps [2, 3) {
      croq.wait %e at 0
      croq.wait %e at 1
    }
  }
}

// -----

// Nothing keeps the next generation back until the wait for this one is over: parities alias.

croq.kernel @phase_overrun dims(N) (%x: !croq.tile<[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    croq.role "p" warps [0, 1) {
      croq.foreach %k in %tiles {
        // expected-note@+1 {{this may complete generation 1}}
        croq.trigger %e at %k
      }
    }
    croq.role "q" warps [1, 2) {
      croq.foreach %k in %tiles {
        // expected-error@+1 {{phase overrun}}
        croq.wait %e at %k
      }
    }
  }
}

// -----

// The answer of "q" keeps it back.

croq.kernel @answered dims(N) (%x: !croq.tile<[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %seen = croq.event ready : !croq.event<1>
    croq.role "p" warps [0, 1) {
      croq.foreach %k in %tiles {
        croq.wait %seen at %k
        croq.trigger %e at %k
      }
    }
    croq.role "q" warps [1, 2) {
      croq.foreach %k in %tiles {
        croq.wait %e at %k
        croq.trigger %seen at %k
      }
    }
  }
}

// -----

// The second arrival of "p" may count for the generation that "r" is late for.

croq.kernel @ambiguous_arrival () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    croq.role "p" warps [0, 1) {
      croq.trigger %e at 0
      // expected-error@+1 {{ambiguous arrival}}
      croq.trigger %e at 1
    }
    croq.role "r" warps [1, 2) {
      croq.trigger %e at 0
      croq.trigger %e at 1
    }
    croq.role "q" warps [2, 3) {
      croq.wait %e at 0
      croq.wait %e at 1
    }
  }
}

// -----

croq.kernel @dropped (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.copy_async' op future: must be awaited or given to a trigger, got a future that is dropped}}
    %f = croq.copy_async %p => %a engine(tma)
  }
}

// -----

croq.kernel @twice (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    // expected-note@+1 {{its future ends here}}
    croq.await %f
    // expected-error@+1 {{'croq.await' op future: must be the only end of its future, got a second one}}
    croq.await %f
  }
}

// -----

// A store may be awaited for its source first.

croq.kernel @source_then_all (%p: !croq.tile<64x64xf16, global>, %q: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    croq.copy %p => %a engine(tma)
    %f = croq.copy_async %a => %q engine(tma)
    croq.await %f read
    croq.await %f
  }
}

// -----

croq.kernel @read_by_its_future (%p: !croq.tile<64x64xf16, global>, %q: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    %d = croq.data %f
    // expected-error@+1 {{'croq.copy' op future: must use what a copy fills after waiting for it, got it before}}
    croq.copy %d => %q engine(tma)
    // expected-note@+1 {{it is awaited here}}
    croq.await %f
  }
}

// -----

croq.kernel @stored_in_flight dims(M) (%x: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %o = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %t = croq.subspan %x [64, 64] tile (%i, 0)
    croq.copy %t => %a engine(tma)
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %c1 = croq.mma.exec row.row %z, %a, %a
    // expected-note@+1 {{it is in flight after this}}
    %c2 = croq.mma.commit %c1
    // expected-error@+1 {{'croq.mma.store' op accumulator in flight: must store an accumulator that is complete, got one with products in flight}}
    croq.mma.store %c2 => %o
  }
}

// -----

croq.kernel @wait_without_commit dims(M) (%x: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %t = croq.subspan %x [64, 64] tile (%i, 0)
    croq.copy %t => %a engine(tma)
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-note@+1 {{the product is here}}
    %c1 = croq.mma.exec row.row %z, %a, %a
    // expected-error@+1 {{'croq.mma.wait' op accumulator in flight: must wait for products that are in a group, got one that is not}}
    %c2 = croq.mma.wait %c1 in_flight 0
  }
}

// -----

// The condition holds just where the loop does not run.
croq.kernel @no_tile dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  croq.parallel (%b) in (3) : block {
    %done = croq.event : !croq.event<1>
    // expected-note@+1 {{%tile is declared here}}
    %tile = croq.alloc : !croq.tile<16x16xf32, shared>
    %zero = arith.constant 0 : index
    %all = arith.muli %m_tiles, %n_tiles : index
    %runs = arith.cmpi ule, %n_tiles, %b : index
    croq.role "loader" warpgroups [0, 1) {
      croq.foreach %i in %b to %n_tiles step 3 {
        %from = croq.subspan %x [16, 16] tile (0, %i)
        croq.copy %from => %tile engine(threads)
      }
      scf.if %runs {
        croq.trigger %done at 0
      }
    }
    croq.role "writer" warpgroups [1, 2) {
      scf.if %runs {
        croq.wait %done at 0
        %to = croq.subspan %y [16, 16] tile (%b, 0)
        // expected-error@+2 {{'croq.copy' op read before write: %tile is read, but nothing that happens before writes it}}
        // expected-note@+1 {{an execution that gets there}}
        croq.copy %tile => %to engine(threads)
      }
    }
  }
}
