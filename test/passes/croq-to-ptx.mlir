// RUN: croq-opt --croq-to-ptx %s | filecheck %s
// RUN: croq-opt --croq-to-ptx=target=sm_80 %s | filecheck %s --check-prefix=SM80
// RUN: croq-opt --set-target=target=sm_80 --croq-to-ptx %s | filecheck %s --check-prefix=SM80
// RUN: croq-opt --croq-to-ptx %s -t ptx | filecheck %s --check-prefix=TEXT
// RUN: croq-opt --croq-to-ptx %s --print-ir-after-all 2>&1 | filecheck %s --check-prefix=EACH

// A kernel becomes one ptx.entry. Its launch plan travels along as an attribute: what
// the launch needs to know about arguments, grid and block.
// CHECK:       builtin.module attributes {croq.target = "sm_90a"
// CHECK-NEXT:    ptx.module version "8.0" target "sm_90a" {
// CHECK-NEXT:      ptx.entry @scale parameters [#ptx.parameter<"scale_param_0", u64>, #ptx.parameter<"scale_param_1", u64>] reqntid (64, 1, 1)
// CHECK-SAME:        croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = [64 : i64], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = [64 : i64]}]
// CHECK-SAME:        grid = affine_map<() -> (1, 1, 1)>, block = 64 : i64, shared_bytes = 0 : i64
// CHECK-SAME:        target = "sm_90a"
// CHECK-DAG:         [[X:%.*]] = ptx.ld_param u64 "scale_param_0" : !ptx.reg<b64, "{{.*}}">
// CHECK-DAG:         [[Y:%.*]] = ptx.ld_param u64 "scale_param_1" : !ptx.reg<b64, "{{.*}}">
// CHECK:             ptx.sreg "tid.x" : !ptx.reg<b32, "{{.*}}">
// CHECK:             [[V:%.*]] = ptx.ld global f32 {{.*}} : !ptx.reg<f32, "[[R:.*]]">
// CHECK:             [[TWICE:%.*]] = ptx.add rn.f32 [[V]], [[V]]
// CHECK:             ptx.st global f32 {{.*}}, [[TWICE]]
// CHECK:             ptx.ret

// SM80:        builtin.module attributes {croq.target = "sm_80"
// SM80-NEXT:     ptx.module version "7.0" target "sm_80" {
// SM80:          target = "sm_80"

// TEXT:        .version 8.0
// TEXT-NEXT:   .target sm_90a
// TEXT:        .visible .entry scale(
// TEXT:        add.rn.f32

// The passes of the pipeline are run one by one, and shown one by one.
// EACH:        IR Dump After bind-params
// EACH:        IR Dump After check-level
// EACH:        IR Dump After assign-registers
// EACH:        IR Dump After check-level
croq.kernel @scale (%x: !croq.tile<64xf32, global>, %y: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    croq.parallel (%t) in (64) : thread {
      %v = croq.load %x[%t]
      %twice = arith.addf %v, %v : f32
      croq.store %twice, %y[%t]
    }
  }
}
