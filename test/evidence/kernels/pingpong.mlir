// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two consumers take turns at the steps of one ring: even steps are of ping, odd ones of pong.
// An order barrier of two events lets one multiply only after the other has issued its
// products; it also keeps either from missing a phase of the ring, which needs two stages.

croq.kernel @pingpong dims(M) params(S = 3) (
    %lhs: !croq.tile<[M]x64xf16, global>,
    %rhs: !croq.tile<64x64xf16, global>,
    %out: !croq.tile<[M]x64xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %steps = croq.cdiv M, 64
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %table = croq.event : !croq.event<1>
    %ping_turn = croq.event ready : !croq.event<1>
    %pong_turn = croq.event : !croq.event<1>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<2x64x64xf32, shared>
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      %bt = croq.subspan %rhs [64, 64] tile (0, 0)
      %fb = croq.copy_async %bt => %b_s engine(tma)
      croq.trigger %table after %fb
      croq.foreach %k in %steps {
        croq.wait %free at %k
        %at = croq.subspan %lhs [64, 64] tile (%k, 0)
        %as = croq.slot %a_s at %k
        %f = croq.copy_async %at => %as engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "ping" warps [4, 8) {
      croq.wait %table
      croq.foreach %k in 0 to %steps step 2 {
        %turn = arith.divui %k, %two : index
        croq.wait %full at %k
        croq.wait %ping_turn at %turn
        %as = croq.slot %a_s at %k
        %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
        %c1 = croq.mma.exec row.row %zero, %as, %b_s
        %c2 = croq.mma.commit %c1
        croq.trigger %pong_turn at %turn
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %k
        %os = croq.slot %o_s at 0
        croq.mma.store %c3 => %os
        %ot = croq.subspan %out [64, 64] tile (%k, 0)
        croq.copy %os => %ot engine(tma)
      }
    }
    croq.role "pong" warps [8, 12) {
      croq.wait %table
      croq.foreach %k in 1 to %steps step 2 {
        %turn = arith.divui %k, %two : index
        croq.wait %full at %k
        croq.wait %pong_turn at %turn
        %as = croq.slot %a_s at %k
        %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
        %c1 = croq.mma.exec row.row %zero, %as, %b_s
        %c2 = croq.mma.commit %c1
        croq.trigger %ping_turn at %turn
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %k
        %os = croq.slot %o_s at 1
        croq.mma.store %c3 => %os
        %ot = croq.subspan %out [64, 64] tile (%k, 0)
        croq.copy %os => %ot engine(tma)
      }
    }
  }
}
