// RUN: croq-opt %s --assign-registers --split-input-file --verify-diagnostics

// Two accumulators that change places in a loop.
ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    %x = ptx.fill_group 0 : !ptx.group<f32 x 4>
    %y = ptx.fill_group 0 : !ptx.group<f32 x 4>
    ptx.fallthrough ^loop(%x, %y)
  ^loop(%a: !ptx.group<f32 x 4>, %b: !ptx.group<f32 x 4>):
    ptx.label "loop"
    %c = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %a, %d, %d scale 1 : !ptx.group<f32 x 4>
    // expected-error@+1 {{must not need a move of an accumulator in a loop, got one that goes to another place each time round}}
    ptx.bra ^loop(%b, %c)
  }
}

// -----

// An accumulator that is overwritten in a loop and needed again.
ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    %d = ptx.undef : !ptx.reg<b64>
    %at = ptx.undef : !ptx.reg<b32>
    %x = ptx.fill_group 0 : !ptx.group<f32 x 4>
    ptx.fallthrough ^loop
  ^loop:
    ptx.label "loop"
    // expected-error@+1 {{must not need a move of an accumulator in a loop, got one that is needed again after it is overwritten}}
    %c = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %x, %d, %d scale 1 : !ptx.group<f32 x 4>
    ptx.st shared f32 [%at], %c
    ptx.bra ^loop
  }
}

// -----

ptx.module version "8.0" target "sm_90a" {
  ptx.entry @k parameters [] {
    // expected-error@+1 {{must not have registers assigned yet, got !ptx.reg<b32, "%r1">}}
    %a = ptx.undef : !ptx.reg<b32, "%r1">
    ptx.ret
  }
}
