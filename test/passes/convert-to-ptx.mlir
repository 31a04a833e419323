// RUN: croq-opt --convert-to-ptx %s | filecheck %s

// Parameters, directives and attributes of a kernel; a tensor map is passed by value.
gpu.module @a {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  // CHECK-LABEL: ptx.entry @parameters
  // CHECK-SAME:  parameters [#ptx.parameter<"parameters_param_0", b8 x 128, align 64>, #ptx.parameter<"parameters_param_1", u64>, #ptx.parameter<"parameters_param_2", u32>, #ptx.parameter<"parameters_param_3", f32>, #ptx.parameter<"parameters_param_4", u16>] reqntid (256, 1, 1) minnctapersm 1 maxnreg 168 cluster (2, 1, 1) attributes {croq.launch = {kept = true}} {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.mov_param "parameters_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.cvta param [[V0]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "parameters_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u32 "parameters_param_2" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.ld_param f32 "parameters_param_3" : !ptx.reg<f32>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.ld_param u16 "parameters_param_4" : !ptx.reg<b16>
  // CHECK-NEXT:  ptx.st global b32 [[[V2]]], [[V3]]
  // CHECK-NEXT:  ptx.st global f32 [[[V2]]], [[V4]]
  // CHECK-NEXT:  ptx.st global b16 [[[V2]]], [[V5]]
  // CHECK-NEXT:  ptx.prefetch "tensormap" [[[V1]]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @parameters(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %p: !llvm.ptr<1> {llvm.noalias}, %n: i32, %x: f32, %h: f16) attributes {croq.launch = {kept = true}, nvvm.kernel, nvvm.reqntid = array<i32: 256>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 168 : i32, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    llvm.store %n, %p : i32, !llvm.ptr<1>
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.store %h, %p : f16, !llvm.ptr<1>
    nvvm.prefetch tensormap, %map : !llvm.ptr
    llvm.return
  }

  // Integers: constants are immediates in the second place, types are in the suffix. An
  // unsigned division by a constant is a product with 2^34 / 5, rounded up.
  // CHECK-LABEL: ptx.entry @integers
  // CHECK-SAME:  parameters [#ptx.parameter<"integers_param_0", u32>, #ptx.parameter<"integers_param_1", u32>, #ptx.parameter<"integers_param_2", u64>, #ptx.parameter<"integers_param_3", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "integers_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "integers_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "integers_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u64 "integers_param_3" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.add s32 [[V0]], 5 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.sub s32 [[V4]], [[V1]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.mul lo.s32 [[V5]], 5 : !ptx.reg<b32>
  // CHECK-NEXT:  [[HIGH:%[0-9]+]] = ptx.mul hi.u32 [[V6]], 3435973837 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.shr u32 [[HIGH]], 2 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.rem s32 [[V7]], [[V1]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.max u32 [[V8]], 4294967295 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.and b32 [[V9]], [[V1]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.xor b32 [[V10]], 4294967295 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.shr u32 [[V11]], 5 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.cvt u64 from u32 [[V12]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.cvt u32 from u64 [[V13]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.shl b64 [[V2]], [[V14]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V16:%[0-9]+]] = ptx.shr s64 [[V15]], 64 : !ptx.reg<b64>
  // CHECK-NEXT:  [[V17:%[0-9]+]] = ptx.cvt u32 from u64 [[V16]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.st global b32 [[[V3]]], [[V17]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @integers(%a: i32, %b: i32, %l: i64, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c5 = arith.constant 5 : i32
    %m1 = arith.constant -1 : i32
    %c64 = arith.constant 64 : i64
    %0 = arith.addi %c5, %a : i32
    %1 = arith.subi %0, %b : i32
    %2 = arith.muli %1, %c5 : i32
    %3 = arith.divui %2, %c5 : i32
    %4 = arith.remsi %3, %b : i32
    %5 = arith.maxui %4, %m1 : i32
    %6 = arith.andi %5, %b : i32
    %7 = arith.xori %6, %m1 : i32
    %8 = arith.shrui %7, %c5 : i32
    %9 = arith.extui %8 : i32 to i64
    %10 = arith.shli %l, %9 : i64
    %11 = arith.shrsi %10, %c64 : i64
    %12 = arith.trunci %11 : i64 to i32
    llvm.store %12, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  // Predicates: a negation costs nothing where a branch or a guard can take it.
  // CHECK-LABEL: ptx.entry @predicates
  // CHECK-SAME:  parameters [#ptx.parameter<"predicates_param_0", u32>, #ptx.parameter<"predicates_param_1", u32>, #ptx.parameter<"predicates_param_2", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "predicates_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "predicates_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "predicates_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.setp gt.s32 [[V0]], 5 : !ptx.pred
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.setp ge.u32 [[V0]], [[V1]] : !ptx.pred
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.and pred [[V3]], [[V4]] : !ptx.pred
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.not pred [[V3]] : !ptx.pred
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.and pred [[V6]], [[V5]] : !ptx.pred
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.selp b32 0, 1, [[V3]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.selp b32 5, [[V0]], [[V3]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.not pred [[V7]] : !ptx.pred
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.and pred [[V7]], [[V3]] : !ptx.pred
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.and pred [[V10]], [[V4]] : !ptx.pred
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.or pred [[V11]], [[V12]] : !ptx.pred
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.and b32 [[V1]], 1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.setp ne.b32 [[V14]], 0 : !ptx.pred
  // CHECK-NEXT:  [[V16:%[0-9]+]] = ptx.or pred [[V13]], [[V15]] : !ptx.pred
  // CHECK-NEXT:  ptx.st if not [[V3]] global b32 [[[V2]]], [[V8]]
  // CHECK-NEXT:  ptx.st if [[V16]] global b32 [[[V2]]], [[V9]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @predicates(%a: i32, %b: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %true = arith.constant true
    %c5 = arith.constant 5 : i32
    %p = arith.cmpi slt, %c5, %a : i32
    %q = arith.cmpi uge, %a, %b : i32
    %n = arith.xori %p, %true : i1
    %nn = arith.xori %n, %true : i1
    %r = arith.andi %nn, %q : i1
    %s = arith.andi %n, %r : i1
    %i = arith.extui %n : i1 to i32
    %t = arith.select %n, %a, %c5 : i32
    %u = arith.select %s, %p, %q : i1
    %v = arith.trunci %b : i32 to i1
    %w = arith.ori %u, %v : i1
    scf.if %n {
      llvm.store %i, %o : i32, !llvm.ptr<1>
    }
    scf.if %w {
      llvm.store %t, %o : i32, !llvm.ptr<1>
    }
    llvm.return
  }

  // Floating-point values: rounding is named, so that ptxas doesn't contract.
  // CHECK-LABEL: ptx.entry @floats
  // CHECK-SAME:  parameters [#ptx.parameter<"floats_param_0", f32>, #ptx.parameter<"floats_param_1", f32>, #ptx.parameter<"floats_param_2", u16>, #ptx.parameter<"floats_param_3", u32>, #ptx.parameter<"floats_param_4", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param f32 "floats_param_0" : !ptx.reg<f32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param f32 "floats_param_1" : !ptx.reg<f32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u16 "floats_param_2" : !ptx.reg<b16>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u32 "floats_param_3" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.ld_param u64 "floats_param_4" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.add rn.f32 [[V0]], 1065353216 : !ptx.reg<f32>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.mul f32 [[V5]], [[V1]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.div rn.f32 [[V6]], [[V1]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.max NaN.f32 [[V7]], [[V0]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.min f32 [[V8]], [[V1]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.neg f32 [[V9]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.mov b16 14336 : !ptx.reg<b16>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.mul rn.f16 [[V2]], [[V11]] : !ptx.reg<b16>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.cvt f32 from f16 [[V12]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.setp ltu.f32 [[V10]], [[V13]] : !ptx.pred
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.selp f32 [[V10]], 1065353216, [[V14]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V16:%[0-9]+]] = ptx.cvt rn.f32 from s32 [[V3]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V17:%[0-9]+]] = ptx.fma rn.f32 [[V15]], [[V16]], [[V13]] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V18:%[0-9]+]] = ptx.cvt rn.bf16 from f32 [[V17]] : !ptx.reg<b16>
  // CHECK-NEXT:  ptx.st global b16 [[[V4]]], [[V18]]
  // CHECK-NEXT:  [[V19:%[0-9]+]] = ptx.mov b32 [[V17]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V20:%[0-9]+]] = ptx.cvt rzi.u32 from f32 [[V17]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V21:%[0-9]+]] = ptx.add s32 [[V19]], [[V20]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.st global b32 [[[V4]]], [[V21]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @floats(%a: f32, %b: f32, %h: f16, %i: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f16
    %0 = arith.addf %a, %one : f32
    %1 = arith.mulf %0, %b fastmath<contract> : f32
    %2 = arith.divf %1, %b : f32
    %3 = arith.maximumf %2, %a : f32
    %4 = arith.minnumf %3, %b : f32
    %5 = arith.negf %4 : f32
    %6 = arith.mulf %h, %half : f16
    %7 = arith.extf %6 : f16 to f32
    %8 = arith.cmpf ult, %5, %7 : f32
    %9 = arith.select %8, %5, %one : f32
    %10 = arith.sitofp %i : i32 to f32
    %11 = llvm.intr.fma(%9, %10, %7) : (f32, f32, f32) -> f32
    %12 = arith.truncf %11 : f32 to bf16
    llvm.store %12, %o : bf16, !llvm.ptr<1>
    %13 = arith.bitcast %11 : f32 to i32
    %14 = arith.fptoui %11 : f32 to i32
    %15 = arith.addi %13, %14 : i32
    llvm.store %15, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  // Pointers: constant offsets are in the addresses; shared ones have 32 bits.
  // CHECK-LABEL: ptx.entry @pointers
  // CHECK-SAME:  parameters [#ptx.parameter<"pointers_param_0", u64>, #ptx.parameter<"pointers_param_1", u64>, #ptx.parameter<"pointers_param_2", u32>, #ptx.parameter<"pointers_param_3", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u64 "pointers_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "pointers_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u32 "pointers_param_2" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u64 "pointers_param_3" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.mov_symbol @smem : !ptx.reg<b32>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.add s32 [[V4]], [[V2]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.ld shared f32 [[[V5]] + 1024] : !ptx.reg<f32>
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.mad lo.s64 [[V3]], 4, [[V0]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.mad wide.s32 [[V2]], 4, [[V0]] : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.st global f32 [[[V7]]], [[V6]]
  // CHECK-NEXT:  ptx.st global f32 [[[V8]] - 8], [[V6]]
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.cvta to global [[V1]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.ld global b32 nc [[[V9]]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.ld generic b32 order "volatile" [[[V1]]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.ld generic b32 order "acquire.gpu" [[[V1]]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.cvt u64 from u32 [[V5]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.cvta shared [[V13]] : !ptx.reg<b64>
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.add s32 [[V5]], 1024 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V16:%[0-9]+]] = ptx.add s32 [[V15]], [[V12]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V17:%[0-9]+]] = ptx.add s32 [[V10]], [[V11]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.st generic b32 [[[V14]] + 1024], [[V16]]
  // CHECK-NEXT:  ptx.st generic b32 [[[V14]] + 1024], [[V17]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @pointers(%g: !llvm.ptr<1>, %p: !llvm.ptr, %i: i32, %l: i64) attributes {nvvm.kernel} {
    %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %0 = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %1 = llvm.getelementptr %0[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %2 = llvm.load %1 : !llvm.ptr<3> -> f32
    %3 = llvm.getelementptr %g[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %4 = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %5 = llvm.getelementptr %4[-2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %2, %3 : f32, !llvm.ptr<1>
    llvm.store %2, %5 : f32, !llvm.ptr<1>
    %6 = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
    %7 = llvm.load %6 invariant : !llvm.ptr<1> -> i32
    %8 = llvm.load volatile %p : !llvm.ptr -> i32
    %9 = llvm.load %p atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
    %10 = llvm.addrspacecast %1 : !llvm.ptr<3> to !llvm.ptr
    %11 = llvm.ptrtoint %1 : !llvm.ptr<3> to i32
    %12 = arith.addi %11, %9 : i32
    %13 = arith.addi %7, %8 : i32
    llvm.store %12, %10 : i32, !llvm.ptr
    llvm.store %13, %10 : i32, !llvm.ptr
    llvm.return
  }

  // The offset of a memory operand has 32 bits.
  // CHECK-LABEL: ptx.entry @far
  // CHECK:       [[P:%[0-9]+]] = ptx.ld_param u64 "far_param_0"
  // CHECK-NEXT:  [[SUM:%[0-9]+]] = ptx.add s64 [[P]], 4000000000
  // CHECK-NEXT:  [[WORDS:%[0-9]+]] = ptx.add s64 [[P]], -8000000000
  // CHECK-NEXT:  ptx.st global b32 [[[SUM]]], 1
  // CHECK-NEXT:  ptx.st global b32 [[[WORDS]] + 4], 1
  llvm.func @far(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c = arith.constant 1 : i32
    %a = llvm.getelementptr %p[2000000000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %b = llvm.getelementptr %a[2000000000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %d = llvm.getelementptr %p[-2000000000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %e = llvm.getelementptr %d[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %c, %b : i32, !llvm.ptr<1>
    llvm.store %c, %e : i32, !llvm.ptr<1>
    llvm.return
  }

  // Vectors and structs: groups of registers, or what they are put together from.
  // CHECK-LABEL: ptx.entry @aggregates
  // CHECK-SAME:  parameters [#ptx.parameter<"aggregates_param_0", u64>, #ptx.parameter<"aggregates_param_1", u32>, #ptx.parameter<"aggregates_param_2", u16>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u64 "aggregates_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "aggregates_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u16 "aggregates_param_2" : !ptx.reg<b16>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld global b32 [[[V0]]] : !ptx.group<b32 x 4>
  // CHECK-NEXT:  ptx.st global b32 [[[V0]]], [[V3]]
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.ld global f32 [[[V0]]] : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V5:%[0-9]+]], [[V6:%[0-9]+]], [[V7:%[0-9]+]], [[V8:%[0-9]+]] = ptx.split [[V4]] : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.unpack b32 [[V1]] : !ptx.group<b16 x 2>
  // CHECK-NEXT:  [[V10:%[0-9]+]], [[V11:%[0-9]+]] = ptx.split [[V9]] : !ptx.reg<b16>, !ptx.reg<b16>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.join [[V2]], [[V11]] : !ptx.group<b16 x 2>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.pack b32 [[V12]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.st global b32 [[[V0]]], [[V13]]
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.fill_group 0 : !ptx.group<b32 x 4>
  // CHECK-NEXT:  ptx.st global b32 [[[V0]]], [[V14]]
  // CHECK-NEXT:  ptx.st global f32 [[[V0]]], [[V6]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @aggregates(%g: !llvm.ptr<1>, %a: i32, %h: f16) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = llvm.load %g {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
    llvm.store %v, %g {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
    %w = llvm.load %g : !llvm.ptr<1> -> vector<4xf32>
    %x = llvm.extractelement %w[%c1 : i32] : vector<4xf32>
    %i = llvm.bitcast %a : i32 to vector<2xf16>
    %j = llvm.insertelement %h, %i[%c0 : i32] : vector<2xf16>
    llvm.store %j, %g : vector<2xf16>, !llvm.ptr<1>
    %z = llvm.mlir.zero : vector<4xi32>
    llvm.store %z, %g : vector<4xi32>, !llvm.ptr<1>
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32)>
    %s = llvm.insertvalue %x, %u[0] : !llvm.struct<(f32, f32)>
    %t = llvm.insertvalue %x, %s[1] : !llvm.struct<(f32, f32)>
    %y = llvm.extractvalue %t[1] : !llvm.struct<(f32, f32)>
    llvm.store %y, %g : f32, !llvm.ptr<1>
    llvm.return
  }

  // Loops test at their end, and before they start unless it is known that they run.
  // CHECK-LABEL: ptx.entry @loops
  // CHECK-SAME:  parameters [#ptx.parameter<"loops_param_0", u32>, #ptx.parameter<"loops_param_1", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "loops_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "loops_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.mov b32 1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.setp le.s32 [[V0]], 0 : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if [[V5]], ^[[B6:bb[0-9]+]]([[V3]]), ^[[B7:bb[0-9]+]]([[V2]], [[V3]], [[V4]])
  // CHECK-NEXT:  ^[[B7]]([[V8:%[0-9]+]]: !ptx.reg<b32>, [[V9:%[0-9]+]]: !ptx.reg<b32>, [[V10:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "loop_1"
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.add s32 [[V9]], [[V8]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.add s32 [[V8]], 1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.setp lt.s32 [[V12]], [[V0]] : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if [[V13]], ^[[B7]]([[V12]], [[V11]], [[V11]]), ^[[B6]]([[V11]])
  // CHECK-NEXT:  ^[[B6]]([[V14:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "done_1"
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], [[V14]]
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.fallthrough ^[[B16:bb[0-9]+]]([[V15]])
  // CHECK-NEXT:  ^[[B16]]([[V17:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "loop_2"
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], [[V17]]
  // CHECK-NEXT:  [[V18:%[0-9]+]] = ptx.add s32 [[V17]], 1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V19:%[0-9]+]] = ptx.setp lt.s32 [[V18]], 8 : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if [[V19]], ^[[B16]]([[V18]]), ^[[B20:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B20]]:
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], 0
  // CHECK-NEXT:  ptx.ret
  llvm.func @loops(%n: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %sum, %unused = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %t = %c1) -> (i32, i32) : i32 {
      %next = arith.addi %s, %i : i32
      scf.yield %next, %next : i32, i32
    }
    llvm.store %sum, %o : i32, !llvm.ptr<1>
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      llvm.store %i, %o : i32, !llvm.ptr<1>
    }
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      llvm.store %i, %o : i32, !llvm.ptr<1>
    }
    llvm.return
  }

  // A while loop without a body is its test and a branch back; one with a body jumps.
  // CHECK-LABEL: ptx.entry @whiles
  // CHECK-SAME:  parameters [#ptx.parameter<"whiles_param_0", u32>, #ptx.parameter<"whiles_param_1", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "whiles_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "whiles_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.mov_symbol @smem : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.fallthrough ^[[B3:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B3]]:
  // CHECK-NEXT:  ptx.label "while_1"
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.mbarrier.try_wait shared [[[V2]]], [[V0]] : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if not [[V4]], ^[[B3]], ^[[B5:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B5]]:
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.fallthrough ^[[B7:bb[0-9]+]]([[V6]])
  // CHECK-NEXT:  ^[[B7]]([[V8:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "while_2"
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.setp lt.s32 [[V8]], [[V0]] : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if not [[V9]], ^[[B10:bb[0-9]+]]([[V8]]), ^[[B11:bb[0-9]+]]([[V8]])
  // CHECK-NEXT:  ^[[B11]]([[V12:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.add s32 [[V12]], 1 : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.bra ^[[B7]]([[V13]])
  // CHECK-NEXT:  ^[[B10]]([[V14:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "done_1"
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], [[V14]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @whiles(%n: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
    scf.while () : () -> () {
      %done = nvvm.mbarrier.try_wait %s, %n : !llvm.ptr<3>, i32 -> i1
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    %r = scf.while (%i = %c0) : (i32) -> i32 {
      %less = arith.cmpi slt, %i, %n : i32
      scf.condition(%less) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    }
    llvm.store %r, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  // Conditionals: a few instructions get guards (what stores need is computed outside, by
  // --predicate-branches); else there are branches.
  // CHECK-LABEL: ptx.entry @conditionals
  // CHECK-SAME:  parameters [#ptx.parameter<"conditionals_param_0", u32>, #ptx.parameter<"conditionals_param_1", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "conditionals_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "conditionals_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.setp lt.s32 [[V0]], 5 : !ptx.pred
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.mad wide.s32 [[V0]], 4, [[V1]] : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.st if [[V2]] global b32 [[[V3]]], [[V0]]
  // CHECK-NEXT:  ptx.bra_if not [[V2]], ^[[B4:bb[0-9]+]], ^[[B5:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B5]]:
  // CHECK-NEXT:  ptx.bar.sync 0, 0
  // CHECK-NEXT:  ptx.fallthrough ^[[B4]]
  // CHECK-NEXT:  ^[[B4]]:
  // CHECK-NEXT:  ptx.label "endif_1"
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.bra_if not [[V2]], ^[[B7:bb[0-9]+]]([[V6]]), ^[[B8:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B8]]:
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.add s32 [[V0]], [[V0]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.fallthrough ^[[B7]]([[V9]])
  // CHECK-NEXT:  ^[[B7]]([[V10:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "endif_2"
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], [[V10]]
  // CHECK-NEXT:  ptx.bra_if not [[V2]], ^[[B11:bb[0-9]+]], ^[[B12:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B12]]:
  // CHECK-NEXT:  ptx.bar.warp.sync 5
  // CHECK-NEXT:  ptx.bra ^[[B13:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B11]]:
  // CHECK-NEXT:  ptx.label "else_1"
  // CHECK-NEXT:  ptx.bar.warp.sync 0
  // CHECK-NEXT:  ptx.fallthrough ^[[B13]]
  // CHECK-NEXT:  ^[[B13]]:
  // CHECK-NEXT:  ptx.label "endif_3"
  // CHECK-NEXT:  ptx.ret
  llvm.func @conditionals(%a: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c5 = arith.constant 5 : i32
    %small = arith.cmpi slt, %a, %c5 : i32
    %q = llvm.getelementptr %o[%a] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    scf.if %small {
      llvm.store %a, %q : i32, !llvm.ptr<1>
    }
    scf.if %small {
      nvvm.barrier0
    }
    %r = scf.if %small -> (i32) {
      %d = arith.addi %a, %a : i32
      scf.yield %d : i32
    } else {
      scf.yield %c0 : i32
    }
    llvm.store %r, %o : i32, !llvm.ptr<1>
    scf.if %small {
      nvvm.bar.warp.sync %c5 : i32
    } else {
      nvvm.bar.warp.sync %c0 : i32
    }
    llvm.return
  }

  // Blocks and branches stay what they are; a jump to the next block goes without.
  // CHECK-LABEL: ptx.entry @blocks
  // CHECK-SAME:  parameters [#ptx.parameter<"blocks_param_0", u32>, #ptx.parameter<"blocks_param_1", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "blocks_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "blocks_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.setp eq.b32 [[V0]], 5 : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if not [[V2]], ^[[B3:bb[0-9]+]]([[V0]]), ^[[B4:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B4]]:
  // CHECK-NEXT:  ptx.label "block_1"
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.mov b32 5 : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.bra_if [[V2]], ^[[B3]]([[V5]]), ^[[B6:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B6]]:
  // CHECK-NEXT:  ptx.bra ^[[B7:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B8:bb[0-9]+]]:
  // CHECK-NEXT:  ptx.label "block_2"
  // CHECK-NEXT:  ptx.bra ^[[B7]]
  // CHECK-NEXT:  ^[[B3]]([[V9:%[0-9]+]]: !ptx.reg<b32>):
  // CHECK-NEXT:  ptx.label "block_3"
  // CHECK-NEXT:  ptx.st global b32 [[[V1]]], [[V9]]
  // CHECK-NEXT:  ptx.bra_if [[V2]], ^[[B8]], ^[[B7]]
  // CHECK-NEXT:  ^[[B7]]:
  // CHECK-NEXT:  ptx.label "block_4"
  // CHECK-NEXT:  ptx.ret
  llvm.func @blocks(%a: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c5 = arith.constant 5 : i32
    %p = arith.cmpi eq, %a, %c5 : i32
    cf.cond_br %p, ^one, ^three(%a : i32)
  ^one:
    cf.cond_br %p, ^three(%c5 : i32), ^four
  ^two:
    cf.br ^four
  ^three(%x: i32):
    llvm.store %x, %o : i32, !llvm.ptr<1>
    cf.cond_br %p, ^two, ^four
  ^four:
    llvm.return
  }
}
