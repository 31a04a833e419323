// RUN: croq-opt --allow-unregistered-dialect --lower-views --split-input-file --verify-diagnostics %s

croq.kernel @open () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.address' op must use a buffer with a layout, got !croq.tile<64x64xf16, shared>}}
    %p = croq.address %a[0, 1] : !llvm.ptr<3>
  }
}

// -----

croq.kernel @extents () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x96xf16, shared, swizzle<128>>
    // expected-error@+1 {{must use a buffer whose extents fit its layout: rows of a swizzle<128> tile must be a multiple of 128 bytes, got 192}}
    %p = croq.address %a[0, 1] : !llvm.ptr<3>
  }
}

// -----

croq.kernel @descriptor_row () {
  croq.parallel (%i) in (8) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    %c4 = arith.constant 4 : index
    %row = arith.muli %i, %c4 : index
    %v = croq.view %a [64, 64] from (%row, 0)
    // expected-error@+1 {{'croq.descriptor' op operands must start at a multiple of 8 rows of their buffer, got row 4}}
    %d = croq.descriptor %v[0, 0] major(k) : i64
  }
}

// -----

croq.kernel @descriptor_column () {
  croq.parallel (%i) in (8) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{operands must start at a multiple of 16 columns of their buffer, got column 8}}
    %d = croq.descriptor %a[0, 8] major(k) : i64
  }
}

// -----

croq.kernel @matrix_rows () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %t = croq.thread_id
    %c0 = arith.constant 0 : i32
    // expected-error@+1 {{rows must start at a multiple of 16 bytes of their buffer, got a multiple of 2}}
    %p = croq.address %a[0, %t] : !llvm.ptr<3>
    nvvm.stmatrix %p, %c0, %c0 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
  }
}

// -----

croq.kernel @vector () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x64xf32, shared, row_major>
    %t = croq.thread_id
    // expected-error@+1 {{a vector must start at a multiple of 8 bytes of its buffer, got 4}}
    %p = croq.address %a[%t, 1] : !llvm.ptr<3>
    %x = llvm.load %p : !llvm.ptr<3> -> vector<2xf32>
  }
}

// -----

croq.kernel @box (%g: !croq.tile<64x128xf16, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x128xf16, shared, swizzle<128>>
    %m = croq.alloc : !croq.tile<2xi64, shared, row_major>
    %bar = croq.address %m[1] : !llvm.ptr<3>
    %c0 = arith.constant 0 : i32
    %tm = croq.tensor_map %g box [64, 64] swizzle<128> : !llvm.ptr
    // expected-error@+1 {{box must start at a multiple of 64 columns of its buffer, got column 32}}
    %p = croq.address %a[0, 32] : !llvm.ptr<3>
    %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %q, %tm, %bar, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
  }
}

// -----

croq.kernel @slots params(S = 4) () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<4x64x64xf16, shared, row_major>
    %s = croq.slot %a at %i + S
    // expected-error@-1 {{'croq.slot' op must have a constant offset, got S}}
    %p = croq.address %s[0, 1] : !llvm.ptr<3>
  }
}

// -----

croq.kernel @leftover (%g: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-note@+1 {{the view is here}}
    %w = croq.subspan %g [64, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op must be lowered before the views it uses}}
    croq.copy %w => %a engine(threads)
  }
}

// -----

croq.kernel @branch (%g: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %some = arith.constant true
    // expected-note@+1 {{the tile is defined here}}
    %w = scf.if %some -> (!croq.tile<64x64xf16, global>) {
      scf.yield %g : !croq.tile<64x64xf16, global>
    } else {
      scf.yield %g : !croq.tile<64x64xf16, global>
    }
    // expected-error@+1 {{must use a view of a croq.alloc or of an argument, got the result of scf.if}}
    %p = croq.address %w[0, 1] : !llvm.ptr<1>
  }
}

// -----

// How many chunks there are must be known at launch.
croq.kernel @counted_by_data dims(M) (%x: !croq.tile<[M]x64xf32, global>, %n: index) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      // expected-error@+1 {{'croq.chunkat' op numbers of chunks must be computed from dims and constants (croq.cdiv, arith.divui, arith.remui by a constant, arith.addi, arith.subi, arith.muli by a constant), got another}}
      %p = croq.chunkat %x [%n, _] at (%b, _)
      %v = croq.load %p[0, %t]
      croq.store %v, %p[1, %t]
    }
  }
}

// -----

croq.kernel @chunks_of_chunks dims(M) (%x: !croq.tile<[M]x64xf32, global>) {
  %n = croq.cdiv M, 8
  croq.parallel (%b) in (%n) : block {
    croq.parallel (%t) in (32) : thread {
      %p = croq.chunkat %x [%n, _] at (%b, _)
      // expected-error@+1 {{'croq.chunkat' op must divide a dim whose extent is known or a name in a number of chunks that is known at launch, got dim 0 of !croq.tile<?x64xf32, global>}}
      %q = croq.chunkat %p [2, _] at (1, _)
      %v = croq.load %q[0, %t]
      croq.store %v, %q[1, %t]
    }
  }
}
