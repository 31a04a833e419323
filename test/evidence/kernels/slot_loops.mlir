// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Waits by slot inside a loop over the slots, in a loop over the rows: which generation is
// meant is what the role remembers.

croq.kernel @slot_loops dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %rounds = croq.cdiv N, 64
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %x_s = croq.alloc : !croq.tile<2x16x32xf32, shared>
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %m in %m_tiles {
        croq.foreach %n in %rounds {
          croq.foreach %s in 2 {
            %even = arith.muli %n, %two : index
            %k = arith.addi %even, %s : index
            croq.wait %free[%s]
            %xt = croq.subspan %x [16, 32] tile (%m, %k)
            %xs = croq.slot %x_s[%s]
            %f = croq.copy_async %xt => %xs engine(tma)
            croq.trigger %full[%s] after %f
          }
        }
      }
    }
    croq.role "store" warps [1, 2) {
      croq.foreach %m in %m_tiles {
        croq.foreach %n in %rounds {
          croq.foreach %s in 2 unroll {
            %even = arith.muli %n, %two : index
            %k = arith.addi %even, %s : index
            croq.wait %full[%s]
            %xs = croq.slot %x_s[%s]
            %yt = croq.subspan %y [16, 32] tile (%m, %k)
            %f = croq.copy_async %xs => %yt engine(tma)
            croq.await %f read
            croq.trigger %free[%s]
          }
        }
      }
    }
  }
}
