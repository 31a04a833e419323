// A ring of two slots between two roles whose loops end on a condition.
croq.kernel @events_in_while dims(M) (%x: !croq.tile<[M]x64xf32, global>, %y: !croq.tile<[M]x64xf32, global>) {
  croq.parallel (%b) in (2) : block {
    %s = croq.alloc : !croq.tile<2x8x64xf32, shared>
    %full = croq.event : !croq.event<2>
    %empty = croq.event ready : !croq.event<2>
    %tiles = croq.cdiv M, 8
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %zero = arith.constant 0 : index
    croq.role "producer" warpgroups [0, 1) {
      %e:2 = scf.while (%t = %b, %o = %zero) : (index, index) -> (index, index) {
        %more = arith.cmpi ult, %t, %tiles : index
        scf.condition(%more) %t, %o : index, index
      } do {
      ^bb0(%i: index, %k: index):
        %slot = arith.remui %k, %two : index
        croq.wait %empty[%slot]
        %from = croq.subspan %x [8, 64] tile (%i, 0)
        %to = croq.slot %s[%slot]
        croq.copy %from => %to engine(threads)
        croq.trigger %full[%slot]
        %next = arith.addi %i, %two : index
        %l = arith.addi %k, %one : index
        scf.yield %next, %l : index, index
      }
    }
    croq.role "consumer" warpgroups [1, 2) {
      %e:2 = scf.while (%t = %b, %o = %zero) : (index, index) -> (index, index) {
        %more = arith.cmpi ult, %t, %tiles : index
        scf.condition(%more) %t, %o : index, index
      } do {
      ^bb0(%i: index, %k: index):
        %slot = arith.remui %k, %two : index
        croq.wait %full[%slot]
        %to = croq.subspan %y [8, 64] tile (%i, 0)
        %from = croq.slot %s[%slot]
        croq.copy %from => %to engine(threads)
        croq.trigger %empty[%slot]
        %next = arith.addi %i, %two : index
        %l = arith.addi %k, %one : index
        scf.yield %next, %l : index, index
      }
    }
  }
}
