// RUN: croq-opt --allocate-shared --split-input-file --verify-diagnostics %s

// Five stages of 128x256x64.
gpu.module @m {
  // expected-error@+1 {{shared buffers of kernel @stages must fit in 232448 bytes (227 KiB, the limit of a block on sm_90a), got 245808}}
  llvm.func @stages() attributes {nvvm.kernel} {
    // expected-note@+1 {{81920 bytes: !croq.tile<5x128x64xf16, shared, swizzle<128>>}}
    %a = croq.alloc : !croq.tile<5x128x64xf16, shared, swizzle<128>>
    // expected-note@+1 {{163840 bytes: !croq.tile<5x256x64xf16, shared, swizzle<128>>}}
    %b = croq.alloc : !croq.tile<5x256x64xf16, shared, swizzle<128>>
    // expected-note@+1 {{48 bytes: !croq.tile<5xi64, shared, row_major>}}
    %e = croq.alloc : !croq.tile<5xi64, shared, row_major>
    %0 = croq.address %a[0, 0, 0] : !llvm.ptr<3>
    %1 = croq.address %b[0, 0, 0] : !llvm.ptr<3>
    %2 = croq.address %e[0] : !llvm.ptr<3>
    llvm.return
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    // expected-error@+1 {{must fit in 166912 bytes (163 KiB, the limit of a block on sm_80), got 180224}}
    llvm.func @ampere() attributes {nvvm.kernel} {
      // expected-note@+1 {{180224 bytes: !croq.tile<11x128x64xf16, shared, swizzle<128>>}}
      %a = croq.alloc : !croq.tile<11x128x64xf16, shared, swizzle<128>>
      %0 = croq.address %a[0, 0, 0] : !llvm.ptr<3>
      llvm.return
    }
  }
}

// -----

gpu.module @m {
  llvm.func @open() attributes {nvvm.kernel} {
    // expected-error@+1 {{'croq.alloc' op must have a layout, got !croq.tile<128x64xf16, shared>}}
    %a = croq.alloc : !croq.tile<128x64xf16, shared>
    %0 = croq.address %a[0, 0] : !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @element() attributes {nvvm.kernel} {
    %a = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.address' op must not use a shared buffer but for its address at --allocate-shared}}
    %0 = croq.address %a[0, 8] : !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @inside(%c: i1) attributes {nvvm.kernel} {
    scf.if %c {
      // expected-error@+1 {{'croq.alloc' op must be in the entry block}}
      %a = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
    }
    llvm.return
  }
}

// -----

// expected-error@+1 {{'llvm.func' op must be in a gpu.module}}
llvm.func @nowhere() attributes {nvvm.kernel} {
  %a = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
  %0 = croq.address %a[0, 0] : !llvm.ptr<3>
  llvm.return
}
