// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Matrix products.

// CHECK:       croq.kernel @mma () {
croq.kernel @mma () {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc : !croq.tile<64x16xf16, shared>
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    // CHECK-NEXT:  [[AT:%.*]] = croq.alloc : !croq.tile<16x64xf16, shared>
    %at = croq.alloc : !croq.tile<16x64xf16, shared>
    // CHECK-NEXT:  [[B:%.*]] = croq.alloc : !croq.tile<32x16xf16, shared>
    %bt = croq.alloc : !croq.tile<32x16xf16, shared>
    // CHECK-NEXT:  [[BN:%.*]] = croq.alloc : !croq.tile<16x32xf16, shared>
    %bn = croq.alloc : !croq.tile<16x32xf16, shared>
    // CHECK-NEXT:  [[Z:%.*]] = croq.mma.fill 0.000000e+00 : !croq.acc<64x32xf32>
    // GENERIC:     "croq.mma.fill"() <{value = 0.000000e+00 : f32}> : () -> !croq.acc<64x32xf32>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // CHECK-NEXT:  [[I:%.*]] = croq.mma.fill -7 : !croq.acc<64x32xi32>
    // GENERIC:     "croq.mma.fill"() <{value = -7 : i32}> : () -> !croq.acc<64x32xi32>
    %i8s = croq.mma.fill -7 : !croq.acc<64x32xi32>
    // CHECK-NEXT:  croq.mma.fill -1.500000e+00 {note} : !croq.acc<64x32xf16>
    %h = croq.mma.fill -1.5 {note} : !croq.acc<64x32xf16>
    // CHECK-NEXT:  [[C1:%.*]] = croq.mma.exec row.row [[Z]], [[A]], [[B]]
    // GENERIC:     "croq.mma.exec"({{%.*}}, {{%.*}}, {{%.*}}) <{form = "row.row"}> : (!croq.acc<64x32xf32>, !croq.tile<64x16xf16, shared>, !croq.tile<32x16xf16, shared>) -> !croq.acc<64x32xf32>
    %c1 = croq.mma.exec row.row %z, %a, %bt
    // CHECK-NEXT:  [[C2:%.*]] = croq.mma.exec row.col [[C1]], [[A]], [[BN]]
    %c2 = croq.mma.exec row.col %c1, %a, %bn
    // CHECK-NEXT:  [[C3:%.*]] = croq.mma.exec col.row [[C2]], [[AT]], [[B]]
    %c3 = croq.mma.exec col.row %c2, %at, %bt
    // CHECK-NEXT:  [[C4:%.*]] = croq.mma.exec col.col [[C3]], [[AT]], [[BN]] {note}
    %c4 = croq.mma.exec col.col %c3, %at, %bn {note}
    // CHECK-NEXT:  [[C5:%.*]] = croq.mma.commit [[C4]] {note}
    // GENERIC:     "croq.mma.commit"({{%.*}}) {note} : (!croq.acc<64x32xf32>) -> !croq.acc<64x32xf32>
    %c5 = croq.mma.commit %c4 {note}
    // CHECK-NEXT:  [[C6:%.*]] = croq.mma.wait [[C5]] in_flight 1 {note}
    // GENERIC:     "croq.mma.wait"({{%.*}}) <{in_flight = #builtin.int<1>}> {note} : (!croq.acc<64x32xf32>) -> !croq.acc<64x32xf32>
    %c6 = croq.mma.wait %c5 in_flight 1 {note}
    // CHECK-NEXT:  [[O:%.*]] = croq.alloc : !croq.tile<64x32xbf16, shared>
    %o = croq.alloc : !croq.tile<64x32xbf16, shared>
    // CHECK-NEXT:  croq.mma.store [[C6]] => [[O]] {note}
    // GENERIC:     "croq.mma.store"({{%.*}}, {{%.*}}) {note} : (!croq.acc<64x32xf32>, !croq.tile<64x32xbf16, shared>) -> ()
    croq.mma.store %c6 => %o {note}
    // CHECK-NEXT:  [[P:%.*]] = croq.alloc : !croq.tile<64x16xf32, shared>
    %p = croq.alloc : !croq.tile<64x16xf32, shared>
    // CHECK-NEXT:  croq.mma.store [[C6]] cols [16, 32) => [[P]] {note}
    // GENERIC:     "croq.mma.store"({{%.*}}, {{%.*}}) <{first_col = #builtin.int<16>, last_col = #builtin.int<32>}> {note} :
    croq.mma.store %c6 cols [16, 32) => %p {note}
  }
}

// Extents may be parameters.
// CHECK:       croq.kernel @named
croq.kernel @named dims(M, K) params(BM = 64, BK = 16) (%x: !croq.tile<[M]x[K]xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    %a = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    // CHECK-NEXT:  [[W:%.*]] = croq.subspan %x [BM, BK] tile ([[B:%.*]], 0)
    // GENERIC:     "croq.subspan"({{%.*}}, {{%.*}}) <{extents = ["BM", "BK"], static_at = [unit, 0 : index]}>
    %w = croq.subspan %x [BM, BK] tile (%b, 0)
    // CHECK-NEXT:  croq.view %x [8, BK] from (0, 0)
    %v = croq.view %x [8, BK] from (0, 0)
    // CHECK-NEXT:  croq.copy [[W]] => [[A]]
    croq.copy %w => %a
    // CHECK-NEXT:  [[Z:%.*]] = croq.mma.fill 0.000000e+00 : !croq.acc<[BM]x[BM]xf32>
    // GENERIC:     "croq.mma.fill"() <{value = 0.000000e+00 : f32}> : () -> !croq.acc<[BM]x[BM]xf32>
    %z = croq.mma.fill 0.0 : !croq.acc<[BM]x[BM]xf32>
    // CHECK-NEXT:  croq.mma.exec row.row [[Z]], [[A]], [[A]]
    %c = croq.mma.exec row.row %z, %a, %a
  }
}
