// RUN: croq-opt --guard-tma-stores %s | filecheck %s

// Rows of N f16 elements end at 16 bytes when N is a multiple of 8; a tile that ends before
// the row does is safe as well.

// CHECK-LABEL: croq.kernel @ragged
// CHECK-DAG:     [[N:%.*]] = croq.dim N
// CHECK-DAG:     [[END:%.*]] = arith.addi {{%.*}}, {{%.*}} : index
// CHECK:         [[REST:%.*]] = arith.andi [[N]], {{%.*}} : index
// CHECK:         [[ENDS:%.*]] = arith.cmpi eq, [[REST]], {{%.*}}
// CHECK:         [[BEFORE:%.*]] = arith.cmpi ule, [[END]], [[N]]
// CHECK:         [[WHOLE:%.*]] = arith.ori [[ENDS]], [[BEFORE]] : i1
// CHECK-NEXT:    scf.if [[WHOLE]] {
// CHECK-NEXT:      croq.copy [[T:%.*]] => [[O:%.*]] engine(tma)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      croq.copy [[T]] => [[O]] engine(threads)
// CHECK-NEXT:    }{{ ?}}{apart}
croq.kernel @ragged dims(M, N) (%out: !croq.tile<[M]x[N]xf16, global>) {
  %n_tiles = croq.cdiv N, 64
  croq.parallel (%b) in (%n_tiles) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %o = croq.subspan %out [64, 64] tile (0, %b)
    croq.copy %t => %o engine(tma)
  }
}

// A row of rank 1 has no pitch, but it has an end.

// CHECK-LABEL: croq.kernel @line
// CHECK:         scf.if {{%.*}} {
// CHECK-NEXT:      croq.copy [[T:%.*]] => [[O:%.*]] engine(tma)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      croq.copy [[T]] => [[O]] engine(threads)
// CHECK-NEXT:    }
// CHECK:         croq.copy [[L:%.*]] => [[T]] engine(tma)
croq.kernel @line dims(M) (
    %in: !croq.tile<[M]xf32, global>, %out: !croq.tile<[M]xf32, global>) {
  %m_tiles = croq.cdiv M, 64
  croq.parallel (%b) in (%m_tiles) : block {
    %t = croq.alloc : !croq.tile<64xf32, shared, row_major>
    %o = croq.subspan %out [64] tile (%b)
    croq.copy %t => %o engine(tma)
    %l = croq.subspan %in [64] tile (%b)
    croq.copy %l => %t engine(tma)
  }
}

// Tiles that overlap: what threads store of one TMA may store of the other.

// CHECK-LABEL: croq.kernel @overlapping
// CHECK:         scf.if {{%.*}} {
// CHECK:         } else {
// CHECK-NOT:     apart
croq.kernel @overlapping dims(N) (%out: !croq.tile<8x[N]xf32, global>) {
  croq.parallel (%b) in (4) : block {
    %t = croq.alloc : !croq.tile<8x64xf32, shared, row_major>
    %o = croq.subspan %out [8, 64] step [8, 32] tile (0, %b)
    croq.copy %t => %o engine(tma)
  }
}

// Known to end at 16 bytes: TMA alone. Loads and copies of threads are clipped anyway.

// CHECK-LABEL: croq.kernel @known
// CHECK-NOT:     scf.if
croq.kernel @known dims(M, N multiple_of 8, K) (
    %out: !croq.tile<[M]x[N]xf16, global>, %static: !croq.tile<[M]x64xf32, global>,
    %ragged: !croq.tile<[M]x[K]xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %f = croq.alloc : !croq.tile<64x32xf32, shared, swizzle<128>>
    %o = croq.subspan %out [64, 64] tile (0, %b)
    croq.copy %t => %o engine(tma)
    %s = croq.subspan %static [64, 32] tile (0, 1)
    croq.copy %f => %s engine(tma)
    %r = croq.subspan %ragged [64, 64] tile (0, %b)
    croq.copy %r => %t engine(tma)
    croq.copy %t => %r engine(threads)
  }
}
