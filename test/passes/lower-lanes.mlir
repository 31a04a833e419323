// RUN: croq-opt --lower-lanes %s | filecheck %s

// CHECK: croq.kernel @lanes
croq.kernel @lanes (%f: f32, %h: f16, %v: i32, %w: i64, %p: i1, %m: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // CHECK: [[ALL:%.*]] = arith.constant -1 : i32
      // CHECK-NEXT: [[LAST:%.*]] = arith.constant 31 : i32
      // CHECK-NEXT: nvvm.shfl.sync bfly [[ALL]], %f, %v, [[LAST]] : f32 -> f32
      %a = croq.shuffle xor %f by %v : f32 -> f32
      // CHECK-NEXT: [[FIRST:%.*]] = arith.constant 0 : i32
      // CHECK-NEXT: nvvm.shfl.sync up %m, %v, %v, [[FIRST]] : i32 -> i32
      %c = croq.shuffle up %v by %v mask %m : i32 -> i32
      // 16 bits go in the low half of a word.
      // CHECK: [[E:%.*]] = llvm.mlir.undef : vector<2xf16>
      // CHECK-NEXT: [[P:%.*]] = llvm.insertelement %h, [[E]][{{.*}}] : vector<2xf16>
      // CHECK-NEXT: [[W:%.*]] = llvm.bitcast [[P]] : vector<2xf16> to i32
      // CHECK-NEXT: [[S:%.*]] = nvvm.shfl.sync down %m, [[W]], %v, %{{.*}} : i32 -> i32
      // CHECK-NEXT: [[Q:%.*]] = llvm.bitcast [[S]] : i32 to vector<2xf16>
      // CHECK-NEXT: llvm.extractelement [[Q]]
      %d = croq.shuffle down %h by %v mask %m : f16 -> f16
      // 64 bits take two.
      // CHECK: nvvm.shfl.sync idx %m, %{{.*}}, %v, %{{.*}} : i32 -> i32
      // CHECK: nvvm.shfl.sync idx %m, %{{.*}}, %v, %{{.*}} : i32 -> i32
      // CHECK: arith.ori %{{.*}}, %{{.*}} : i64
      %e = croq.shuffle idx %w by %v mask %m : i64 -> i64
      // CHECK-NEXT: nvvm.vote.sync ballot %m, %p -> i32
      %g = croq.vote ballot %p mask %m -> i32
      // CHECK-NEXT: nvvm.redux.sync umax %v, %m : i32 -> i32
      %i = croq.redux umax %v mask %m
      // CHECK-NEXT: nvvm.elect.sync %m -> i1
      %j = croq.elect_lane mask %m
      // CHECK-NEXT: nvvm.bar.warp.sync %m : i32
      croq.warp_barrier mask %m
      // CHECK-NEXT: [[LANE:%.*]] = nvvm.read.ptx.sreg.laneid : i32
      // CHECK-NEXT: arith.index_cast [[LANE]] : i32 to index
      %k = croq.lane_id
      // CHECK-NEXT: nvvm.match.sync any %m, %w : i64 -> i32
      %l = croq.match any %w mask %m : i64 -> i32
      // CHECK: [[ALL_ALIKE:%.*]] = nvvm.match.sync all %{{.*}}, %v : i32 -> !llvm.struct<(i32, i1)>
      // CHECK-NEXT: llvm.extractvalue [[ALL_ALIKE]][0] : !llvm.struct<(i32, i1)>
      // CHECK-NEXT: llvm.extractvalue [[ALL_ALIKE]][1] : !llvm.struct<(i32, i1)>
      %n, %o = croq.match all %v : i32 -> i32, i1
      // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
      %q = croq.active_mask
      // CHECK-NEXT: [[THREAD:%.*]] = croq.thread_id
      // CHECK-NEXT: [[BITS:%.*]] = arith.constant 5 : index
      // CHECK-NEXT: arith.shrui [[THREAD]], [[BITS]] : index
      %r = croq.warp_id
    }
  }
}
