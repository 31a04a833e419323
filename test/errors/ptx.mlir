// RUN: croq-opt %s --split-input-file --verify-diagnostics

// Every rule of the ptx dialect that a text can break.

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{Expected `pred`, `b16`, `b32`, `b64`, `f32`, or `f64`}}
    %a = ptx.undef : !ptx.reg<b31>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{a predicate register must be written !ptx.pred}}
    %a = ptx.undef : !ptx.reg<pred>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{a register name must be like %r1, got r1}}
    %a = ptx.undef : !ptx.reg<b32, "r1">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{a register must not be called %tid, as a special one}}
    %a = ptx.undef : !ptx.reg<b32, "%tid">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{4 registers must have as many names, got 3}}
    %a = ptx.undef : !ptx.group<f32 x 4, "%f0..%f2">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{the type must be one of pred, b8}}
    %a = ptx.add u31 %r, %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{type must be one of u16, u32, u64, s16, s32, s64, f16, f16x2, bf16, bf16x2, f32, f64, got b32}}
    %a = ptx.add b32 %r, %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{qualifiers of s32 must be one of none, got rn}}
    %a = ptx.add rn.s32 %r, %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{qualifiers of u32 must be one of hi, lo, wide, got none}}
    %a = ptx.mul u32 %r, %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{sources must be 2, got 1}}
    %a = ptx.add s32 %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{source must be a b32 register, got !ptx.reg<b64>}}
    %a = ptx.add s32 %d, %r : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{result must be a b64, got !ptx.reg<b32>}}
    %a = ptx.add s64 %d, %d : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %h = ptx.undef : !ptx.reg<b16>
    // expected-error@+1 {{a source of type f16 must be a register, got 1}}
    %a = ptx.add f16 %h, 1 : !ptx.reg<b16>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{registers must have 32 bits, got !ptx.reg<b64>}}
    %a = ptx.mov b32 %d : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %f = ptx.undef : !ptx.reg<f32>
    // expected-error@+1 {{sources must be 2, got 1}}
    %a = ptx.cvt rn.f16x2 from f32 %f : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{the group must have 32 bits in all, got 64}}
    %a = ptx.unpack b32 %r : !ptx.group<b16 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    // expected-error@+1 {{a group of 4 registers must have as many lanes, got 2}}
    %a, %b = ptx.split %g : !ptx.reg<f32>, !ptx.reg<f32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{lanes must be f32, got !ptx.reg<b32>}}
    %a = ptx.join %r, %r : !ptx.group<f32 x 2>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %x = ptx.undef : !ptx.reg<b32, "%r1">
    // expected-error@+1 {{lanes must be the registers of the group, %r1, %r2, got %r1, %r1}}
    %a = ptx.join %x, %x : !ptx.group<b32 x 2, "%r1..%r2">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %x = ptx.undef : !ptx.group<b32 x 2, "%r1..%r2">
    // expected-error@+1 {{%r2 must be read before it is written}}
    %a = ptx.mov_group %x : !ptx.group<b32 x 2, "%r2..%r3">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %f = ptx.undef : !ptx.reg<f32>
    // expected-error@+1 {{must be a register of b32 or b64, got !ptx.reg<f32>}}
    %a = ptx.ld shared b32 [%f] : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{a register must hold 64 bits, got !ptx.reg<b32>}}
    %a = ptx.ld shared b64 [%r] : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{a vector must be 2 or 4 registers of at most 128 bits, got !ptx.group<b32 x 3>}}
    %a = ptx.ld shared b32 [%r] : !ptx.group<b32 x 3>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{nc must be of global memory, got shared}}
    %a = ptx.ld shared b32 nc [%r] : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %p = ptx.undef : !ptx.pred<"%p0">
    %r = ptx.undef : !ptx.reg<b32, "%r0">
    %old = ptx.undef : !ptx.reg<b32, "%r1">
    // expected-error@+1 {{the result otherwise must have the type and register of the result, !ptx.reg<b32, "%r2">, got !ptx.reg<b32, "%r1">}}
    %a = ptx.ld if %p else %old shared b32 [%r] : !ptx.reg<b32, "%r2">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %p = ptx.undef : !ptx.pred
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{a guard must come with the result otherwise}}
    %a = "ptx.ld"(%r, %p) <{space = #ptx<space shared>, type = #ptx<type b32>, operandSegmentSizes = array<i32: 1, 0, 1>}> : (!ptx.reg<b32>, !ptx.pred) -> !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{negated must come with a guard, got none}}
    %a = "ptx.ld"(%r) <{space = #ptx<space shared>, type = #ptx<type b32>, negated, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!ptx.reg<b32>) -> !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{order must be one of weak, volatile, relaxed.cta}}
    ptx.st global b32 order "acquire.gpu" [%d], 0
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{use of undefined value %u}}
    ptx.st if not %u global b32 [%d], 0
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{negated must come with a guard, got none}}
    "ptx.trap"() <{negated}> : () -> ()
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{symbol must be declared in the module, got @smem}}
    %a = ptx.mov_symbol @smem : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{got tid}}
    %a = ptx.sreg "tid" : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{space must be one of generic, shared, got cluster}}
    ptx.mbarrier.init cluster [%r], 1
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{order must be one of release.cta, release.cluster, relaxed.cta, relaxed.cluster, got acquire.cta}}
    ptx.mbarrier.arrive shared order "acquire.cta" [%r], 1
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{barrier must be 0 to 15, got 16}}
    ptx.bar.sync 16, 0
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{threads must be a multiple of 32, got 100}}
    ptx.bar.sync 1, 100
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{threads must be given, got 0}}
    ptx.bar.arrive 1, 0
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{kind must be one of mbarrier_init.release.cluster}}
    ptx.fence "proxy"
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{count must be a multiple of 8 from 24 to 256, got 231}}
    ptx.setmaxnreg "inc" 231
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{bytes must be 16 for cg, got 8}}
    ptx.cp.async "cg" 8 [%r], [%d], 8
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    %h = ptx.undef : !ptx.reg<b16>
    // expected-error@+1 {{multicast must be to cluster, got shared}}
    ptx.cp.async.bulk.tensor.load shared [%r], [%d] box(0), [%r] multicast %h
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{size must be a multiple of 16, got 20}}
    ptx.cp.async.bulk.store [%d], [%r], 20
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{form must have m = 64 and n = 8, 16, .., 256, got m64n12k16.f32.f16.f16}}
    %a = ptx.wgmma.mma_async "m64n12k16.f32.f16.f16" %g, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{form must have k = 16 for f16, got 8}}
    %a = ptx.wgmma.mma_async "m64n8k8.f32.f16.f16" %g, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{accumulator must be !ptx.group<f32 x 8>, got !ptx.group<f32 x 4>}}
    %a = ptx.wgmma.mma_async "m64n16k16.f32.f16.f16" %g, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %x = ptx.undef : !ptx.group<f32 x 4, "%f1..%f4">
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{result must be in the accumulator's registers}}
    %a = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %x, %d, %d scale 1 : !ptx.group<f32 x 4, "%f5..%f8">
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    %d = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{trans must be of f16 or bf16 operands, got e4m3}}
    %a = ptx.wgmma.mma_async "m64n8k32.f32.e4m3.e4m3" %g, trans %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %g = ptx.undef : !ptx.group<f32 x 4>
    %x = ptx.undef : !ptx.group<b32 x 4>
    // expected-error@+1 {{form must have the layouts row.col}}
    %a = ptx.mma.sync "m16n8k16.col.col.f32.f16.f16.f32" %x, %x, %g : !ptx.group<f32 x 4>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{label must be made of letters, digits and _, got loop 1}}
    ptx.label "loop 1"
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{must be the first op of its block, got late}}
    ptx.label "late"
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{the target of a branch must start with ptx.label}}
    ptx.bra ^next
  ^next:
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{must fall through to the block that comes next}}
    ptx.fallthrough ^last
  ^mid:
    ptx.ret
  ^last:
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %r = ptx.undef : !ptx.reg<b32>
    // expected-error@+1 {{a block with 0 arguments must get as many values, got 1}}
    ptx.bra ^next(%r)
  ^next:
    ptx.label "n"
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %x = ptx.undef : !ptx.reg<b32, "%r1">
    // expected-error@+1 {{value 0 for a block must have the type and register of the argument, !ptx.reg<b32, "%r2">, got !ptx.reg<b32, "%r1">}}
    ptx.bra ^next(%x)
  ^next(%y: !ptx.reg<b32, "%r2">):
    ptx.label "n"
    ptx.ret
  }
}

// -----

// expected-error@+1 {{version must be like 8.0, got eight}}
ptx.module version "eight" target "sm_90a" {
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{align must be a power of two, got 48}}
  ptx.extern_shared @smem align 48
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{parameter names must differ, got a twice}}
  ptx.entry @k parameters [#ptx.parameter<"a", u32>, #ptx.parameter<"a", u64>] {
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{maxntid must not be given along with reqntid}}
  ptx.entry @k parameters [] maxntid (32, 1, 1) reqntid (32, 1, 1) {
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{cluster must not be given along with maxclusterrank}}
  ptx.entry @k parameters [] cluster (2, 1, 1) maxclusterrank 8 {
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{extents must be 3, got 2}}
  ptx.entry @k parameters [] reqntid (32, 1) {
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  // expected-error@+1 {{labels must differ, got a twice}}
  ptx.entry @k parameters [] {
    ptx.fallthrough ^one
  ^one:
    ptx.label "a"
    ptx.fallthrough ^two
  ^two:
    ptx.label "a"
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %a = ptx.undef : !ptx.reg<b64>
    %v = ptx.undef : !ptx.reg<f32>
    // expected-error@+1 {{kind must be one of add of type f32, got max}}
    %o = ptx.atom "max" global f32 "relaxed.gpu" [%a], %v : !ptx.reg<f32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %a = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{order must be one of relaxed.cta, relaxed.cluster, relaxed.gpu, relaxed.sys, release.cta, release.cluster, release.gpu, release.sys, got acq_rel.gpu}}
    ptx.red "add" global u32 "acq_rel.gpu" [%a], 1
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %a = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{must have 2 sources for cas, got 1}}
    %o = ptx.atom "cas" global b32 "relaxed.gpu" [%a], 1 : !ptx.reg<b32>
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %a = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{space must be one of generic, global, shared, cluster, got local}}
    ptx.red "add" local u32 "relaxed.cta" [%a], 1
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %a = ptx.undef : !ptx.reg<b64>
    // expected-error@+1 {{a register must hold 32 bits, got !ptx.reg<b64>}}
    ptx.red "add" global u32 "relaxed.gpu" [%a], %a
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{align must be a power of two, got 12}}
    ptx.local "r" align 12 bytes 64
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{bytes must be positive, got 0}}
    ptx.local "r" align 4 bytes 0
    ptx.ret
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{an array's name must be an identifier, got 1r}}
    ptx.local "1r" align 4 bytes 4
    ptx.ret
  }
}
