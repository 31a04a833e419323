// A loop that ends on a condition carries futures, and one in it elements of registers.
croq.kernel @registers_and_futures_in_while dims(N) (
    %x: !croq.tile<[N]x64xi32, global>,
    %y: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %buffer = croq.alloc : !croq.tile<1x64xi32, shared>
    %sum = croq.alloc : !croq.tile<1xi32, register>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rows = croq.dim N
    croq.parallel (%t) in (64) : thread {
      croq.fill %sum, 0
    }
    %start = croq.subspan %x [1, 64] tile (0, 0)
    %first = croq.copy_async %start => %buffer engine(threads)
    %other = croq.any : !croq.future<!croq.tile<1x64xi32, shared>>
    %end:3 = scf.while (%f = %first, %g = %other, %i = %one) : (!croq.future<!croq.tile<1x64xi32, shared>>, !croq.future<!croq.tile<1x64xi32, shared>>, index) -> (!croq.future<!croq.tile<1x64xi32, shared>>, !croq.future<!croq.tile<1x64xi32, shared>>, index) {
      %more = arith.cmpi ult, %i, %rows : index
      scf.condition(%more) %f, %g, %i : !croq.future<!croq.tile<1x64xi32, shared>>, !croq.future<!croq.tile<1x64xi32, shared>>, index
    } do {
    ^bb0(%f: !croq.future<!croq.tile<1x64xi32, shared>>, %g: !croq.future<!croq.tile<1x64xi32, shared>>, %i: index):
      %row = croq.subspan %x [1, 64] tile (%i, 0)
      %ahead = croq.data %g
      %h = croq.copy_async %row => %ahead engine(threads)
      croq.await %f
      %now = croq.data %f
      croq.parallel (%t) in (64) : thread {
        %v = croq.load %now[0, %t]
        %s = croq.load %sum[0]
        %u = arith.addi %s, %v : i32
        croq.store %u, %sum[0]
      }
      %p, %q = croq.swap %f, %h
      %next = arith.addi %i, %one : index
      scf.yield %p, %q, %next : !croq.future<!croq.tile<1x64xi32, shared>>, !croq.future<!croq.tile<1x64xi32, shared>>, index
    }
    croq.await %end#0
    %last = croq.data %end#0
    croq.parallel (%t) in (64) : thread {
      %v = croq.load %last[0, %t]
      %s = croq.load %sum[0]
      %u = arith.addi %s, %v : i32
      croq.store %u, %y[%t]
    }
  }
}
