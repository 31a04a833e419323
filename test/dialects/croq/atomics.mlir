// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Atomic updates, loads and stores that synchronise, fences.

// CHECK: croq.kernel @orders
croq.kernel @orders dims(N) (%g: !croq.tile<[N]xi32, global>, %f: !croq.tile<[N]x8xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %s = croq.alloc : !croq.tile<64xi64, shared>
    croq.parallel (%t) in (64) : thread {
      // CHECK: %{{.*}} = croq.load %{{.*}}[%{{.*}}] order(acquire) scope(gpu)
      // GENERIC: "croq.load"(%{{.*}}, %{{.*}}) <{static_indices = [unit], order = #croq<order acquire>, scope = #croq<scope gpu>}>
      %v = croq.load %g[%t] order(acquire) scope(gpu)
      // CHECK: %{{.*}} = croq.load %{{.*}}[3] order(volatile)
      %w = croq.load %s[3] order(volatile)
      // CHECK: %{{.*}} = croq.load %{{.*}}[%{{.*}}, 7] order(relaxed) scope(cta)
      %x = croq.load %f[%t, 7] order(relaxed) scope(cta)
      // CHECK: %{{.*}} = croq.atomic add %{{.*}}, %{{.*}}[%{{.*}}] order(relaxed) scope(gpu) -> i32
      // GENERIC: "croq.atomic"(%{{.*}}, %{{.*}}, %{{.*}}) <{static_indices = [unit], kind = #croq<atomic_kind add>, order = #croq<order relaxed>, scope = #croq<scope gpu>
      %old = croq.atomic add %v, %g[%t] -> i32
      // CHECK: croq.atomic umax %{{.*}}, %{{.*}}[%{{.*}}] order(relaxed) scope(cta)
      croq.atomic umax %w, %s[%t]
      // CHECK: croq.atomic add %{{.*}}, %{{.*}}[0, 0] order(release) scope(sys)
      croq.atomic add %x, %f[0, 0] order(release) scope(sys)
      // CHECK: croq.atomic add (%{{.*}}, %{{.*}}), %{{.*}}[0, 6] order(relaxed) scope(gpu)
      // GENERIC: "croq.atomic"(%{{.*}}, %{{.*}}, %{{.*}}) <{static_indices = [0 : index, 6 : index], kind = #croq<atomic_kind add>, order = #croq<order relaxed>, scope = #croq<scope gpu>, operandSegmentSizes = array<i32: 1, 0, 1, 0, 1>
      croq.atomic add (%x, %x), %f[0, 6]
      // CHECK: croq.atomic add (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}), %{{.*}}[%{{.*}}, 4] order(release) scope(sys) {note}
      croq.atomic add (%x, %x, %x, %x), %f[%t, 4] order(release) scope(sys) {note}
      // CHECK: %{{.*}} = croq.atomic cas %{{.*}}, %{{.*}}, %{{.*}}[0] order(acq_rel) scope(cluster) -> i32
      %seen = croq.atomic cas %old, %v, %g[0] order(acq_rel) scope(cluster) -> i32
      // CHECK: croq.fence order(acq_rel) scope(gpu)
      // GENERIC: "croq.fence"() <{order = #croq<order acq_rel>, scope = #croq<scope gpu>}> : () -> ()
      croq.fence order(acq_rel) scope(gpu)
      // CHECK: croq.store %{{.*}}, %{{.*}}[%{{.*}}] order(release) scope(gpu)
      croq.store %seen, %g[%t] order(release) scope(gpu)
      // CHECK: croq.store %{{.*}}, %{{.*}}[0] order(volatile)
      croq.store %seen, %g[0] order(volatile)
    }
  }
}
