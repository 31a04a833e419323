// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Kernels, levels, roles, returns.

// CHECK:        croq.kernel @everything dims(M, N multiple_of 8) params(S = 4, R = 16)
// CHECK-SAME:     (%a: !croq.tile<[M]x[N]xf16, global>, %b: !croq.tile<8xf32, global>, %alpha: f32, %n: index) attributes {reference = "a"} {
// GENERIC:      "croq.kernel"() <{sym_name = "everything", dims = ["M", "N"],
// GENERIC-SAME:   multiples = [#builtin.int<1>, #builtin.int<8>], params = {S = 4 : i64, R = 16 : i64},
// GENERIC-SAME:   arg_names = ["a", "b", "alpha", "n"]}> ({
// GENERIC-NEXT:   ^{{.*}}({{%.*}}: !croq.tile<[M]x[N]xf16, global>, {{%.*}}: !croq.tile<8xf32, global>, {{%.*}}: f32, {{%.*}}: index):
croq.kernel @everything dims(M, N multiple_of 8) params(S = 4, R = 16) (
    %a: !croq.tile<[M]x[N]xf16, global>, %b: !croq.tile<8xf32, global>, %alpha: f32,
    %n: index) attributes {reference = "a"} {
  // CHECK-NEXT: [[C:%.*]] = croq.alloc : !croq.tile<[M]x[N]xf16, global>
  %c = croq.alloc : !croq.tile<[M]x[N]xf16, global>
  // CHECK-NEXT: [[M:%.*]] = croq.dim M
  %m = croq.dim M
  // CHECK-NEXT: croq.parallel ([[X:%.*]], [[Y:%.*]], [[Z:%.*]]) in ([[M]], N, 3) : block threads 256 attributes {note} {
  // GENERIC:    "croq.parallel"({{%.*}}) <{static_extents = [unit, "N", 3 : index], level = #croq<level block>, threads = 256 : index}> ({
  // GENERIC-NEXT: ^{{.*}}({{%.*}}: index, {{%.*}}: index, {{%.*}}: index):
  croq.parallel (%x, %y, %z) in (%m, N, 3) : block threads 256 attributes {note} {
    // CHECK-NEXT: croq.role "first" warpgroups [0, 1) {
    // CHECK-NEXT: }
    // GENERIC:    "croq.role"() <{role_name = "first", first = #builtin.int<0>, last = #builtin.int<1>}> ({
    croq.role "first" warpgroups [0, 1) {
    }
    // CHECK-NEXT: croq.role "second" warps [4, 6) attributes {note} {
    // GENERIC:    "croq.role"() <{role_name = "second", first = #builtin.int<4>, last = #builtin.int<6>, warps}> ({
    croq.role "second" warps [4, 6) attributes {note} {
      // CHECK-NEXT: croq.parallel ([[I:%.*]]) in (2) : warp {
      // CHECK-NEXT:   croq.parallel ([[J:%.*]], [[K:%.*]]) in (4, 8) : thread {
      // CHECK-NEXT:     arith.addi [[J]], [[K]] : index
      croq.parallel (%i) in (2) : warp {
        croq.parallel (%j, %k) in (4, 8) : thread {
          %s = arith.addi %j, %k : index
        }
      }
    }
    // CHECK:      croq.role "th\22ird" warpgroups [2, 3) registers 232 attributes {note} {
    // GENERIC:    "croq.role"() <{role_name = "th\22ird", first = #builtin.int<2>, last = #builtin.int<3>, registers = #builtin.int<232>}> ({
    croq.role "th\22ird" warpgroups [2, 3) registers 232 attributes {note} {
      // CHECK-NEXT: croq.parallel ([[G:%.*]]) in (1) : warpgroup {
      croq.parallel (%g) in (1) : warpgroup {
      }
    }
  }
  croq.parallel (%one) in (1) : block {
    %first = croq.subspan %c [64, 64] tile (0, 0)
    croq.fill %first, 0.0
  }
  // CHECK:      croq.return [[C]] : !croq.tile<[M]x[N]xf16, global>
  // GENERIC:    "croq.return"({{%.*}}) : (!croq.tile<[M]x[N]xf16, global>) -> ()
  croq.return %c : !croq.tile<[M]x[N]xf16, global>
}

// Nothing optional: the terminator is there without being written.
// CHECK:        croq.kernel @nothing () {
// CHECK-NEXT:     croq.parallel ([[B:%.*]]) in (1) : block {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// GENERIC:      "croq.kernel"() <{sym_name = "nothing", dims = [], multiples = [], params = {}, arg_names = []}> ({
// GENERIC-NEXT:   "croq.parallel"() <{static_extents = [1 : index], level = #croq<level block>}> ({
// GENERIC:        "croq.return"() : () -> ()
croq.kernel @nothing () {
  croq.parallel (%b) in (1) : block {
  }
}

// The names of arguments are those of the source, in every kernel of a module.
// CHECK:        croq.kernel @again dims(M) (%a: !croq.tile<[M]xf16, global>, %arg1: f32) {
// CHECK-NEXT:   }
croq.kernel @again dims(M) (%a: !croq.tile<[M]xf16, global>, %1: f32) {
}
