// A block takes tiles in a loop that ends on a condition; it stores some.
croq.kernel @copies_in_while dims(M) (%x: !croq.tile<[M]x64xf32, global>, %y: !croq.tile<[M]x64xf32, global>) {
  croq.parallel (%b) in (2) : block threads 64 {
    %s = croq.alloc : !croq.tile<8x64xf32, shared>
    %tiles = croq.cdiv M, 8
    %two = arith.constant 2 : index
    %end = scf.while (%t = %b) : (index) -> index {
      %more = arith.cmpi ult, %t, %tiles : index
      scf.condition(%more) %t : index
    } do {
    ^bb0(%i: index):
      %from = croq.subspan %x [8, 64] tile (%i, 0)
      croq.copy %from => %s
      croq.parallel (%r, %c) in (1, 64) : thread {
        croq.foreach %j in 8 {
          %v = croq.load %s[%j, %c]
          %w = arith.addf %v, %v : f32
          croq.store %w, %s[%j, %c]
        }
      }
      %odd = arith.andi %i, %two : index
      %zero = arith.constant 0 : index
      %is = arith.cmpi eq, %odd, %zero : index
      scf.if %is {
        %to = croq.subspan %y [8, 64] tile (%i, 0)
        croq.copy %s => %to
      }
      %next = arith.addi %i, %two : index
      scf.yield %next : index
    }
  }
}
