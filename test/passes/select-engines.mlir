// RUN: croq-opt --select-engines{report=true} --verify-diagnostics --split-input-file %s
// RUN: croq-opt --select-engines --split-input-file %s 2>&1 | filecheck %s --check-prefixes=CHECK,QUIET

// QUIET-NOT: remark

// TMA: whole tiles and slots of known pitch, a view of a view that the tiles divide,
// windows at element offsets, an output of the kernel; all copies of a scope.
// CHECK: croq.kernel @tma
croq.kernel @tma dims(M, K multiple_of 8) (
    %src: !croq.tile<[M]x[K]xf16, global>, %batch: !croq.tile<4x[M]x64xf32, global>,
    %line: !croq.tile<[M]xf16, global>) {
  %res = croq.alloc : !croq.tile<[M]x128xf16, global>
  croq.parallel (%i, %j) in (4, 4) : block {
    %ring = croq.alloc : !croq.tile<2x128x64xf16, shared, swizzle<128>>
    %flat = croq.alloc : !croq.tile<32x16xf32, shared, row_major>
    %cube = croq.alloc : !croq.tile<2x16x32xf32, shared, swizzle<64>>
    %row = croq.alloc : !croq.tile<256xf16, shared, row_major>
    %stage = croq.slot %ring at %j
    %tile = croq.subspan %src [128, 64] tile (%i, %j)
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    croq.copy %tile => %stage
    // Half of the rows of each panel; then its second panel.
    %rows = croq.chunkat %stage [4, _] at (%j, _)
    %quarter = croq.subspan %tile [32, 64] tile (3, 0)
    // CHECK: croq.copy_async {{%.*}} => {{%.*}} engine(tma)
    %f = croq.copy_async %quarter => %rows
    %plane = croq.subspan %batch [2, 16, 32] tile (%i, %j, 0)
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    croq.copy %plane => %cube
    // TMA needs rows that start at multiples of 16 bytes.
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
    %window = croq.view %line [256] from (%i)
    // expected-remark@+1 {{columns of a global tile must be known to start at a multiple of 8 elements (16 bytes), got a multiple of 1}}
    croq.copy %window => %row
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    %piece = croq.subspan %line [256] tile (%i)
    croq.copy %piece => %row
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    %out = croq.view %res [128, 64] from (%i, 8)
    croq.copy %stage => %out
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
    croq.copy %stage => %out engine(threads)
  }
  croq.return %res : !croq.tile<[M]x128xf16, global>
}

// -----

// The user relies on the check at launch where the pitch is not known.
// CHECK: croq.kernel @pitch
croq.kernel @pitch dims(M, K, L multiple_of 4) (
    %k: !croq.tile<[M]x[K]xf16, global>, %l: !croq.tile<[M]x[L]xf16, global>,
    %n: !croq.tile<[M]x1733xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %from_k = croq.subspan %k [8, 64] tile (%i, 0)
    %from_l = croq.subspan %l [8, 64] tile (%i, 0)
    %from_n = croq.subspan %n [8, 64] tile (%i, 0)
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    croq.copy %from_k => %t engine(tma)
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
    // expected-remark@+1 {{'croq.copy' op is made by threads: inner dim of the argument must be known to be a multiple of 8 elements (16 bytes), got K}}
    croq.copy %from_k => %t
    // expected-remark@+1 {{(16 bytes), got L multiple_of 4}}
    croq.copy %from_l => %t
    // expected-remark@+1 {{(16 bytes), got 1733}}
    croq.copy %from_n => %t
  }
}

// -----

// CHECK: croq.kernel @refused
croq.kernel @refused dims(M) (%src: !croq.tile<[M]x1024xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    %u = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    %wide = croq.alloc : !croq.tile<17x512xf16, shared, row_major>
    %odd = croq.alloc : !croq.tile<4x520xf16, shared, row_major>
    %thin = croq.alloc : !croq.tile<16x4xf16, shared, row_major>
    %stages = croq.alloc : !croq.tile<3x32xf16, shared, row_major>
    // CHECK-NOT: engine(tma)
    // expected-remark@+1 {{must copy between global and shared memory, got shared to shared}}
    croq.copy %t => %u
    %wide_g = croq.subspan %src [17, 512] tile (%i, 0)
    // expected-remark@+1 {{must be at most 32 boxes for TMA to be chosen, got 34}}
    croq.copy %wide_g => %wide
    %thin_g = croq.subspan %src [16, 4] tile (%i, 0)
    // expected-remark@+1 {{rows of a box must be a multiple of 16 bytes, got 8}}
    croq.copy %thin_g => %thin
    // Stages of 64 bytes are no multiple of 128 bytes apart.
    %stage = croq.chunkat %stages [3, _] at (%i, _)
    %stage_g = croq.subspan %src [1, 32] tile (%i, 0)
    // expected-remark@+1 {{box must start at a multiple of 128 bytes of its buffer, got 64}}
    croq.copy %stage_g => %stage
    %column = croq.view %odd [4, 128] from (0, 64)
    %column_g = croq.subspan %src [4, 128] tile (%i, 0)
    // expected-remark@+1 {{rows that are boxes of their own must be a multiple of 128 bytes apart, got 1040}}
    croq.copy %column_g => %column
    %inside = croq.view %t [32, 64] from (4, 0)
    %inside_g = croq.subspan %src [32, 64] tile (%i, 0)
    // expected-remark@+1 {{box must start at a multiple of 8 rows of its buffer, got row 4}}
    croq.copy %inside_g => %inside
    %half_panel = croq.chunkat %t [_, 2] at (_, 1)
    %half_panel_g = croq.subspan %src [128, 32] tile (%i, 0)
    // expected-remark@+1 {{rows of a swizzle<128> tile must be a multiple of 128 bytes, got 64}}
    croq.copy %half_panel_g => %half_panel
    %outer = croq.subspan %src [200, 64] tile (%i, 0)
    %inner = croq.subspan %outer [128, 64] tile (1, 0)
    // expected-remark@+1 {{tiles of a view must be known to end inside it, got one of 128 elements at index 1 of 200 elements}}
    croq.copy %inner => %t
    croq.parallel (%w) in (4) : warp {
      %mine = croq.subspan %src [128, 64] tile (%w, 0)
      // expected-remark@+1 {{must be executed by the whole scope, got one that croq.parallel divides}}
      croq.copy %mine => %t
    }
  }
}

// -----

// CHECK: module attributes {croq.target = "sm_80"}
builtin.module attributes {croq.target = "sm_80"} {
  // CHECK: croq.kernel @no_tma
  croq.kernel @no_tma dims(M) (%src: !croq.tile<[M]x64xf16, global>) {
    croq.parallel (%i) in (4) : block {
      %t = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
      %g = croq.subspan %src [128, 64] tile (%i, 0)
      // CHECK: croq.copy %{{.*}} => %t engine(cp_async)
      // expected-remark@+1 {{is made by cp_async: target must have TMA, got sm_80}}
      croq.copy %g => %t
      // CHECK: croq.copy %t => %{{.*}} engine(threads)
      // expected-remark@+1 {{is made by threads: target must have TMA, got sm_80}}
      croq.copy %t => %g
      // QUIET-NOT: remark
    }
  }
}

// -----

// Bulk copies keep elements in their order: threads transpose and pad. Between arguments
// there is nothing for TMA to do. Parts of one buffer that are apart can be copied.
// CHECK: croq.kernel @rearranged
croq.kernel @rearranged dims(M, N multiple_of 8) (
    %a: !croq.tile<[M]x[N]xf16, global>, %b: !croq.tile<[N]x[M]xf16, global>) {
  croq.parallel (%i, %j) in (4, 4) : block {
    %t = croq.alloc : !croq.tile<32x64xf16, shared, swizzle<128>>
    %wide = croq.alloc : !croq.tile<2x32x80xf16, shared, row_major>
    %from = croq.subspan %a [32, 64] tile (%i, %j)
    %to = croq.subspan %b [64, 32] tile (%j, %i)
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
    croq.copy %from => %t
    // CHECK: croq.copy {{%.*}} => {{%.*}} transpose(1, 0) engine(threads)
    // expected-remark@+1 {{'croq.copy' op is made by threads: must copy elements in their order, got transpose}}
    croq.copy %t => %to transpose(1, 0)
    %first = croq.slot %wide[0]
    %second = croq.slot %wide[1]
    // CHECK: croq.copy_async {{%.*}} => {{%.*}} pad([0, 8], [0, 8], 1.000000e+00) engine(threads)
    // expected-remark@+1 {{'croq.copy_async' op is made by threads: must copy elements in their order, got pad}}
    %f = croq.copy_async %from => %first pad([0, 8], [0, 8], 1.0)
    croq.await %f
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
    // expected-remark@+1 {{'croq.copy' op is made by threads: must copy between global and shared memory, got shared to shared}}
    croq.copy %first => %second
    // CHECK: croq.copy {{%.*}} => {{%.*}} transpose(1, 0) engine(threads)
    // expected-remark@+1 {{'croq.copy' op is made by threads: must copy between global and shared memory, got global to global}}
    croq.copy %from => %to transpose(1, 0)
  }
}

// -----

// What futures stand for is in different buffers: others than that of `%staged`, and two that a
// loop exchanges.
// CHECK-LABEL: croq.kernel @exchanged
croq.kernel @exchanged (%out: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %staged = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared, row_major>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared, row_major>>
    %last, %other = croq.foreach %k in 4 iter(%a = %f, %b = %g) {
      %from = croq.data %a
      %to = croq.data %b
      // CHECK: croq.copy {{%.*}} => {{%.*}} transpose(1, 0) engine(threads)
      croq.copy %from => %to transpose(1, 0) engine(threads)
      // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
      croq.copy %from => %staged engine(threads)
      %x, %y = croq.swap %a, %b
      croq.yield %x, %y : !croq.future<!croq.tile<64x64xf16, shared, row_major>>, !croq.future<!croq.tile<64x64xf16, shared, row_major>>
    }
  }
}

// -----

// Buffers whose futures take turns lie one after the other, of which TMA fills none of 64 bytes.
// CHECK-LABEL: croq.kernel @small
croq.kernel @small (%x: !croq.tile<64xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %f = croq.any : !croq.future<!croq.tile<16xf32, shared, row_major>>
    %line = croq.subspan %x [16] tile (%i)
    %to = croq.data %f
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
    // expected-remark@+1 {{'croq.copy' op is made by threads: buffer of a future must have a multiple of 128 bytes, got 64}}
    croq.copy %line => %to
  }
}
