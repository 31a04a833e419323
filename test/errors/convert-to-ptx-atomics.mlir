// RUN: croq-opt --convert-to-ptx --split-input-file --verify-diagnostics %s

builtin.module attributes {croq.target = "sm_80"} {
gpu.module @m {
  llvm.func @f(%g: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{'llvm.atomicrmw' op must have a scope that sm_80 knows, got cluster}}
    %r = llvm.atomicrmw add %g, %i syncscope("cluster") monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
}
}

// -----

gpu.module @m attributes {croq.target = "sm_90a"} {
  llvm.func @f(%g: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx with this ordering}}
    %r = llvm.atomicrmw add %g, %i seq_cst : !llvm.ptr<1>, i32
    llvm.return
  }
}

// -----

gpu.module @m attributes {croq.target = "sm_90a"} {
  llvm.func @f(%g: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx with nand}}
    %r = llvm.atomicrmw nand %g, %i monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
}

// -----

gpu.module @m attributes {croq.target = "sm_90a"} {
  llvm.func @f(%g: !llvm.ptr<1>, %i: i16) attributes {nvvm.kernel} {
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx on type i16}}
    %r = llvm.atomicrmw add %g, %i monotonic : !llvm.ptr<1>, i16
    llvm.return
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
gpu.module @m {
  llvm.func @f(%g: !llvm.ptr<1>, %x: bf16) attributes {nvvm.kernel} {
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx on bf16 for sm_80}}
    %r = llvm.atomicrmw fadd %g, %x syncscope("device") monotonic : !llvm.ptr<1>, bf16
    llvm.return
  }
}
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
gpu.module @m {
  llvm.func @f(%g: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %v = arith.constant dense<1.0> : vector<2xf32>
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx on vector<2xf32> for sm_80}}
    %r = llvm.atomicrmw fadd %g, %v monotonic : !llvm.ptr<1>, vector<2xf32>
    llvm.return
  }
}
}

// -----

gpu.module @m attributes {croq.target = "sm_90a"} {
  llvm.func @f(%g: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %v = arith.constant dense<1.0> : vector<2xf32>
    // expected-error@+1 {{'llvm.atomicrmw' op is not supported by convert-to-ptx on vector<2xf32> where the old value is used or acquired}}
    %r = llvm.atomicrmw fadd %g, %v acquire : !llvm.ptr<1>, vector<2xf32>
    llvm.return
  }
}
