// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Waits and triggers in branches that are uniform: even steps go through one ring, odd ones
// through another, and blocks of odd index leave the odd steps out.

croq.kernel @waits_in_branches dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %even_full = croq.event : !croq.event<[S]>
    %even_free = croq.event ready : !croq.event<[S]>
    %odd_full = croq.event : !croq.event<[S]>
    %odd_free = croq.event ready : !croq.event<[S]>
    %even_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %odd_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    %none = arith.constant 0 : index
    %two = arith.constant 2 : index
    %block_bit = arith.remui %bm, %two : index
    %both = arith.cmpi eq, %block_bit, %none : index
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n_tiles {
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %h = arith.divui %k, %two : index
        %bit = arith.remui %k, %two : index
        %even = arith.cmpi eq, %bit, %none : index
        scf.if %even {
          croq.wait %even_free at %h
          %xs = croq.slot %even_s at %h
          %f = croq.copy_async %xt => %xs engine(tma)
          croq.trigger %even_full at %h after %f
        } else {
          scf.if %both {
            croq.wait %odd_free at %h
            %xs = croq.slot %odd_s at %h
            %f = croq.copy_async %xt => %xs engine(tma)
            croq.trigger %odd_full at %h after %f
          }
        }
      }
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %k in %n_tiles {
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        %h = arith.divui %k, %two : index
        %bit = arith.remui %k, %two : index
        %even = arith.cmpi eq, %bit, %none : index
        scf.if %even {
          croq.wait %even_full at %h
          %xs = croq.slot %even_s at %h
          croq.parallel (%r, %c) in (4, 32) : thread {
            croq.foreach %i in %r to 16 step 4 {
              %v = croq.load %xs[%i, %c]
              %w = arith.addf %v, %v : f32
              croq.store %w, %y_s[%i, %c]
            }
          }
          croq.trigger %even_free at %h
          croq.copy %y_s => %yt engine(threads)
        } else {
          scf.if %both {
            croq.wait %odd_full at %h
            %xs = croq.slot %odd_s at %h
            croq.parallel (%r, %c) in (4, 32) : thread {
              croq.foreach %i in %r to 16 step 4 {
                %v = croq.load %xs[%i, %c]
                %w = arith.addf %v, %v : f32
                croq.store %w, %y_s[%i, %c]
              }
            }
            croq.trigger %odd_free at %h
            croq.copy %y_s => %yt engine(threads)
          }
        }
      }
    }
  }
}
