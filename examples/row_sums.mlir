// sums[m] = the sum of row m: tiles of 64 rows and 32 columns go through two buffers, and each
// thread adds up one row. The copy of the next tile comes before the sums of the current one, so
// that its loads overlap with them.
//
// The ops of a block are sequential: the next copy fills the buffer whose rows were just added up.
// Its threads are not, so `--insert-barriers` puts one barrier in an iteration; without it
// `--verify-sync` and the simulator report the race.
//
//   croq-run examples/row_sums.mlir --size M=1000,K=777 --check

croq.kernel @row_sums dims(M, K) (
    %in: !croq.tile<[M]x[K]xf32, global>,
    %sums: !croq.tile<[M]xf32, global>) attributes {reference = "sums[m] += in[m, k]"} {
  %m_tiles = croq.cdiv M, 64
  %k_tiles = croq.cdiv K, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %ring = croq.alloc : !croq.tile<2x64x32xf32, shared>
    %sums_s = croq.alloc : !croq.tile<64xf32, shared>
    croq.parallel (%row) in (64) : thread {
      %zero = arith.constant 0.0 : f32
      croq.store %zero, %sums_s[%row]
    }
    %zeroth = arith.constant 0 : index
    %first = croq.subspan %in [64, 32] tile (%bm, %zeroth)
    %first_s = croq.slot %ring at 0
    croq.copy %first => %first_s
    croq.foreach %k in %k_tiles {
      %one = arith.constant 1 : index
      %after = arith.addi %k, %one : index
      %next = croq.subspan %in [64, 32] tile (%bm, %after)
      %next_s = croq.slot %ring at %k + 1
      croq.copy %next => %next_s
      %tile = croq.slot %ring at %k
      croq.parallel (%row) in (64) : thread {
        %before = croq.load %sums_s[%row]
        %sum = croq.foreach %col in 32 iter(%s = %before) {
          %x = croq.load %tile[%row, %col]
          %t = arith.addf %s, %x : f32
          croq.yield %t : f32
        }
        croq.store %sum, %sums_s[%row]
      }
    }
    %out = croq.subspan %sums [64] tile (%bm)
    croq.copy %sums_s => %out
  }
}
