// Sorts the rows of x, a block for each: neighbours in the wrong order change places, first those
// at even places with the one after, then those at odd places, until none has moved.
//
// How often the loop runs depends on the data: it is a `scf.while` of the whole block, whose
// condition all threads read from shared memory. Each thread has one pair, by views of every
// second element, and notes whether it has moved. The barriers are those of `--insert-barriers`.
//
//   croq-run examples/sort_rows.mlir --size M=300

croq.kernel @sort_rows dims(M) (%x: !croq.tile<[M]x128xf32, global>) {
  croq.parallel (%b) in (M) : block {
    %row = croq.alloc : !croq.tile<128xf32, shared>
    %moved = croq.alloc : !croq.tile<64xi32, shared>
    %tile = croq.subspan %x [1, 128] tile (%b, 0)
    %line = croq.squeeze %tile [0]
    croq.copy %line => %row
    %even = croq.view %row [64] strides [2] from (0)
    %odd = croq.view %row [64] strides [2] from (1)
    %later = croq.view %row [63] strides [2] from (2)
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %last = scf.while (%again = %one) : (i32) -> i32 {
      %more = arith.cmpi ne, %again, %zero : i32
      scf.condition(%more) %again : i32
    } do {
    ^bb0(%before: i32):
      croq.parallel (%t) in (64) : thread {
        %a = croq.load %even[%t]
        %c = croq.load %odd[%t]
        %wrong = arith.cmpf ogt, %a, %c : f32
        %note = arith.select %wrong, %one, %zero : i32
        %low = arith.select %wrong, %c, %a : f32
        %high = arith.select %wrong, %a, %c : f32
        croq.store %low, %even[%t]
        croq.store %high, %odd[%t]
        croq.store %note, %moved[%t]
      }
      croq.parallel (%t) in (63) : thread {
        %a = croq.load %odd[%t]
        %c = croq.load %later[%t]
        %wrong = arith.cmpf ogt, %a, %c : f32
        %noted = croq.load %moved[%t]
        %note = arith.select %wrong, %one, %noted : i32
        %low = arith.select %wrong, %c, %a : f32
        %high = arith.select %wrong, %a, %c : f32
        croq.store %low, %odd[%t]
        croq.store %high, %later[%t]
        croq.store %note, %moved[%t]
      }
      %any = croq.foreach %i in 64 iter(%m = %zero) unroll 8 {
        %note = croq.load %moved[%i]
        %n = arith.ori %m, %note : i32
        croq.yield %n : i32
      }
      scf.yield %any : i32
    }
    croq.copy %row => %line
  }
}
