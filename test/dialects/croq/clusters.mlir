// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Clusters, and what reaches the peers of a block.

// CHECK:       croq.kernel @clusters dims(M) params(S = 4) (%t: !croq.tile<64x64xf16, global>, %k: index) {
croq.kernel @clusters dims(M) params(S = 4) (%t: !croq.tile<64x64xf16, global>, %k: index) {
  // CHECK-NEXT:  [[N:%.*]] = croq.cdiv M, 128
  %n = croq.cdiv M, 128
  // CHECK-NEXT:  croq.parallel ([[C:%.*]]) in ([[N]]) : cluster attributes {note} {
  // GENERIC:     "croq.parallel"({{%.*}}) <{static_extents = [unit], level = #croq<level cluster>}> ({
  croq.parallel (%c) in (%n) : cluster attributes {note} {
    // CHECK-NEXT:  [[X:%.*]] = arith.addi [[C]], %k : index
    %x = arith.addi %c, %k : index
    // CHECK-NEXT:  croq.parallel ([[I:%.*]], [[J:%.*]]) in (2, 1) : block threads 256 {
    // GENERIC:     "croq.parallel"() <{static_extents = [2 : index, 1 : index], level = #croq<level block>, threads = 256 : index}> ({
    croq.parallel (%i, %j) in (2, 1) : block threads 256 {
      // CHECK-NEXT:  [[E:%.*]] = croq.event
      %e = croq.event : !croq.event<[S]>
      // CHECK-NEXT:  [[A:%.*]] = croq.alloc
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      // CHECK-NEXT:  [[F:%.*]] = croq.copy_async %t => [[A]] engine(tma) multicast [0, 1]{{$}}
      // GENERIC:     "croq.copy_async"({{%.*}}, {{%.*}}) <{engine = #croq<engine tma>, multicast = [#builtin.int<0>, #builtin.int<1>]}>
      %f = croq.copy_async %t => %a engine(tma) multicast [0, 1]
      // CHECK-NEXT:  [[G:%.*]] = croq.copy_async %t => [[A]] multicast [1] {note}
      %g = croq.copy_async %t => %a multicast [1] {note}
      // CHECK-NEXT:  croq.trigger [[E]] at [[X]] after [[F]], [[G]]{{$}}
      croq.trigger %e at %x after %f, %g
      // CHECK-NEXT:  croq.trigger [[E]] at [[X]] + S multicast [0] {note}
      // GENERIC:     "croq.trigger"({{%.*}}, {{%.*}}) <{static_order = [unit], offset = ["S"], multicast = [#builtin.int<0>], operandSegmentSizes = array<i32: 1, 1, 0>}> {note}
      croq.trigger %e at %x + S multicast [0] {note}
      // CHECK-NEXT:  croq.trigger [[E]] all multicast [0, 1]
      croq.trigger %e multicast [0, 1]
      // CHECK-NEXT:  [[P:%.*]] = arith.constant 0 : i64
      %p = arith.constant 0 : i64
      // CHECK-NEXT:  [[Q:%.*]] = llvm.inttoptr [[P]] : i64 to !llvm.ptr<3>
      %q = llvm.inttoptr %p : i64 to !llvm.ptr<3>
      // CHECK-NEXT:  croq.copy_async %t => [[A]] engine(tma) multicast [0] completes [[Q]] : !llvm.ptr<3>
      %h = croq.copy_async %t => %a engine(tma) multicast [0] completes %q : !llvm.ptr<3>
      // CHECK-NEXT:  croq.barrier cluster{{$}}
      // GENERIC:     "croq.barrier"() <{cluster}> : () -> ()
      croq.barrier cluster
      // CHECK-NEXT:  croq.barrier cluster {note}
      croq.barrier cluster {note}
      // CHECK-NEXT:  croq.barrier{{$}}
      croq.barrier
    }
  }
}
