// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Elements, threads, addresses, descriptors, parameters.

// CHECK:       croq.kernel @hardware dims(M) params(S = 4) (%t: !croq.tile<[M]x64x64xf16, global>, %i: index, %x: f16) {
croq.kernel @hardware dims(M) params(S = 4) (%t: !croq.tile<[M]x64x64xf16, global>, %i: index, %x: f16) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // CHECK-NEXT:  [[V:%.*]] = croq.load [[A]][%i, 3] {note}
    // GENERIC:     "croq.load"({{%.*}}, {{%.*}}) <{static_indices = [unit, 3 : index]}> {note} : (!croq.tile<64x64xf16, shared, swizzle<128>>, index) -> f16
    %v = croq.load %a[%i, 3] {note}
    // CHECK-NEXT:  croq.store [[V]], %t[0, S, %i] {note}
    // GENERIC:     "croq.store"({{%.*}}, {{%.*}}, {{%.*}}) <{static_indices = [0 : index, "S", unit]}> {note} : (f16, !croq.tile<[M]x64x64xf16, global>, index) -> ()
    croq.store %v, %t[0, S, %i] {note}
    // CHECK-NEXT:  croq.thread_id
    // GENERIC:     "croq.thread_id"() : () -> index
    %id = croq.thread_id
    // CHECK-NEXT:  croq.elect {note}
    // GENERIC:     "croq.elect"() {note} : () -> i1
    %leader = croq.elect {note}
    // CHECK-NEXT:  croq.address [[A]][%i, 8] : !llvm.ptr<3>
    // GENERIC:     "croq.address"({{%.*}}, {{%.*}}) <{static_indices = [unit, 8 : index]}> : (!croq.tile<64x64xf16, shared, swizzle<128>>, index) -> !llvm.ptr<3>
    %p = croq.address %a[%i, 8] : !llvm.ptr<3>
    // CHECK-NEXT:  croq.address %t[0, 0, 0] {note} : !llvm.ptr<1>
    %q = croq.address %t[0, 0, 0] {note} : !llvm.ptr<1>
    // CHECK-NEXT:  croq.descriptor [[A]][0, 16] major(k) : i64
    // GENERIC:     "croq.descriptor"({{%.*}}) <{static_indices = [0 : index, 16 : index], major = #croq<major k>}> : (!croq.tile<64x64xf16, shared, swizzle<128>>) -> i64
    %d = croq.descriptor %a[0, 16] major(k) : i64
    // CHECK-NEXT:  croq.descriptor [[A]][%i, 0] major(mn) {note} : i64
    %e = croq.descriptor %a[%i, 0] major(mn) {note} : i64
    // CHECK-NEXT:  croq.tensor_map %t box [1, 64, 64] swizzle<128> : !llvm.ptr
    // GENERIC:     "croq.tensor_map"({{%.*}}) <{box = [#builtin.int<1>, #builtin.int<64>, #builtin.int<64>], layout = "swizzle<128>"}> : (!croq.tile<[M]x64x64xf16, global>) -> !llvm.ptr
    %m0 = croq.tensor_map %t box [1, 64, 64] swizzle<128> : !llvm.ptr
    // CHECK-NEXT:  croq.tensor_map %t box [1, 64, 32] swizzle<64> : !llvm.ptr
    %m1 = croq.tensor_map %t box [1, 64, 32] swizzle<64> : !llvm.ptr
    // CHECK-NEXT:  croq.tensor_map %t box [1, 64, 16] swizzle<32> : !llvm.ptr
    %m2 = croq.tensor_map %t box [1, 64, 16] swizzle<32> : !llvm.ptr
    // CHECK-NEXT:  croq.tensor_map %t box [1, 64, 8] swizzle<none> : !llvm.ptr
    %m3 = croq.tensor_map %t box [1, 64, 8] swizzle<none> : !llvm.ptr
    // CHECK-NEXT:  croq.tensor_map %t box [1, 64, 64] row_major {note} : !llvm.ptr
    %m4 = croq.tensor_map %t box [1, 64, 64] row_major {note} : !llvm.ptr
    // CHECK-NEXT:  croq.pointer %t {note} : !croq.tile<[M]x64x64xf16, global> -> !llvm.ptr<1>
    // GENERIC:     "croq.pointer"({{%.*}}) {note} : (!croq.tile<[M]x64x64xf16, global>) -> !llvm.ptr<1>
    %g = croq.pointer %t {note} : !croq.tile<[M]x64x64xf16, global> -> !llvm.ptr<1>
    // CHECK-NEXT:  croq.stride %t, 1 {note}
    // GENERIC:     "croq.stride"({{%.*}}) <{dim = #builtin.int<1>}> {note} : (!croq.tile<[M]x64x64xf16, global>) -> i64
    %s = croq.stride %t, 1 {note}
  }
}
