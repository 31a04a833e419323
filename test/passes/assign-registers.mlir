// RUN: croq-opt --assign-registers %s | filecheck %s
// RUN: croq-opt --assign-registers %s -t ptx | filecheck %s --check-prefix=PTX

ptx.module version "8.0" target "sm_90a" {
  // Every value has registers of its own, by class and in order; no name is that of a
  // special register.
  // CHECK-LABEL: ptx.entry @classes
  ptx.entry @classes parameters [] {
    // CHECK: ptx.sreg "tid.x" : !ptx.reg<b32, "%r0">
    %t = ptx.sreg "tid.x" : !ptx.reg<b32>
    // CHECK: ptx.setp lt.s32 %{{.*}}, 32 : !ptx.pred<"%p0">
    %p = ptx.setp lt.s32 %t, 32 : !ptx.pred
    // CHECK: ptx.cvt u64 from u32 %{{.*}} : !ptx.reg<b64, "%rd0">
    %w = ptx.cvt u64 from u32 %t : !ptx.reg<b64>
    // CHECK: ptx.unpack b32 %{{.*}} : !ptx.group<b16 x 2, "%rs0..%rs1">
    %h = ptx.unpack b32 %t : !ptx.group<b16 x 2>
    // CHECK: ptx.mov f32 0 : !ptx.reg<f32, "%f0">
    %f = ptx.mov f32 0 : !ptx.reg<f32>
    // CHECK: ptx.mov f64 0 : !ptx.reg<f64, "%fd0">
    %g = ptx.mov f64 0 : !ptx.reg<f64>
    // CHECK: ptx.add s32 %{{.*}}, 1 : !ptx.reg<b32, "%r1">
    %u = ptx.add s32 %t, 1 : !ptx.reg<b32>
    ptx.ret
  }

  // The registers that an instruction only reads as a group stay where they are, and a
  // split names those of the group.
  // CHECK-LABEL: ptx.entry @groups
  ptx.entry @groups parameters [] {
    %a = ptx.mov b32 0 : !ptx.reg<b32>
    // CHECK: ptx.ld shared b32 [%{{.*}}] : !ptx.group<b32 x 4, "%r1..%r4">
    %v = ptx.ld shared b32 [%a] : !ptx.group<b32 x 4>
    // CHECK: ptx.split %{{.*}} : !ptx.reg<b32, "%r1">, !ptx.reg<b32, "%r2">, !ptx.reg<b32, "%r3">, !ptx.reg<b32, "%r4">
    %x, %y, %z, %w = ptx.split %v : !ptx.reg<b32>, !ptx.reg<b32>, !ptx.reg<b32>, !ptx.reg<b32>
    // CHECK: ptx.join %{{.*}} : !ptx.group<b32 x 4, "%r4, %r0, %r2, %r2">
    %r = ptx.join %w, %a, %y, %y : !ptx.group<b32 x 4>
    ptx.st shared b32 [%a], %r
    ptx.ret
  }

  // Accumulators: zeroed before the loop, carried through it and over several wgmma and
  // a nested branch, two at once. No move is left, and the results are read in place.
  // PTX-LABEL: .visible .entry accumulators
  // PTX:      mov.f32 [[A0:%f[0-9]+]], 0f00000000; mov.f32 [[A1:%f[0-9]+]], 0f00000000; mov.f32 [[A2:%f[0-9]+]], 0f00000000; mov.f32 [[A3:%f[0-9]+]], 0f00000000;
  // PTX-NEXT: mov.f32 [[B0:%f[0-9]+]], 0f00000000; mov.f32 [[B1:%f[0-9]+]], 0f00000000; mov.f32 [[B2:%f[0-9]+]], 0f00000000; mov.f32 [[B3:%f[0-9]+]], 0f00000000;
  // PTX-NEXT: mov.b32 [[I:%r[0-9]+]], 0;
  // PTX-NEXT: $L_loop:
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {[[A0]], [[A1]], [[A2]], [[A3]]}
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {[[B0]], [[B1]], [[B2]], [[B3]]}
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {[[A0]], [[A1]], [[A2]], [[A3]]}
  // PTX-NEXT: setp.eq.b32
  // PTX-NEXT: bra $L_skip;
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {[[B0]], [[B1]], [[B2]], [[B3]]}
  // PTX-NEXT: $L_skip:
  // PTX-NEXT: add.s32 [[I]], [[I]], 1;
  // PTX-NEXT: setp.lt.s32
  // PTX-NEXT: bra $L_loop;
  // PTX-NEXT: st.shared.v4.f32 [%r{{[0-9]+}}], {[[A0]], [[B1]], [[A2]], [[B3]]};
  // PTX-NEXT: ret;
  ptx.entry @accumulators parameters [] {
    %at = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    %za = ptx.fill_group 0 : !ptx.group<f32 x 4>
    %zb = ptx.fill_group 0 : !ptx.group<f32 x 4>
    %zero = ptx.mov b32 0 : !ptx.reg<b32>
    ptx.fallthrough ^loop(%zero, %za, %zb)
  ^loop(%i: !ptx.reg<b32>, %a: !ptx.group<f32 x 4>, %b: !ptx.group<f32 x 4>):
    ptx.label "loop"
    %a1 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %a, %d, %d scale 1 : !ptx.group<f32 x 4>
    %b1 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %b, %d, %d scale 1 : !ptx.group<f32 x 4>
    %a2 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %a1, %d, %d scale 1 : !ptx.group<f32 x 4>
    %even = ptx.setp eq.b32 %i, 4 : !ptx.pred
    ptx.bra_if %even, ^skip(%b1), ^more
  ^more:
    %b2 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %b1, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.fallthrough ^skip(%b2)
  ^skip(%b3: !ptx.group<f32 x 4>):
    ptx.label "skip"
    %next = ptx.add s32 %i, 1 : !ptx.reg<b32>
    %again = ptx.setp lt.s32 %next, 8 : !ptx.pred
    ptx.bra_if %again, ^loop(%next, %a2, %b3), ^after(%a2, %b3)
  ^after(%ra: !ptx.group<f32 x 4>, %rb: !ptx.group<f32 x 4>):
    %ra0, %ra1, %ra2, %ra3 = ptx.split %ra : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
    %rb0, %rb1, %rb2, %rb3 = ptx.split %rb : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
    %v = ptx.join %ra0, %rb1, %ra2, %rb3 : !ptx.group<f32 x 4>
    ptx.st shared f32 [%at], %v
    ptx.ret
  }

  // Accumulators scaled in place, register by register.
  // PTX-LABEL: .visible .entry scaled
  // PTX:      $L_loop:
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {[[F0:%f[0-9]+]], [[F1:%f[0-9]+]], [[F2:%f[0-9]+]], [[F3:%f[0-9]+]]}
  // PTX-NEXT: wgmma.wait_group.sync.aligned 0;
  // PTX-NEXT: mul.f32 [[F0]], [[F0]], [[SCALE:%f[0-9]+]];
  // PTX-NEXT: mul.f32 [[F1]], [[F1]], [[SCALE]];
  // PTX-NEXT: mul.f32 [[F2]], [[F2]], [[SCALE]];
  // PTX-NEXT: mul.f32 [[F3]], [[F3]], [[SCALE]];
  // PTX-NEXT: bra $L_loop;
  ptx.entry @scaled parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    %scale = ptx.undef : !ptx.reg<f32>
    %z = ptx.fill_group 0 : !ptx.group<f32 x 4>
    ptx.fallthrough ^loop(%z)
  ^loop(%a: !ptx.group<f32 x 4>):
    ptx.label "loop"
    %b = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %a, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.wgmma.wait_group 0
    %b0, %b1, %b2, %b3 = ptx.split %b : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
    %c0 = ptx.mul f32 %b0, %scale : !ptx.reg<f32>
    %c1 = ptx.mul f32 %b1, %scale : !ptx.reg<f32>
    %c2 = ptx.mul f32 %b2, %scale : !ptx.reg<f32>
    %c3 = ptx.mul f32 %b3, %scale : !ptx.reg<f32>
    %c = ptx.join %c0, %c1, %c2, %c3 : !ptx.group<f32 x 4>
    ptx.bra ^loop(%c)
  }

  // An accumulator that is needed after it is overwritten is copied, outside of a loop.
  // PTX-LABEL: .visible .entry copied
  // PTX:      mov.f32 %f0, 0f00000000;
  // PTX-NEXT: mov.f32 %f4, %f0; mov.f32 %f5, %f1; mov.f32 %f6, %f2; mov.f32 %f7, %f3;
  // PTX-NEXT: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}
  // PTX-NEXT: st.shared.v4.f32 [%r0], {%f0, %f1, %f2, %f3};
  ptx.entry @copied parameters [] {
    %at = ptx.undef : !ptx.reg<b32>
    %d = ptx.undef : !ptx.reg<b64>
    %a = ptx.fill_group 0 : !ptx.group<f32 x 4>
    %b = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %a, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.st shared f32 [%at], %a
    ptx.ret
  }

  // Values that change places each time round go through a third register; the moves
  // come before the branch, whose other way needs none of the registers.
  // PTX-LABEL: .visible .entry swap
  // PTX:      $L_loop:
  // PTX-NEXT: setp.lt.u32 [[P:%p[0-9]+]], [[X:%r[0-9]+]], [[Y:%r[0-9]+]];
  // PTX-NEXT: mov.b32 [[T:%r[0-9]+]], [[Y]];
  // PTX-NEXT: mov.b32 [[Y]], [[X]];
  // PTX-NEXT: mov.b32 [[X]], [[T]];
  // PTX-NEXT: @[[P]] bra $L_loop;
  // PTX-NEXT: ret;
  ptx.entry @swap parameters [] {
    %one = ptx.mov b32 1 : !ptx.reg<b32>
    %two = ptx.mov b32 2 : !ptx.reg<b32>
    ptx.fallthrough ^loop(%one, %two)
  ^loop(%x: !ptx.reg<b32>, %y: !ptx.reg<b32>):
    ptx.label "loop"
    %more = ptx.setp lt.u32 %x, %y : !ptx.pred
    ptx.bra_if %more, ^loop(%y, %x), ^exit
  ^exit:
    ptx.ret
  }

  // A value used after the loop on either way out: the moves of the jump have a block
  // of their own, which the other way jumps around.
  // PTX-LABEL: .visible .entry last_value
  // PTX:      $L_loop:
  // PTX-NEXT: add.s32 [[NEXT:%r[0-9]+]], [[I:%r[0-9]+]], 1;
  // PTX-NEXT: setp.lt.u32 [[P:%p[0-9]+]], [[NEXT]], 9;
  // PTX-NEXT: @![[P]] bra $L_moves_1;
  // PTX-NEXT: mov.b32 [[I]], [[NEXT]];
  // PTX-NEXT: bra $L_loop;
  // PTX-NEXT: $L_moves_1:
  // PTX-NEXT: st.shared.b32 [[[NEXT]]], [[I]];
  // PTX-NEXT: ret;
  ptx.entry @last_value parameters [] {
    %one = ptx.mov b32 1 : !ptx.reg<b32>
    ptx.fallthrough ^loop(%one)
  ^loop(%i: !ptx.reg<b32>):
    ptx.label "loop"
    %next = ptx.add s32 %i, 1 : !ptx.reg<b32>
    %more = ptx.setp lt.u32 %next, 9 : !ptx.pred
    ptx.bra_if %more, ^loop(%next), ^exit
  ^exit:
    ptx.st shared b32 [%next], %i
    ptx.ret
  }
}
