// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// A module with its declarations, kernels with all their directives, labels and branches.

// CHECK: ptx.module version "8.0" target "sm_90a" attributes {note = "kept"} {
// PTX:      .version 8.0
// PTX-NEXT: .target sm_90a
// PTX-NEXT: .address_size 64
ptx.module version "8.0" target "sm_90a" attributes {note = "kept"} {
  // CHECK: ptx.extern_shared @smem align 1024
  // PTX: .extern .shared .align 1024 .b8 smem[];
  ptx.extern_shared @smem align 1024

  // CHECK: ptx.entry @clustered parameters [#ptx.parameter<"clustered_param_0", b8 x 128, align 64>, #ptx.parameter<"clustered_param_1", u32>] maxntid (256, 1, 1) minnctapersm 1 maxnreg 168 cluster (2, 1, 1) attributes {note = "kept"} {
  // PTX:      .visible .entry clustered(
  // PTX-NEXT:   .param .align 64 .b8 clustered_param_0[128],
  // PTX-NEXT:   .param .u32 clustered_param_1
  // PTX-NEXT: )
  // PTX-NEXT: .maxntid 256, 1, 1
  // PTX-NEXT: .minnctapersm 1
  // PTX-NEXT: .maxnreg 168
  // PTX-NEXT: .explicitcluster
  // PTX-NEXT: .reqnctapercluster 2, 1, 1
  // PTX-NEXT: {
  // PTX-EMPTY:
  // PTX-NEXT:   ret;
  // PTX-NEXT: }
  ptx.entry @clustered parameters [#ptx.parameter<"clustered_param_0", b8 x 128, align 64>, #ptx.parameter<"clustered_param_1", u32>] maxntid (256, 1, 1) minnctapersm 1 maxnreg 168 cluster (2, 1, 1) attributes {note = "kept"} {
    ptx.ret
  }

  // CHECK: ptx.entry @ranked parameters [] maxclusterrank 8 {
  // PTX:      .visible .entry ranked()
  // PTX-NEXT: .maxclusterrank 8
  ptx.entry @ranked parameters [] maxclusterrank 8 {
    ptx.ret
  }

  // CHECK: ptx.entry @loop parameters [] reqntid (32, 1, 1) {
  // PTX:      .visible .entry loop()
  // PTX-NEXT: .reqntid 32, 1, 1
  // PTX-NEXT: {
  // PTX-NEXT:   .reg .pred %p<2>;
  // PTX-NEXT:   .reg .b32 %r<2>, %limit;
  ptx.entry @loop parameters [] reqntid (32, 1, 1) {
    %limit = ptx.sreg "ntid.x" : !ptx.reg<b32, "%limit">
    %zero = ptx.mov b32 0 : !ptx.reg<b32, "%r1">
    // CHECK: ptx.fallthrough ^[[LOOP:.*]](%{{.*}})
    // PTX:      mov.b32 %r1, 0;
    ptx.fallthrough ^loop(%zero)
  // CHECK: ^[[LOOP]](%{{.*}}: !ptx.reg<b32, "%r1">):
  ^loop(%i: !ptx.reg<b32, "%r1">):
    // CHECK: ptx.label "loop_1"
    // PTX-NEXT: $L_loop_1:
    ptx.label "loop_1"
    %next = ptx.add s32 %i, 1 : !ptx.reg<b32, "%r1">
    %more = ptx.setp lt.s32 %next, %limit : !ptx.pred<"%p1">
    // CHECK: ptx.bra_if %{{.*}}, ^[[LOOP]](%{{.*}}), ^[[AFTER:.*]]{{$}}
    // PTX:        @%p1 bra $L_loop_1;
    ptx.bra_if %more, ^loop(%next), ^after
  // CHECK: ^[[AFTER]]:
  ^after:
    // CHECK: ptx.bra_if not %{{.*}}, ^[[EXIT:.*]], ^[[SKIPPED:.*]]{{$}}
    // PTX-NEXT:   @!%p1 bra $L_exit;
    ptx.bra_if not %more, ^exit, ^skipped
  // CHECK: ^[[SKIPPED]]:
  ^skipped:
    // CHECK: ptx.bra ^[[EXIT]]
    // PTX-NEXT:   bra $L_exit;
    ptx.bra ^exit
  // CHECK: ^[[EXIT]]:
  ^exit:
    // PTX-NEXT: $L_exit:
    // PTX-NEXT:   ret;
    ptx.label "exit"
    ptx.ret
  }

  // Types without registers: the form before --assign-registers.
  // CHECK: ptx.entry @unassigned
  ptx.entry @unassigned parameters [] {
    // CHECK: ptx.undef : !ptx.pred{{$}}
    %p = ptx.undef : !ptx.pred
    // CHECK: ptx.undef : !ptx.reg<f32>
    %f = ptx.undef : !ptx.reg<f32>
    // CHECK: ptx.undef : !ptx.group<b32 x 4>
    %g = ptx.undef : !ptx.group<b32 x 4>
    ptx.ret
  }
}
