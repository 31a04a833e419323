// RUN: croq-opt --allow-unregistered-dialect %s | filecheck %s
// RUN: croq-opt --allow-unregistered-dialect %s | croq-opt --allow-unregistered-dialect | filecheck %s
// RUN: croq-opt --allow-unregistered-dialect --print-op-generic %s | croq-opt --allow-unregistered-dialect | filecheck %s
// RUN: croq-opt --allow-unregistered-dialect --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Types and attributes.

// CHECK:       "test.types"() {
// CHECK-SAME:    engines = [#croq<engine auto>, #croq<engine tma>, #croq<engine cp_async>, #croq<engine threads>]
// CHECK-SAME:    levels = [#croq<level block>, #croq<level warpgroup>, #croq<level warp>, #croq<level thread>]
// CHECK-SAME:    majors = [#croq<major k>, #croq<major mn>]
// CHECK-SAME:    tiles = [!croq.tile<128x64xf16, shared>, !croq.tile<[M]x[K]xbf16, global>, !croq.tile<?x64xf32, register>, !croq.tile<8xi8, global>, !croq.tile<1x2x3x4xf8E4M3FN, global>, !croq.tile<f64, global>]
// CHECK-SAME:    layouts = [!croq.tile<8x64xf16, shared, row_major>, !croq.tile<8x64xf16, shared, swizzle<128>>, !croq.tile<8x64xf16, shared, swizzle<64>>, !croq.tile<8x64xf16, shared, swizzle<32>>, !croq.tile<[S]x8x64xf16, shared, swizzle<none>>]
// CHECK-SAME:    futures = [!croq.future<!croq.tile<8x64xf16, shared>>]
// CHECK-SAME:    events = [!croq.event<1>, !croq.event<[S]>]
// CHECK-SAME:    accs = [!croq.acc<64x256xf32>, !croq.acc<128x8xf16>]
// GENERIC:     "test.types"
"test.types"() {
  engines = [#croq<engine auto>, #croq<engine tma>, #croq<engine cp_async>, #croq<engine threads>],
  levels = [#croq<level block>, #croq<level warpgroup>, #croq<level warp>, #croq<level thread>],
  majors = [#croq<major k>, #croq<major mn>],
  tiles = [!croq.tile<128x64xf16, shared>, !croq.tile<[M]x[K]xbf16, global>,
           !croq.tile<?x64xf32, register>, !croq.tile<8xi8, global>,
           !croq.tile<1x2x3x4xf8E4M3FN, global>, !croq.tile<f64, global>],
  layouts = [!croq.tile<8x64xf16, shared, row_major>, !croq.tile<8x64xf16, shared, swizzle<128>>,
             !croq.tile<8x64xf16, shared, swizzle<64>>, !croq.tile<8x64xf16, shared, swizzle<32>>,
             !croq.tile<[S]x8x64xf16, shared, swizzle<none>>],
  futures = [!croq.future<!croq.tile<8x64xf16, shared>>],
  events = [!croq.event<1>, !croq.event<[S]>],
  accs = [!croq.acc<64x256xf32>, !croq.acc<128x8xf16>]
} : () -> ()
