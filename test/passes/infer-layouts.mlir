// RUN: croq-opt --infer-layouts --split-input-file %s | filecheck %s

// The seed's shape under other names: operands through slots and slices, an output tile
// that TMA reads, and futures whose types follow.
// CHECK: croq.kernel @ring
croq.kernel @ring dims(Rows, Cols, Depth) (
    %x: !croq.tile<[Rows]x[Depth]xbf16, global>,
    %y: !croq.tile<[Cols]x[Depth]xbf16, global>,
    %z: !croq.tile<[Rows]x[Cols]xbf16, global>) {
  croq.parallel (%i, %j) in (2, 2) : block {
    // CHECK: [[Y:%.*]] = croq.alloc : !croq.tile<2x64x64xbf16, shared, swizzle<128>>
    // CHECK: [[X:%.*]] = croq.alloc : !croq.tile<2x64x32xbf16, shared, swizzle<64>>
    // CHECK: [[Z:%.*]] = croq.alloc : !croq.tile<64x64xbf16, shared, swizzle<128>>
    %ys = croq.alloc : !croq.tile<2x64x64xbf16, shared>
    %xs = croq.alloc : !croq.tile<2x64x32xbf16, shared>
    %zs = croq.alloc : !croq.tile<64x64xbf16, shared>
    %yg = croq.subspan %y [64, 64] tile (%j, 0)
    %y0 = croq.slot %ys[1]
    %f = croq.copy_async %yg => %y0
    %landed = croq.data %f
    %half = croq.chunkat %landed [_, 2] at (_, 1)
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %sum = croq.foreach %k in 2 iter(%acc = %zero) {
      %x0 = croq.slot %xs at %k
      %acc1 = croq.foreach %kk in 2 iter(%a = %acc) {
        %xk = croq.chunkat %x0 [_, 2] at (_, %kk)
        %yk = croq.chunkat %half [_, 2] at (_, %kk)
        %next = croq.mma.exec row.row %a, %xk, %yk
        croq.yield %next : !croq.acc<64x64xf32>
      }
      // CHECK: croq.yield
      croq.yield %acc1 : !croq.acc<64x64xf32>
    }
    croq.mma.store %sum => %zs
    %zg = croq.subspan %z [64, 64] tile (%i, %j)
    croq.copy %zs => %zg
  }
}

// -----

// MN-major operands: slices of 64 rows of K keep the widest panel, a slice of 32 columns
// of M needs panels of 32 columns.
// CHECK: croq.kernel @mn_major
croq.kernel @mn_major () {
  croq.parallel (%i) in (1) : block {
    // CHECK: croq.alloc : !croq.tile<128x128xf16, shared, swizzle<64>>
    // CHECK: croq.alloc : !croq.tile<128x96xf16, shared, swizzle<64>>
    %a = croq.alloc : !croq.tile<128x128xf16, shared>
    %b = croq.alloc : !croq.tile<128x96xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x96xf16>
    %at = croq.view %a [128, 64] from (0, 32)
    %acc = croq.mma.exec col.col %zero, %at, %b
  }
}

// -----

// Only the core-matrix layout fits rows of 48 bytes that start at 8 elements.
// CHECK: croq.kernel @narrow
croq.kernel @narrow () {
  croq.parallel (%i) in (1) : block {
    // CHECK: croq.alloc : !croq.tile<64x24xf16, shared, swizzle<none>>
    // CHECK: croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    %a = croq.alloc : !croq.tile<64x24xf16, shared>
    %b = croq.alloc : !croq.tile<8x16xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    %part = croq.view %a [64, 16] from (0, 8)
    %acc = croq.mma.exec row.row %zero, %part, %b
  }
}

// -----

// Output tiles: the widest swizzle that divides the rows; not if rows are no multiple of
// 8, or the copy is made by threads. Tiles of thread accesses are row-major.
// CHECK: croq.kernel @outputs
croq.kernel @outputs dims(M, N) (
    %f32_out: !croq.tile<[M]x[N]xf32, global>, %out: !croq.tile<[M]x[N]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[NARROW:%.*]] = croq.alloc : !croq.tile<64x40xf32, shared, swizzle<32>>
    // CHECK: [[BYTHREADS:%.*]] = croq.alloc : !croq.tile<64x40xf16, shared, row_major>
    // CHECK: [[PLAIN:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // CHECK: [[VECTOR:%.*]] = croq.alloc : !croq.tile<40xf32, shared, row_major>
    %narrow = croq.alloc : !croq.tile<64x40xf32, shared>
    %by_threads = croq.alloc : !croq.tile<64x40xf16, shared>
    %plain = croq.alloc : !croq.tile<64x64xf16, shared>
    %vector = croq.alloc : !croq.tile<40xf32, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x40xf32>
    croq.mma.store %acc => %narrow
    %o0 = croq.subspan %f32_out [64, 40] tile (%i, 0)
    croq.copy %narrow => %o0 engine(tma)
    croq.mma.store %acc => %by_threads
    %o1 = croq.subspan %out [64, 40] tile (%i, 0)
    croq.copy %by_threads => %o1 engine(threads)
    %o2 = croq.subspan %out [64, 64] tile (%i, 0)
    croq.copy %o2 => %plain
    croq.copy %plain => %o2
    %first = croq.load %vector[0]
  }
}

// -----

// A layout that was written stays.
// CHECK: croq.kernel @stated
croq.kernel @stated () {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.alloc : !croq.tile<64x64xf16, shared, swizzle<32>>
    // CHECK: croq.alloc : !croq.tile<64x64xf16, shared, swizzle<64>>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<32>>
    %plain = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<64>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %sum = croq.mma.exec row.row %zero, %a, %a
    %x = croq.load %plain[0, 1]
  }
}

// -----

// Buffers that take turns in a loop get one layout, that of the one that wgmma reads.
// CHECK: croq.kernel @turns
croq.kernel @turns () {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[X:%.*]] = croq.alloc : !croq.tile<64x32xf16, shared, swizzle<64>>
    // CHECK: [[Y:%.*]] = croq.alloc : !croq.tile<64x32xf16, shared, swizzle<64>>
    %x = croq.alloc : !croq.tile<64x32xf16, shared>
    %y = croq.alloc : !croq.tile<64x32xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // CHECK: croq.foreach {{.*}} iter([[A:%.*]] = [[X]], [[B:%.*]] = [[Y]], {{.*}}) {
    // CHECK: croq.yield [[B]], [[A]], {{.*}} : !croq.tile<64x32xf16, shared, swizzle<64>>, !croq.tile<64x32xf16, shared, swizzle<64>>,
    %last, %other, %sum = croq.foreach %k in 4 iter(%a = %x, %b = %y, %c = %zero) {
      %c1 = croq.mma.exec row.row %c, %b, %b
      croq.yield %b, %a, %c1 : !croq.tile<64x32xf16, shared>, !croq.tile<64x32xf16, shared>, !croq.acc<64x64xf32>
    }
    // CHECK: scf.if {{.*}} -> (!croq.tile<64x32xf16, shared, swizzle<64>>) {
    %one = arith.constant true
    %some = scf.if %one -> (!croq.tile<64x32xf16, shared>) {
      scf.yield %last : !croq.tile<64x32xf16, shared>
    } else {
      scf.yield %x : !croq.tile<64x32xf16, shared>
    }
  }
}

// -----

// A part of a panel is stored, too: the widest swizzle that divides both.
// CHECK: croq.kernel @panels
croq.kernel @panels dims(M) (%p: !croq.tile<[M]x112xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<32>>
    %o = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x112xf32>
    %a = croq.slot %o at 0
    croq.mma.store %acc cols [0, 64) => %a
    %to = croq.view %p [64, 64] from (0, 0)
    croq.copy %a => %to
    %b = croq.slot %o at 1
    %c = croq.view %b [64, 48] from (0, 0)
    croq.mma.store %acc cols [64, 112) => %c
    %rest = croq.view %p [64, 48] from (0, 64)
    croq.copy %c => %rest
  }
}

// -----

// What a copy reads or writes along columns is swizzled, as wide as its rows allow; a copy
// that permutes other dims keeps rows.
// CHECK: croq.kernel @transposed
croq.kernel @transposed (%x: !croq.tile<4x64x32xf32, global>, %y: !croq.tile<4x32x64xf32, global>,
    %z: !croq.tile<64x4x32xf32, global>, %odd: !croq.tile<9x8x4xf32, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.alloc : !croq.tile<4x64x32xf32, shared, swizzle<128>>
    %t = croq.alloc : !croq.tile<4x64x32xf32, shared>
    // CHECK: croq.alloc : !croq.tile<4x8x9xf32, shared, row_major>
    %u = croq.alloc : !croq.tile<4x8x9xf32, shared>
    // CHECK: croq.alloc : !croq.tile<4x64x32xf32, shared, row_major>
    %v = croq.alloc : !croq.tile<4x64x32xf32, shared>
    croq.copy %x => %t
    croq.copy %t => %y transpose(0, 2, 1)
    croq.copy %odd => %u transpose(2, 1, 0)
    croq.copy %x => %v
    croq.copy %v => %z transpose(1, 0, 2)
  }
}
