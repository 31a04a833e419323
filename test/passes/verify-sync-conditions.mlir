// RUN: croq-opt --verify-sync{undecided=error} %s | filecheck %s

// A condition that the launch decides anew in each iteration holds in the same iterations of
// every role that has it.

// CHECK: croq.kernel @guarded
croq.kernel @guarded dims(N) (%x: !croq.tile<[N]x32xf32, global>, %y: !croq.tile<[N]x32xf32, global>) {
  croq.parallel (%b) in (4) : block {
    %full = croq.event : !croq.event<1>
    %empty = croq.event ready : !croq.event<1>
    %s = croq.alloc : !croq.tile<1x32xf32, shared>
    croq.role "load" warps [0, 1) {
      %rounds = croq.cdiv N, 4
      croq.foreach %r in %rounds {
        %row = croq.compose %r, %b
        %n = croq.dim N
        %is_row = arith.cmpi ult, %row, %n : index
        scf.if %is_row {
          croq.wait %empty[0]
          %tile = croq.subspan %x [1, 32] tile (%row, 0)
          croq.copy %tile => %s
          croq.trigger %full[0]
        }
      }
    }
    croq.role "store" warps [1, 2) {
      %rounds = croq.cdiv N, 4
      croq.foreach %r in %rounds {
        %row = croq.compose %r, %b
        %n = croq.dim N
        %is_row = arith.cmpi ult, %row, %n : index
        scf.if %is_row {
          croq.wait %full[0]
          %tile = croq.subspan %y [1, 32] tile (%row, 0)
          croq.copy %s => %tile
          croq.trigger %empty[0]
        }
      }
    }
  }
}
