// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// gpu.module with and without targets and attributes.

// CHECK: gpu.module @plain {
// GENERIC: "gpu.module"() <{sym_name = "plain"}> ({
gpu.module @plain {
  // CHECK: llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.func @kernel() attributes {nvvm.kernel} {
    llvm.return
  }
}

// CHECK: gpu.module @empty {
gpu.module @empty {}

// CHECK: gpu.module @targeted [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
// GENERIC: "gpu.module"() <{sym_name = "targeted", targets = [#nvvm.target<chip = "sm_90a", features = "+ptx80">]}> ({
gpu.module @targeted [#nvvm.target<features = "+ptx80", chip = "sm_90a">] {
}

// CHECK: gpu.module @two [#nvvm.target<O = 3, chip = "sm_80">, #nvvm.target] attributes {croq.note = "x"} {
// GENERIC: "gpu.module"() <{sym_name = "two", targets = [#nvvm.target<O = 3, chip = "sm_80">, #nvvm.target]}> ({
// GENERIC: }) {croq.note = "x"} : () -> ()
gpu.module @two [#nvvm.target<O = 3, chip = "sm_80">, #nvvm.target] attributes {croq.note = "x"} {
}
