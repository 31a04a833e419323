// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Views, and the types that follow from them.

// CHECK:       croq.kernel @views dims(M, K) params(S = 4) (%t: !croq.tile<[M]x[K]xf16, global>, %k: index) {
croq.kernel @views dims(M, K) params(S = 4) (%t: !croq.tile<[M]x[K]xf16, global>, %k: index) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[BUF:%.*]] = croq.alloc : !croq.tile<[S]x128x64xf16, shared, swizzle<128>>
    %buf = croq.alloc : !croq.tile<[S]x128x64xf16, shared, swizzle<128>>
    // CHECK-NEXT:  croq.subspan %t [128, 64] tile ([[B:%.*]], 3)
    // GENERIC:     "croq.subspan"({{%.*}}, {{%.*}}) <{extents = [#builtin.int<128>, #builtin.int<64>], static_at = [unit, 3 : index]}>
    // GENERIC-SAME:  : (!croq.tile<[M]x[K]xf16, global>, index) -> !croq.tile<128x64xf16, global>
    %s0 = croq.subspan %t [128, 64] tile (%b, 3)
    // CHECK-NEXT:  croq.subspan %t [128, 64] tile (S, %k) {note}
    %s1 = croq.subspan %t [128, 64] tile (S, %k) {note}
    // CHECK-NEXT:  [[W:%.*]] = croq.view %t [1, 64] from ([[B]], 0)
    // GENERIC:     "croq.view"({{%.*}}, {{%.*}}) <{extents = [#builtin.int<1>, #builtin.int<64>], static_at = [unit, 0 : index]}>
    // GENERIC-SAME:  : (!croq.tile<[M]x[K]xf16, global>, index) -> !croq.tile<1x64xf16, global>
    %w0 = croq.view %t [1, 64] from (%b, 0)
    // CHECK-NEXT:  croq.view [[W]] [1, 8] from (0, 56) {note}
    %w1 = croq.view %w0 [1, 8] from (0, 56) {note}
    // CHECK-NEXT:  [[SLOT:%.*]] = croq.slot [[BUF]] at %k
    // GENERIC:     "croq.slot"({{%.*}}, {{%.*}}) <{static_order = [unit]}>
    // GENERIC-SAME:  : (!croq.tile<[S]x128x64xf16, shared, swizzle<128>>, index) -> !croq.tile<128x64xf16, shared, swizzle<128>>
    %slot = croq.slot %buf at %k
    // CHECK-NEXT:  croq.slot [[BUF]] at %k + S
    // GENERIC:     "croq.slot"({{%.*}}, {{%.*}}) <{static_order = [unit], offset = ["S"]}>
    %o0 = croq.slot %buf at %k + S
    // CHECK-NEXT:  croq.slot [[BUF]] at 5 + 1 {note}
    %o1 = croq.slot %buf at 5 + 1 {note}
    // CHECK-NEXT:  croq.slot [[BUF]][%k]
    // GENERIC:     "croq.slot"({{%.*}}, {{%.*}}) <{static_order = [unit], by_slot}>
    %o2 = croq.slot %buf[%k]
    // CHECK-NEXT:  croq.slot [[BUF]][0]
    %o3 = croq.slot %buf[0]
    // CHECK-NEXT:  croq.slot [[BUF]][0]
    %o4 = croq.slot %buf
    // CHECK-NEXT:  croq.chunkat [[SLOT]] [_, 4] at (_, [[B]])
    // GENERIC:     "croq.chunkat"({{%.*}}, {{%.*}}) <{static_at = ["_", unit, 1 : index, 4 : index]}>
    // GENERIC-SAME:  : (!croq.tile<128x64xf16, shared, swizzle<128>>, index) -> !croq.tile<128x16xf16, shared, swizzle<128>>
    %c0 = croq.chunkat %slot [_, 4] at (_, %b)
    // CHECK-NEXT:  croq.chunkat [[SLOT]] [2, _] at (1, _) {note}
    %c1 = croq.chunkat %slot [2, _] at (1, _) {note}
    // A dim of no known extent gives one of no known extent.
    // CHECK-NEXT:  [[HALF:%.*]] = croq.chunkat %t [2, _] at (1, _)
    // GENERIC:     -> !croq.tile<?x[K]xf16, global>
    %c2 = croq.chunkat %t [2, _] at (1, _)
    // CHECK-NEXT:  croq.subspan [[HALF]] [16, 8] tile (0, 0)
    %c3 = croq.subspan %c2 [16, 8] tile (0, 0)
    // A number of chunks that is not known gives extents that are not known.
    // CHECK-NEXT:  [[PARTS:%.*]] = croq.cdiv M, 64
    %parts = croq.cdiv M, 64
    // CHECK-NEXT:  [[PART:%.*]] = croq.chunkat [[SLOT]] [[[PARTS]], S] at ([[B]], %k)
    // GENERIC:     "croq.chunkat"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{static_at = [unit, unit, unit, "S"]}>
    // GENERIC-SAME:  -> !croq.tile<?x?xf16, shared, swizzle<128>>
    %c4 = croq.chunkat %slot [%parts, S] at (%b, %k)
    // Tiles that overlap, and elements that are apart.
    // CHECK-NEXT:  croq.subspan %t [34, 66] step [32, 64] tile ([[B]], %k) {note}
    // GENERIC:     "croq.subspan"({{%.*}}, {{%.*}}, {{%.*}}) <{extents = [#builtin.int<34>, #builtin.int<66>], static_at = [unit, unit], step = [#builtin.int<32>, #builtin.int<64>]}>
    %h0 = croq.subspan %t [34, 66] step [32, 64] tile (%b, %k) {note}
    // CHECK-NEXT:  croq.view [[SLOT]] [S, 8] strides [2, S] from (0, [[B]]) {note}
    // GENERIC:     "croq.view"({{%.*}}, {{%.*}}) <{extents = ["S", #builtin.int<8>], static_at = [0 : index, unit], strides = [#builtin.int<2>, "S"]}>
    %h1 = croq.view %slot [S, 8] strides [2, S] from (0, %b) {note}
  }
}

// Other ranks.
// CHECK-LABEL: croq.kernel @shapes
croq.kernel @shapes dims(M, N) params(S = 4) (%x: !croq.tile<1x[M]x1x[N]xf16, global>, %y: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %buf = croq.alloc : !croq.tile<2x[S]x64xf16, shared>
    // CHECK:       [[Q:%.*]] = croq.squeeze %x [0, 2] {note}
    // GENERIC:     "croq.squeeze"({{%.*}}) <{dropped = [#builtin.int<0>, #builtin.int<2>]}>
    // GENERIC-SAME:  : (!croq.tile<1x[M]x1x[N]xf16, global>) -> !croq.tile<[M]x[N]xf16, global>
    %q = croq.squeeze %x [0, 2] {note}
    // CHECK-NEXT:  croq.span_as %y [_, 4, 64] {note}
    // GENERIC:     "croq.span_as"({{%.*}}) <{extents = ["_", #builtin.int<4>, #builtin.int<64>]}>
    // GENERIC-SAME:  -> !croq.tile<?x4x64xf16, global>
    %s0 = croq.span_as %y [_, 4, 64] {note}
    // CHECK-NEXT:  croq.span_as %y [M, 8, _]
    // GENERIC:       -> !croq.tile<[M]x8x8xf16, global>
    %s1 = croq.span_as %y [M, 8, _]
    // CHECK-NEXT:  croq.span_as %y [_, 2, 32]
    // GENERIC:       -> !croq.tile<[M]x2x32xf16, global>
    %s2 = croq.span_as %y [_, 2, 32]
    // CHECK-NEXT:  [[ONE:%.*]] = croq.slot {{%.*}}[1]
    %one = croq.slot %buf[1]
    // CHECK-NEXT:  croq.span_as [[ONE]] [S, 4, 16]
    // GENERIC:     "croq.span_as"({{%.*}}) <{extents = ["S", #builtin.int<4>, #builtin.int<16>]}>
    %s3 = croq.span_as %one [S, 4, 16]
    // CHECK-NEXT:  croq.span_as [[ONE]] [_]
    // GENERIC:       -> !croq.tile<?xf16, shared>
    %s4 = croq.span_as %one [_]
  }
}
