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
    // GENERIC:     "croq.chunkat"({{%.*}}, {{%.*}}) <{chunks = [#builtin.int<1>, #builtin.int<4>], static_at = ["_", unit]}>
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
  }
}
