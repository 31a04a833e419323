// RUN: croq-opt --verify-sync --verify-diagnostics %s

// Conditions that are not the same may hold in different iterations.

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
          // expected-error@+1 {{'croq.wait' op lost arrival: role "load" waits}}
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
        %c1 = arith.constant 1 : index
        %less = arith.addi %row, %c1 : index
        %is_row = arith.cmpi ult, %less, %n : index
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
