// RUN: croq-opt --bind-params --infer-layouts --select-engines --lower-futures --insert-barriers --lower-events --lower-dma --insert-fences --split-input-file %s | filecheck %s
// RUN: croq-opt --bind-params --infer-layouts --lower-futures --split-input-file %s | filecheck %s --check-prefix=FUTURE
// RUN: croq-opt --croq-to-ptx -t ptx %S/../../examples/matmul_1p1c_cp_async.mlir | filecheck %s --check-prefix=PTX

// A copy is started and awaited: each thread waits for its group, and a barrier comes
// before another thread reads. Elements of 4 bytes are always aligned to what cp.async
// copies; the rest of a vector that is cut off becomes zero.

// FUTURE-LABEL: croq.kernel @awaited
// FUTURE:         [[F:%.*]] = croq.copy_async %{{.*}} => %a engine(cp_async)
// FUTURE-NEXT:    [[G:%.*]] = croq.copy_async %{{.*}} => %b engine(cp_async)
// FUTURE-NEXT:    croq.await [[F]]
// FUTURE-NEXT:    croq.await [[G]]

// CHECK-LABEL: croq.kernel @awaited
// CHECK:         scf.for
// CHECK:           [[LEFT:%.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK:           [[FEWER:%.*]] = arith.cmpi ult, [[LEFT]], [[FOUR:%.*]] : index
// CHECK:           [[MOST:%.*]] = arith.select [[FEWER]], [[LEFT]], [[FOUR]] : index
// CHECK:           [[USED:%.*]] = arith.select %{{.*}}, [[MOST]], %{{.*}} : index
// CHECK:           arith.muli [[USED]]
// CHECK:           [[BYTES:%.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, [[BYTES]]
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache = ca, %{{.*}}
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %{{.*}}
// CHECK-NOT:       llvm.load
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NEXT:    nvvm.cp.async.wait.group 1
// CHECK-NEXT:    nvvm.cp.async.wait.group 0
// CHECK-NEXT:    croq.barrier
croq.kernel @awaited dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %out: !croq.tile<32x64xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<32x64xf32, shared>
    %b = croq.alloc : !croq.tile<32x64xf32, shared>
    %first = croq.subspan %x [32, 64] tile (0, 0)
    %second = croq.subspan %x [32, 64] tile (1, 0)
    croq.copy %first => %a engine(cp_async)
    croq.copy %second => %b engine(cp_async)
    croq.parallel (%c, %t) in (2, 64) : thread {
      %v = croq.load %a[%c, %t]
      croq.store %v, %out[%c, %t]
    }
  }
}

// -----

// What cp.async has filled and TMA stores: the threads that waited fence before the barrier.
// CHECK-LABEL: croq.kernel @stored
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:    croq.barrier
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta
croq.kernel @stored (%x: !croq.tile<64x64xf16, global>, %y: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.copy %x => %a engine(cp_async)
    croq.copy %a => %y engine(tma)
  }
}

// -----

// Completion on an event: one arrival a thread, when its copies are there. Elements of 2
// bytes may go through registers: the thread arrives itself, and the copies hold the
// phase up.
// CHECK-LABEL: croq.kernel @events
// CHECK:         nvvm.mbarrier.init %{{.*}}, [[COUNT:%.*]] : !llvm.ptr<3>, i32
// CHECK:         croq.role "producer"
// CHECK:         [[WIDE:%.*]] = croq.address %wide[0] : !llvm.ptr<3>
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.mbarrier.arrive [[WIDE]] {noinc = true} : !llvm.ptr<3>
// CHECK-NOT:     nvvm.mbarrier.arrive [[WIDE]]
// CHECK:         [[NARROW:%.*]] = croq.address %narrow[0] : !llvm.ptr<3>
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         llvm.load
// CHECK:         nvvm.cp.async.mbarrier.arrive [[NARROW]] : !llvm.ptr<3>
// CHECK-NEXT:    nvvm.mbarrier.arrive [[NARROW]] : !llvm.ptr<3>
croq.kernel @events dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %wide = croq.event : !croq.event<1>
    %narrow = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<32x64xf32, shared>
    %b = croq.alloc : !croq.tile<32x64xf16, shared>
    croq.role "producer" warpgroups [0, 1) {
      %xs = croq.subspan %x [32, 64] tile (0, 0)
      %ys = croq.subspan %y [32, 64] tile (0, 0)
      %f = croq.copy_async %xs => %a engine(cp_async)
      croq.trigger %wide[0] after %f
      %g = croq.copy_async %ys => %b engine(cp_async)
      croq.trigger %narrow[0] after %g
    }
    croq.role "consumer" warpgroups [1, 2) {
      croq.wait %wide[0]
      croq.wait %narrow[0]
    }
  }
}

// The consumer fences what landed by the generic proxy before wgmma reads it.
// PTX:      mbarrier.init.shared.b64 [{{.*}}], 128;
// PTX:      cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r{{.*}};
// PTX:      cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8, %r{{.*}};
// PTX:      cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4, %r{{.*}};
// PTX:      cp.async.mbarrier.arrive.shared.b64 [{{.*}}];
// PTX-NEXT: mbarrier.arrive.shared.b64 _, [{{.*}}];
// PTX:      mbarrier.try_wait.parity.shared.b64
// PTX:      fence.proxy.async.shared::cta;
// PTX:      wgmma.mma_async
