// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --lower-parallel %s | filecheck %s --check-prefix=LOWERED

// CHECK: croq.kernel @k
// Names get numbers in the order in which they occur.
// LOWERED: nvvm.barrier id = [[ONE:%.*]] number_of_threads =
// LOWERED: nvvm.barrier.arrive id = [[TWO:%.*]] number_of_threads =
// LOWERED: nvvm.barrier.arrive id = %{{.*}} number_of_threads =
// LOWERED: nvvm.barrier id = %{{.*}} number_of_threads =
croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    croq.role "a" warps [0, 1) {
      // CHECK: croq.barrier_wait "empty" threads 96
      croq.barrier_wait "empty" threads 96
      // CHECK: croq.barrier_arrive "full" threads 96
      croq.barrier_arrive "full" threads 96
    }
    croq.role "b" warps [1, 3) {
      croq.barrier_arrive "empty" threads 96
      croq.barrier_wait "full" threads 96
    }
  }
}
