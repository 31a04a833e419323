// RUN: croq-opt --bind-params --infer-layouts --select-engines --verify-sync --verify-diagnostics %s

// The second block of the cluster loads nothing: the bytes that the first expects of it never come.

croq.kernel @cluster_one_block_loads dims(M, N multiple_of 4) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %t: !croq.tile<16x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>) {
  %pairs = croq.cdiv M, 32
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%c) in (%pairs) : cluster {
    %two = arith.constant 2 : index
    %first = arith.muli %c, %two : index
    croq.parallel (%i) in (2) : block {
      %bm = arith.addi %first, %i : index
      %full = croq.event : !croq.event<[S]>
      %free = croq.event : !croq.event<[S]>
      %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
      %t_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
      %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
      croq.role "load" warps [0, 1) {
        croq.foreach %k in %n_tiles {
          %zero = arith.constant 0 : index
          %is_first = arith.cmpi eq, %i, %zero : index
          croq.wait %free at %k
          scf.if %is_first {
          %xt = croq.subspan %x [16, 32] tile (%bm, %k)
          %xs = croq.slot %x_s at %k
          %f = croq.copy_async %xt => %xs engine(tma)
          %tt = croq.subspan %t [16, 32] tile (0, %k)
          %ts = croq.slot %t_s at %k
          %mine = croq.chunkat %tt [2, _] at (%i, _)
          %part = croq.chunkat %ts [2, _] at (%i, _)
          %g = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f, %g
          }
        }
      }
      croq.role "add" warps [1, 5) {
        croq.foreach %k in S {
          croq.trigger %free at %k multicast [0]
        }
        croq.foreach %k in %n_tiles {
          // expected-error @below {{byte count}}
          croq.wait %full at %k
          %xs = croq.slot %x_s at %k
          %ts = croq.slot %t_s at %k
          croq.parallel (%r, %col) in (4, 32) : thread {
            croq.foreach %row in %r to 16 step 4 {
              %v = croq.load %xs[%row, %col]
              %w = croq.load %ts[%row, %col]
              %sum = arith.addf %v, %w : f32
              croq.store %sum, %y_s[%row, %col]
            }
          }
          croq.trigger %free at %k + S multicast [0]
          %yt = croq.subspan %y [16, 32] tile (%bm, %k)
          croq.copy %y_s => %yt engine(threads)
        }
      }
      croq.barrier cluster
    }
  }
}
