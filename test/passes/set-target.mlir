// RUN: croq-opt --set-target %s | filecheck %s --check-prefix=DEFAULT
// RUN: croq-opt '--set-target{target=sm_80}' %s | filecheck %s --check-prefix=SET
// RUN: croq-opt --set-target=target=sm_80 --set-target %s | filecheck %s --check-prefix=SET
// RUN: not croq-opt --set-target=target=sm_70 %s 2>&1 | filecheck %s --check-prefix=UNKNOWN

// DEFAULT: builtin.module attributes {croq.target = "sm_90a"} {
// SET:     builtin.module attributes {croq.target = "sm_80"} {
// UNKNOWN: set-target.mlir:{{.*}}: error: 'builtin.module' op target must be one of sm_80, sm_86, sm_89, sm_90a, got 'sm_70'

func.func @f() {
  func.return
}
