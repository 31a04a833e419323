// RUN: croq-opt %s -t ptx | filecheck %s --strict-whitespace
// RUN: croq-opt %s -t 'ptx{line-info=true}' | filecheck %s --check-prefix=LINES
// RUN: not croq-opt %s -t 'ptx{lines=1}' 2>&1 | filecheck %s --check-prefix=OPTION

// The whole text, from the header to the last brace.

// CHECK:      .version 8.0
// CHECK-NEXT: .target sm_90a
// CHECK-NEXT: .address_size 64
// CHECK-EMPTY:
// CHECK-NEXT: .extern .shared .align 1024 .b8 smem[];
// CHECK-EMPTY:
// CHECK-NEXT: .visible .entry k(
// CHECK-NEXT: 	.param .align 64 .b8 k_param_0[128],
// CHECK-NEXT: 	.param .u32 k_param_1
// CHECK-NEXT: )
// CHECK-NEXT: .reqntid 128, 1, 1
// CHECK-NEXT: .minnctapersm 1
// CHECK-NEXT: {
// CHECK-NEXT: 	.reg .pred %p<2>;
// CHECK-NEXT: 	.reg .b32 %r<3>, %base;
// CHECK-NEXT: 	.reg .f32 %f<4>;
// CHECK-EMPTY:
// CHECK-NEXT: 	mov.u32 %base, smem;
// CHECK-NEXT: 	ld.param.u32 %r0, [k_param_1];
// CHECK-NEXT: 	mov.b32 %r2, 0;
// CHECK-NEXT: $L_loop:
// CHECK-NEXT: 	mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
// CHECK-NEXT: 	st.shared.v4.f32 [%base+16], {%f0, %f1, %f2, %f3};
// CHECK-NEXT: 	st.shared.f32 [%base], %f2;
// CHECK-NEXT: 	add.s32 %r2, %r2, 1;
// CHECK-NEXT: 	setp.lt.s32 %p1, %r2, %r0;
// CHECK-NEXT: 	@%p1 bra $L_loop;
// CHECK-NEXT: 	ret;
// CHECK-NEXT: }
// CHECK-NOT:  {{.}}

// One `.loc` for each change of place; the file is named at the end.
// LINES:      mov.u32 %base, smem;
// LINES-NEXT: .loc 1 [[LINE:[0-9]+]] 5
// LINES-NEXT: ld.param.u32 %r0, [k_param_1];
// LINES:      $L_loop:
// LINES-NEXT: .loc
// LINES-NEXT: mov.f32
// LINES-NEXT: .loc
// LINES-NEXT: st.shared.v4.f32
// LINES:      }
// LINES:      .file 1 "{{.*}}ptx.mlir"

// OPTION: bad options for target 'ptx'

ptx.module version "8.0" target "sm_90a" {
  ptx.extern_shared @smem align 1024
  ptx.entry @k parameters [#ptx.parameter<"k_param_0", b8 x 128, align 64>, #ptx.parameter<"k_param_1", u32>] reqntid (128, 1, 1) minnctapersm 1 {
    %s = ptx.mov_symbol @smem : !ptx.reg<b32, "%base">
    %n = ptx.ld_param u32 "k_param_1" : !ptx.reg<b32, "%r0">
    %zero = ptx.mov b32 0 : !ptx.reg<b32, "%r2">
    ptx.fallthrough ^loop(%zero)
  ^loop(%i: !ptx.reg<b32, "%r2">):
    ptx.label "loop"
    %v = ptx.fill_group 0 : !ptx.group<f32 x 4, "%f0..%f3">
    ptx.st shared f32 [%s + 16], %v
    %v0, %v1, %v2, %v3 = ptx.split %v : !ptx.reg<f32, "%f0">, !ptx.reg<f32, "%f1">, !ptx.reg<f32, "%f2">, !ptx.reg<f32, "%f3">
    ptx.st shared f32 [%s], %v2
    %next = ptx.add s32 %i, 1 : !ptx.reg<b32, "%r2">
    %more = ptx.setp lt.s32 %next, %n : !ptx.pred<"%p1">
    ptx.bra_if %more, ^loop(%next), ^exit
  ^exit:
    ptx.ret
  }
}
