// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// Computations for each element, and reductions.

// CHECK-LABEL: croq.kernel @ops
croq.kernel @ops dims(M, N) params(BM = 64) (%in: !croq.tile<[M]x[N]xf16, global>, %bias: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x32xf16, shared>
    %c = croq.alloc : !croq.tile<64x32xf32, shared>
    %v = croq.alloc : !croq.tile<64xf32, shared>
    %s = croq.alloc : !croq.tile<1xf32, shared>
    %zero = arith.constant 0.0 : f32
    %w = croq.view %bias [32] from (0)
    // CHECK:      croq.elementwise (%{{.*}} = %a, %{{.*}} = %w along [1], %{{.*}} = %v along [0]) => %c {
    // CHECK:        croq.yield %{{.*}} : f32
    // CHECK-NEXT: }
    // GENERIC: "croq.elementwise"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{along = {{\[\[}}#builtin.int<0>, #builtin.int<1>], [#builtin.int<1>], [#builtin.int<0>]], operandSegmentSizes = array<i32: 3, 1>}> ({
    croq.elementwise (%x = %a, %y = %w along [1], %z = %v along [0]) => %c {
      %x32 = arith.extf %x : f16 to f32
      %p = arith.mulf %x32, %y : f32
      %q = arith.addf %p, %z : f32
      croq.yield %q : f32
    }
    // CHECK:      croq.elementwise () at (%{{.*}}, %{{.*}}) => %c {
    croq.elementwise () at (%i, %j) => %c {
      %k = arith.index_cast %i : index to i32
      %r = arith.sitofp %k : i32 to f32
      croq.yield %r : f32
    }
    // CHECK:      croq.elementwise (%{{.*}} = %c) => %c attributes {note = "in place"} {
    croq.elementwise (%x = %c) => %c attributes {note = "in place"} {
      croq.yield %x : f32
    }
    // CHECK:      croq.reduce max %c dim 1 => %v
    // GENERIC:    "croq.reduce"(%{{.*}}, %{{.*}}) <{combination = #croq<combination max>, dim = #builtin.int<1>}>
    croq.reduce max %c dim 1 => %v
    // CHECK:      croq.reduce add %v dim 0 => %s
    croq.reduce add %v dim 0 => %s
    // CHECK:      croq.reduce mul %a dim 1 => %v {note = "in f32"}
    croq.reduce mul %a dim 1 => %v {note = "in f32"}
    %acc = croq.mma.fill 1.0 : !croq.acc<[BM]x32xf32>
    %v2 = croq.alloc : !croq.tile<[BM]xf32, shared>
    // CHECK:      %relu = croq.elementwise (%{{.*}} = %acc, %{{.*}} = %w along [1]) at (%{{.*}}, %{{.*}}) -> !croq.acc<[BM]x32xf32> {
    %relu = croq.elementwise (%x = %acc, %y = %w along [1]) at (%i, %j) -> !croq.acc<[BM]x32xf32> {
      %t = arith.addf %x, %y : f32
      %u = arith.maximumf %t, %zero : f32
      croq.yield %u : f32
    }
    // CHECK:      croq.reduce min %relu dim 1 => %v2
    croq.reduce min %relu dim 1 => %v2
  }
}
