// RUN: croq-opt --lower-futures --split-input-file %s | filecheck %s

// Synchronous TMA loads complete on an event of their own, at the head of the block;
// loads next to each other share it, in whatever order their buffers were allocated.
// CHECK-LABEL: croq.kernel @sync
croq.kernel @sync dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.event ready
    // CHECK-NEXT: [[A:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[B:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[C:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: croq.alloc
    %own = croq.event ready : !croq.event<2>
    %u = croq.alloc : !croq.tile<64x64xf16, shared>
    %v = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK: croq.role "work"
    croq.role "work" warps [0, 4) {
      %s = croq.subspan %p [64, 64] tile (%i, 0)
      // CHECK: [[F:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(tma) {tag = 1 : i64}
      // CHECK: [[G:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(tma)
      // CHECK-NEXT: croq.trigger [[A]][0] after [[F]], [[G]]
      // CHECK-NEXT: croq.wait [[A]][0]
      croq.copy %s => %v engine(tma) {tag = 1 : i64}
      %t = croq.subspan %p [64, 64] tile (%i, 1)
      croq.copy %t => %u engine(tma)
      // Into one buffer: one after the other.
      // CHECK-NEXT: croq.foreach
      // CHECK-NEXT: [[F:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[B]][0] after [[F]]
      // CHECK-NEXT: croq.wait [[B]][0]
      // CHECK-NEXT: [[G:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[C]][0] after [[G]]
      // CHECK-NEXT: croq.wait [[C]][0]
      croq.foreach %k in 8 {
        croq.copy %s => %v engine(tma)
        croq.copy %t => %v engine(tma)
      }
    }
  }
}

// -----

// Asynchronous copies. A load: triggered where it starts, waited for where it is awaited.
// By threads: a plain copy. A store stays. What has an event stays. `data` is the buffer.
// CHECK-LABEL: croq.kernel @async
croq.kernel @async dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[L:%.*]] = croq.event : !croq.event<1>
    %full = croq.event : !croq.event<1>
    // CHECK-NEXT: [[U:%.*]] = croq.alloc
    %u = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT: [[V:%.*]] = croq.alloc
    %v = croq.alloc : !croq.tile<64x64xf16, shared>
    %w = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %p [64, 64] tile (%i, 0)
    croq.foreach %k in 3 {
      // CHECK: [[F:%.*]] = croq.copy_async {{%.*}} => [[U]] engine(tma)
      // CHECK-NEXT: croq.trigger [[L]][0] after [[F]]
      %f = croq.copy_async %s => %u engine(tma)
      // CHECK-NEXT: croq.copy {{%.*}} => [[V]] engine(threads) {tag = 2 : i64}
      %g = croq.copy_async %s => %v engine(threads) {tag = 2 : i64}
      // CHECK-NEXT: [[H:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[E]] at {{%.*}} after [[H]]
      %h = croq.copy_async %s => %w engine(tma)
      croq.trigger %full at %k after %h
      // CHECK-NEXT: croq.wait [[L]][0]
      croq.await %f
      croq.await %g
      // CHECK-NEXT: croq.load [[U]][0, 0]
      %t = croq.data %f
      %x = croq.load %t[0, 0]
    }
    // CHECK: [[F:%.*]] = croq.copy_async [[U]] => {{%.*}} engine(tma)
    // CHECK-NEXT: croq.await [[F]] read
    // CHECK-NEXT: croq.copy [[V]] => {{%.*}} engine(tma)
    // CHECK-NEXT: croq.copy [[V]] => {{%.*}} engine(threads)
    %f = croq.copy_async %u => %s engine(tma)
    croq.await %f read
    croq.copy %v => %s engine(tma)
    croq.copy %v => %s engine(threads)
  }
}

// -----

// Stores that are counted. By TMA they stay. By threads they are plain copies, and nothing
// is left to wait for; beside others by TMA no store is left in flight.
// CHECK-LABEL: croq.kernel @counted
croq.kernel @counted dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %p [64, 64] tile (%i, 0)
    // CHECK: croq.role "tma"
    croq.role "tma" warps [0, 4) {
      // CHECK: croq.copy_async {{.*}} engine(tma)
      // CHECK-NEXT: croq.await_stores in_flight 1 read
      %f = croq.copy_async %a => %s engine(tma)
      croq.await_stores in_flight 1 read
    }
    // CHECK: croq.role "threads"
    croq.role "threads" warps [4, 8) {
      // CHECK-NEXT: croq.copy {{.*}} engine(threads) {tag}
      // CHECK-NEXT: }
      %f = croq.copy_async %a => %s engine(threads) {tag}
      croq.await_stores in_flight 1 read
    }
    // CHECK: croq.role "both"
    croq.role "both" warps [8, 12) {
      // CHECK-NEXT: croq.copy_async {{.*}} engine(tma)
      // CHECK-NEXT: croq.copy {{.*}} engine(threads)
      // CHECK-NEXT: croq.await_stores in_flight 0 read
      %f = croq.copy_async %a => %s engine(tma)
      %g = croq.copy_async %a => %s engine(threads)
      croq.await_stores in_flight 1 read
    }
  }
}
