// RUN: croq-opt --lower-grid-barriers %s | filecheck %s
// RUN: croq-opt --croq-to-ptx %s | filecheck %s --check-prefix=PLAN

// PLAN: cooperative = true

// The first block adds what the others leave to the highest bit; then each waits for it to change.
// CHECK: croq.kernel @meet
// CHECK-SAME: attributes {cooperative}
croq.kernel @meet dims(B) (%count: !croq.tile<1xi32, global>) {
  %blocks = croq.dim B
  croq.parallel (%i, %j) in (%blocks, 2) : block threads 64 {
    // CHECK: [[LEADER:%.*]] = croq.elect
    // CHECK-NEXT: croq.barrier
    // CHECK-NEXT: scf.if [[LEADER]] {
    // CHECK: [[BLOCKS:%.*]] = arith.muli %blocks, %{{.*}} : index
    // CHECK: [[STEP:%.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
    // CHECK-NEXT: [[OLD:%.*]] = croq.atomic add [[STEP]], %count[0] order(release) scope(gpu) -> i32
    // CHECK-NEXT: scf.while
    // CHECK-NEXT: [[NOW:%.*]] = croq.load %count[0] order(acquire) scope(gpu)
    // CHECK-NEXT: [[CHANGED:%.*]] = arith.xori [[OLD]], [[NOW]] : i32
    // CHECK: [[SAME:%.*]] = arith.cmpi sge, [[CHANGED]], %{{.*}} : i32
    // CHECK-NEXT: scf.condition([[SAME]])
    // CHECK: croq.barrier{{$}}
    croq.barrier grid count %count : !croq.tile<1xi32, global>
  }
}

// Without an operand, the launch provides the count: a parameter of the plan.
// PLAN: kind = "workspace"
// PLAN-SAME: bytes = 4
// CHECK: croq.kernel @provided
// CHECK-NEXT: [[COUNT:%.*]] = croq.workspace : !croq.tile<1xi32, global>
croq.kernel @provided () {
  croq.parallel (%i) in (4) : block threads 64 {
    // CHECK: croq.atomic add %{{.*}}, [[COUNT]][0] order(release) scope(gpu) -> i32
    // CHECK: croq.load [[COUNT]][0] order(acquire) scope(gpu)
    croq.barrier grid
    // CHECK: croq.atomic add %{{.*}}, [[COUNT]][0] order(release) scope(gpu) -> i32
    croq.barrier grid
  }
}
