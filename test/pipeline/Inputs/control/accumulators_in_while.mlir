// A product whose accumulator goes through a loop that ends on a condition.
croq.kernel @accumulators_in_while dims(K) (
    %x: !croq.tile<64x[K]xf16, global>,
    %y: !croq.tile<64x[K]xf16, global>,
    %z: !croq.tile<64x64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %xs = croq.alloc : !croq.tile<64x64xf16, shared>
    %ys = croq.alloc : !croq.tile<64x64xf16, shared>
    %zs = croq.alloc : !croq.tile<64x64xf32, shared>
    %steps = croq.cdiv K, 64
    %c0 = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %k, %c = scf.while (%t = %zero, %a = %c0) : (index, !croq.acc<64x64xf32>) -> (index, !croq.acc<64x64xf32>) {
      %more = arith.cmpi ult, %t, %steps : index
      scf.condition(%more) %t, %a : index, !croq.acc<64x64xf32>
    } do {
    ^bb0(%i: index, %a: !croq.acc<64x64xf32>):
      %xt = croq.subspan %x [64, 64] tile (0, %i)
      %yt = croq.subspan %y [64, 64] tile (0, %i)
      croq.copy %xt => %xs
      croq.copy %yt => %ys
      %odd = arith.andi %i, %one : index
      %is = arith.cmpi eq, %odd, %zero : index
      %d = scf.if %is -> (!croq.acc<64x64xf32>) {
        %e = croq.mma.exec row.row %a, %xs, %ys
        %f = croq.mma.commit %e
        %g = croq.mma.wait %f in_flight 0
        scf.yield %g : !croq.acc<64x64xf32>
      } else {
        scf.yield %a : !croq.acc<64x64xf32>
      }
      %next = arith.addi %i, %one : index
      scf.yield %next, %d : index, !croq.acc<64x64xf32>
    }
    croq.mma.store %c => %zs
    croq.copy %zs => %z
  }
}
