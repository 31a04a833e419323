// RUN: croq-opt --lower-events %s | filecheck %s --check-prefix=EVENTS
// RUN: croq-opt --lower-events --lower-dma --insert-fences %s | filecheck %s --check-prefix=FENCES
// RUN: croq-opt --lower-events --lower-dma --insert-fences --lower-views --lower-parallel %s 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: croq-opt --croq-to-ptx --verify-diagnostics %s

// A target before Hopper: no try_wait, no elect.sync, no fence of initialised mbarriers, no setmaxnreg.

// A wait tests the phase, and sleeps before it tests again.
// EVENTS-LABEL: croq.kernel @ring
// EVENTS:       croq.role "producer"
// EVENTS:         scf.while () : () -> () {
// EVENTS-NEXT:      [[DONE:%.*]] = nvvm.mbarrier.test.wait {{%.*}}, {{%.*}} : !llvm.ptr<3>, i32 -> i1
// EVENTS-NEXT:      [[TRUE:%.*]] = arith.constant true
// EVENTS-NEXT:      [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
// EVENTS-NEXT:      scf.condition([[AGAIN]])
// EVENTS-NEXT:    } do {
// EVENTS-NEXT:      [[NS:%.*]] = arith.constant 32 : i32
// EVENTS-NEXT:      nvvm.nanosleep [[NS]]
// EVENTS-NEXT:      scf.yield
// The arrival of a warp is that of its lane 0.
// EVENTS:       croq.role "consumer"
// EVENTS:         nvvm.bar.warp.sync
// EVENTS-NEXT:    [[LANE:%.*]] = nvvm.read.ptx.sreg.laneid : i32
// EVENTS-NEXT:    [[ZERO:%.*]] = arith.constant 0 : i32
// EVENTS-NEXT:    [[FIRST:%.*]] = arith.cmpi eq, [[LANE]], [[ZERO]] : i32
// EVENTS-NEXT:    scf.if [[FIRST]] {
// EVENTS-NEXT:      nvvm.mbarrier.arrive
// EVENTS-NOT:   nvvm.elect.sync
// EVENTS-NOT:   nvvm.mbarrier.try_wait

// FENCES-LABEL: croq.kernel @ring
// FENCES:         nvvm.mbarrier.init
// FENCES-NOT:     nvvm.fence

// THREADS:        remark: 'croq.role' op has no register budget on sm_80: all threads of a block have as many
// THREADS-LABEL:  llvm.func @ring
// THREADS-NOT:    nvvm.maxnreg
// The elected thread of the block is lane 0 of its first warp.
// THREADS:        [[L:%.*]] = nvvm.read.ptx.sreg.laneid : i32
// THREADS-NEXT:   [[Z:%.*]] = arith.constant 0 : i32
// THREADS-NEXT:   [[ONE:%.*]] = arith.cmpi eq, [[L]], [[Z]] : i32
// THREADS:        [[WARP:%.*]] = arith.cmpi eq, %warp, {{%.*}} : i32
// THREADS-NEXT:   [[LEADER:%.*]] = arith.andi [[WARP]], [[ONE]] : i1
// THREADS:        scf.if [[LEADER]] {
// THREADS:          nvvm.mbarrier.init
// THREADS:        nvvm.barrier{{$}}
// THREADS-NOT:    nvvm.setmaxregister
// A role has its named barrier as everywhere.
// THREADS:        nvvm.barrier id = {{%.*}} number_of_threads = {{%.*}}
builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @ring dims(M) (%in: !croq.tile<[M]x32xf32, global>, %out: !croq.tile<[M]x32xf32, global>) {
    %tiles = croq.cdiv M, 32
    croq.parallel (%b) in (1) : block {
      %full = croq.event : !croq.event<2>
      %empty = croq.event ready : !croq.event<2>
      %ring = croq.alloc : !croq.tile<2x32x32xf32, shared, row_major>
      // expected-remark@+1 {{'croq.role' op has no register budget on sm_80: all threads of a block have as many}}
      croq.role "producer" warpgroups [0, 1) registers 40 {
        croq.foreach %k in %tiles {
          croq.wait %empty at %k
          %from = croq.subspan %in [32, 32] tile (%k, 0)
          %to = croq.slot %ring at %k
          %f = croq.copy_async %from => %to engine(cp_async)
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %k in %tiles {
          croq.wait %full at %k
          %from = croq.slot %ring at %k
          %to = croq.subspan %out [32, 32] tile (%k, 0)
          croq.copy %from => %to engine(threads)
          croq.barrier
          croq.trigger %empty at %k
        }
      }
    }
  }
}
