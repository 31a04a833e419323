// out[M, N] = lhs[M, K] * rhs[N, K]^T with a FIFO of four stages that the threads of a block fill
// by cp.async: the loads of an iteration are a group, `croq.commit_loads` closes it (empty at the
// end, so that the count stays the same), and `croq.await_loads in_flight 2` waits for the oldest
// of three. One barrier an iteration: after it all threads see what each has loaded, and all have
// read the stage that is filled next. Any row pitch, any extents: 16, 8 or 4 bytes at a time, or
// element by element, with zeros beyond the edges.
//
// `--pipeline-loop{stages=4}` makes this of matmul.mlir for a target without TMA.
//
//   croq-run examples/matmul_ampere.mlir --target sm_80 --size M=1000,N=1000,K=1000 --check

croq.kernel @matmul_ampere dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 128
  %k_tiles = croq.cdiv K, 32
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 128 {
    %a_s = croq.alloc : !croq.tile<4x128x32xf16, shared>
    %b_s = croq.alloc : !croq.tile<4x128x32xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x128xf16, shared>

    // The loads of the first three iterations.
    croq.foreach %k in 3 {
      %runs = arith.cmpi ult, %k, %k_tiles : index
      scf.if %runs {
        %a = croq.subspan %lhs [128, 32] tile (%bm, %k)
        %b = croq.subspan %rhs [128, 32] tile (%bn, %k)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %fa = croq.copy_async %a => %as engine(cp_async)
        %fb = croq.copy_async %b => %bs engine(cp_async)
      }
      croq.commit_loads
    }

    %zero = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
      croq.await_loads in_flight 2
      croq.barrier
      %three = arith.constant 3 : index
      %next = arith.addi %k, %three : index
      %runs = arith.cmpi ult, %next, %k_tiles : index
      scf.if %runs {
        %a = croq.subspan %lhs [128, 32] tile (%bm, %next)
        %b = croq.subspan %rhs [128, 32] tile (%bn, %next)
        %as = croq.slot %a_s at %next
        %bs = croq.slot %b_s at %next
        %fa = croq.copy_async %a => %as engine(cp_async)
        %fb = croq.copy_async %b => %bs engine(cp_async)
      }
      croq.commit_loads

      %as = croq.slot %a_s at %k
      %bs = croq.slot %b_s at %k
      %c1 = croq.mma.exec row.row %c, %as, %bs
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
    // Nothing is in flight any more, and all have read: the results may take the memory of
    // the stages.
    croq.await_loads in_flight 0
    croq.barrier
    croq.mma.store %acc => %o_s
    %o = croq.subspan %out [128, 128] tile (%bm, %bn)
    croq.copy %o_s => %o engine(threads)
  }
}
