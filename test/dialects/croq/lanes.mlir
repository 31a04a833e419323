// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// What the lanes of a warp exchange.

// CHECK: croq.kernel @lanes
croq.kernel @lanes (%x: !croq.tile<64xf16, global>, %v: i32, %w: i64, %p: i1, %m: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      %h = croq.load %x[%t]
      // CHECK: croq.shuffle xor %{{.*}} by %v : f16 -> f16
      // GENERIC: "croq.shuffle"(%{{.*}}, %{{.*}}) <{kind = #croq<shuffle_kind xor>}> : (f16, i32) -> f16
      %a = croq.shuffle xor %h by %v : f16 -> f16
      // CHECK: croq.shuffle idx %w by %v mask %m : i64 -> i64
      %c = croq.shuffle idx %w by %v mask %m : i64 -> i64
      // CHECK: croq.shuffle up %v by %v : i32 -> i32
      %d = croq.shuffle up %v by %v : i32 -> i32
      // CHECK: croq.vote any %p -> i1
      %e = croq.vote any %p -> i1
      // CHECK: croq.vote ballot %p mask %m -> i32
      %f = croq.vote ballot %p mask %m -> i32
      // CHECK: croq.redux umin %v mask %m
      // GENERIC: "croq.redux"(%{{.*}}, %{{.*}}) <{kind = #croq<lane_reduction umin>
      %g = croq.redux umin %v mask %m
      // CHECK: croq.elect_lane
      %i = croq.elect_lane
      // CHECK: croq.lane_id
      %j = croq.lane_id
      // CHECK: croq.match any %w mask %m : i64 -> i32
      // GENERIC: "croq.match"(%{{.*}}, %{{.*}}) <{kind = #croq<match_kind any>
      %k = croq.match any %w mask %m : i64 -> i32
      // CHECK: croq.match all %v : i32 -> i32, i1
      %l, %n = croq.match all %v : i32 -> i32, i1
      // CHECK: croq.active_mask
      %o = croq.active_mask
      // CHECK: croq.warp_id
      %q = croq.warp_id
      // CHECK: croq.warp_barrier
      croq.warp_barrier
      // CHECK: croq.warp_barrier mask %m
      croq.warp_barrier mask %m
      // CHECK: croq.warpgroup_barrier
      // GENERIC: "croq.warpgroup_barrier"() : () -> ()
      croq.warpgroup_barrier
    }
  }
}
