// RUN: croq-opt --bind-params --infer-layouts --select-engines --verify-sync=undecided=error %s -o %t

// Four blocks, two by two: those of a row of the cluster share a tile of x, those of a column one
// of t, and each adds the two for its own output. A slot is free when those have released it that
// its block sends to, and the block across the cluster is none of them.

croq.kernel @cluster_of_four dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %t: !croq.tile<32x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]x[N]xf32, global>) {
  %pairs = croq.cdiv M, 32
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%c) in (%pairs) : cluster {
    %two = arith.constant 2 : index
    %first = arith.muli %c, %two : index
    croq.parallel (%i, %j) in (2, 2) : block {
      %bm = arith.addi %first, %i : index
      %zero = arith.constant 0 : index
      %left = arith.cmpi eq, %j, %zero : index
      %full = croq.event : !croq.event<[S]>
      %free = croq.event : !croq.event<[S]>
      %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
      %t_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
      %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
      croq.role "load" warps [0, 1) {
        croq.foreach %k in %n_tiles {
          croq.wait %free at %k
          %xt = croq.subspan %x [16, 32] tile (%bm, %k)
          %xs = croq.slot %x_s at %k
          %x_mine = croq.chunkat %xt [2, _] at (%j, _)
          %x_part = croq.chunkat %xs [2, _] at (%j, _)
          %f = croq.copy_async %x_mine => %x_part engine(tma) multicast [1]
          %tt = croq.subspan %t [16, 32] tile (%j, %k)
          %ts = croq.slot %t_s at %k
          %t_mine = croq.chunkat %tt [2, _] at (%i, _)
          %t_part = croq.chunkat %ts [2, _] at (%i, _)
          %g = croq.copy_async %t_mine => %t_part engine(tma) multicast [0]
          croq.trigger %full at %k after %f, %g
        }
      }
      croq.role "add" warps [1, 5) {
        croq.foreach %k in S {
          croq.trigger %free at %k multicast [0]
          croq.trigger %free at %k multicast [1]
        }
        croq.foreach %k in %n_tiles {
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
          croq.trigger %free at %k + S multicast [1]
          scf.if %left {
            %yt = croq.subspan %y [16, 32] tile (%bm, %k)
            croq.copy %y_s => %yt engine(threads)
          } else {
            %zt = croq.subspan %z [16, 32] tile (%bm, %k)
            croq.copy %y_s => %zt engine(threads)
          }
        }
      }
      croq.barrier cluster
    }
  }
}
