// RUN: croq-opt --narrow-index --split-input-file --verify-diagnostics %s

gpu.module @m {
  llvm.func @too_large() attributes {nvvm.kernel} {
    // expected-error@+1 {{'arith.constant' op must be an index from -2147483648 to 2147483647, got 2147483648}}
    %c = arith.constant 2147483648 : index
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @too_small() attributes {nvvm.kernel} {
    // expected-error@+1 {{'arith.constant' op must be an index from -2147483648 to 2147483647, got -2147483649}}
    %c = arith.constant -2147483649 : index
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @leftover(%i32: i32) attributes {nvvm.kernel} {
    %i = arith.index_cast %i32 : i32 to index
    %s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.address' op must have no values of type index before --narrow-index}}
    %p = croq.address %s[%i, 0] : !llvm.ptr<3>
    llvm.return
  }
}

// -----

// Not a kernel: not touched.
llvm.func @host() {
  %c = arith.constant 2147483648 : index
  llvm.return
}
