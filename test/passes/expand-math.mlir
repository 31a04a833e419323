// RUN: croq-opt --expand-math %s | filecheck %s

// Functions of several instructions, and of 16-bit types, in terms of those of f32 that are one.

// CHECK-LABEL: llvm.func @exponential(
// CHECK-SAME:    [[X:%[^:]+]]: f32
// CHECK-NEXT:    [[C:%.*]] = arith.constant 1.44269502 : f32
// CHECK-NEXT:    [[P:%.*]] = arith.mulf [[X]], [[C]] : f32
// CHECK-NEXT:    %{{.*}} = math.exp2 [[P]] : f32
llvm.func @exponential(%x: f32) attributes {nvvm.kernel} {
  %y = math.exp %x : f32
  llvm.return
}

// CHECK-LABEL: llvm.func @logarithm_of_f16(
// CHECK-SAME:    [[X:%[^:]+]]: f16
// CHECK-NEXT:    [[W:%.*]] = arith.extf [[X]] : f16 to f32
// CHECK-NEXT:    [[L:%.*]] = math.log2 [[W]] : f32
// CHECK-NEXT:    [[C:%.*]] = arith.constant 0.693147182 : f32
// CHECK-NEXT:    [[P:%.*]] = arith.mulf [[L]], [[C]] : f32
// CHECK-NEXT:    %{{.*}} = arith.truncf [[P]] : f32 to f16
llvm.func @logarithm_of_f16(%x: f16) attributes {nvvm.kernel} {
  %y = math.log %x : f16
  llvm.return
}

// CHECK-LABEL: llvm.func @tangent(
// CHECK-SAME:    [[X:%[^:]+]]: f32
// CHECK-NEXT:    [[ONE:%.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    [[C:%.*]] = arith.constant 2.885390e+00 : f32
// CHECK-NEXT:    [[P:%.*]] = arith.mulf [[X]], [[C]] : f32
// CHECK-NEXT:    [[E:%.*]] = math.exp2 [[P]] : f32
// CHECK-NEXT:    [[D:%.*]] = arith.addf [[ONE]], [[E]] : f32
// CHECK-NEXT:    [[TWO:%.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    [[Q:%.*]] = arith.divf [[TWO]], [[D]] fastmath<arcp> : f32
// CHECK-NEXT:    %{{.*}} = arith.subf [[ONE]], [[Q]] : f32
// CHECK-NEXT:    %{{.*}} = math.tanh [[X]] fastmath<afn> : f32
llvm.func @tangent(%x: f32) attributes {nvvm.kernel} {
  %y = math.tanh %x : f32
  %z = math.tanh %x fastmath<afn> : f32
  llvm.return
}

// CHECK-LABEL: llvm.func @single_instructions(
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    math.log2
// CHECK-NEXT:    math.rsqrt
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    math.fma
// CHECK-NEXT:    llvm.return
llvm.func @single_instructions(%x: f32) attributes {nvvm.kernel} {
  %a = math.exp2 %x : f32
  %b = math.log2 %x : f32
  %c = math.rsqrt %x : f32
  %d = math.sqrt %x : f32
  %e = math.absf %x : f32
  %f = math.fma %a, %b, %c : f32
  llvm.return
}
