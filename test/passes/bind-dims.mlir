// RUN: croq-opt "--bind-dims{M=192 N=4096}" %s | filecheck %s --check-prefixes=CHECK,SOME
// RUN: croq-opt "--bind-dims{M=192 N=4096 K=80}" --bind-params %s | filecheck %s --check-prefixes=CHECK,ALL
// RUN: croq-opt "--bind-dims{M=1280 N=4096 K=80}" --bind-params "--persist{order=grouped}" %s | filecheck %s --check-prefix=WHOLE
// RUN: croq-opt "--bind-dims{M=704 N=4096 K=80}" --bind-params "--persist{order=grouped}" %s | filecheck %s --check-prefix=TAIL

// Types of arguments, index operands, `croq.dim`; a dim that is not named stays.
// CHECK: croq.kernel @product
// SOME-SAME: dims(K multiple_of 8) params(BM = 64)
// SOME-SAME: (%lhs: !croq.tile<192x[K]xf16, global>, %rhs: !croq.tile<4096x[K]xf16, global>, %out: !croq.tile<192x4096xf16, global>)
// ALL-SAME: (%lhs: !croq.tile<192x80xf16, global>, %rhs: !croq.tile<4096x80xf16, global>, %out: !croq.tile<192x4096xf16, global>) {
croq.kernel @product dims(M, N multiple_of 16, K multiple_of 8) params(BM = 64) (
    %lhs: !croq.tile<[M]x[K]xf16, global>, %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {
  // SOME-NEXT: [[MS:%.*]] = croq.cdiv 192, BM
  // SOME-NEXT: croq.parallel ({{.*}}) in ([[MS]], 32) : block
  // ALL-NEXT: croq.parallel ({{.*}}) in (3, 32) : block
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, 128
  // With constant extents nothing is divided by a value: groups are whole,
  // WHOLE: croq.foreach {{.*}} to 640 step 132
  // WHOLE-NOT: divui
  // WHOLE-NOT: remui
  // WHOLE: croq.mma.fill
  // or the last one has a height of its own.
  // TAIL: croq.foreach {{.*}} to 352 step 132
  // TAIL: [[LAST:%.*]] = arith.cmpi ult
  // TAIL: [[THREE:%.*]] = arith.constant 3 : index
  // TAIL-NEXT: [[R3:%.*]] = arith.remui [[IN:%.*]], [[THREE]] : index
  // TAIL: [[R8:%.*]] = arith.andi [[IN]]
  // TAIL-NEXT: arith.select [[LAST]], [[R3]], [[R8]] : index
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %a_s = croq.alloc : !croq.tile<[BM]x16xf16, shared>
    %b_s = croq.alloc : !croq.tile<128x16xf16, shared>
    // CHECK: croq.alloc
    // SOME: croq.dim K
    // SOME: [[KS:%.*]] = croq.cdiv K, 16
    // SOME: croq.foreach {{.*}} in [[KS]]
    // ALL: croq.foreach {{.*}} in 5
    %k_extent = croq.dim K
    %k_tiles = croq.cdiv K, 16
    %zero = croq.mma.fill 0.0 : !croq.acc<[BM]x128xf32>
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
      %a = croq.subspan %lhs [BM, 16] tile (%bm, %k)
      %b = croq.subspan %rhs [128, 16] tile (%bn, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<[BM]x128xf32>
    }
    // SOME: arith.constant 4096 : index
    // ALL: croq.store {{%.*}}, %out[{{%.*}}, 4016]
    %n_extent = croq.dim N
    %last = arith.subi %n_extent, %k_extent : index
    croq.parallel (%t) in (128) : thread {
      %x = croq.load %a_s[0, 0]
      croq.store %x, %out[%bm, %last]
    }
  }
}

// A dim is one of some kernel of the module.
// CHECK: croq.kernel @other dims(L)
croq.kernel @other dims(L) (%x: !croq.tile<[L]xf32, global>) {
  croq.parallel (%i, %j) in (1, 1) : block {
  }
}
