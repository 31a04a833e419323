// RUN: not croq-opt %s -t ptx 2>&1 | filecheck %s
// RUN: not croq-opt --convert-to-ptx %s -t ptx 2>&1 | filecheck %s --check-prefix=UNASSIGNED

// CHECK: error: 'builtin.module' op must hold one ptx.module to be printed as PTX, got 0
// CHECK: hint: run --croq-to-ptx first

// UNASSIGNED: ptx-target.mlir:11:5: error: 'ptx.sreg' op must have registers assigned to its values, got !ptx.reg<b32>
// UNASSIGNED: hint: run --assign-registers first
gpu.module @m {
  llvm.func @k() attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %s = arith.addi %t, %t : i32
    llvm.return
  }
}
