// counts[v] += the number of elements of in that are v, for values from 0 to 255: each block counts
// a tile in shared memory, then adds what it has counted to the counts of all.
//
// Threads meet in single elements, so that they update them atomically: among the threads of a
// block with scope cta, among all blocks with scope gpu. Nothing else is ordered by it (relaxed);
// the barriers around the first phase come from `--insert-barriers`.
//
//   croq-run examples/histogram.mlir --size N=100000

croq.kernel @histogram dims(N) (
    %in: !croq.tile<[N]xi32, global>,
    %counts: !croq.tile<256xi32, global>) {
  %tiles = croq.cdiv N, 1024
  croq.parallel (%b) in (%tiles) : block threads 256 {
    %local = croq.alloc : !croq.tile<256xi32, shared>
    %n = croq.dim N
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    croq.parallel (%t) in (256) : thread {
      croq.store %zero, %local[%t]
    }
    croq.parallel (%t) in (256) : thread {
      croq.foreach %i in 4 {
        %size = arith.constant 1024 : index
        %step = arith.constant 256 : index
        %first = arith.muli %b, %size : index
        %down = arith.muli %i, %step : index
        %row = arith.addi %first, %down : index
        %at = arith.addi %row, %t : index
        %inside = arith.cmpi slt, %at, %n : index
        scf.if %inside {
          %v = croq.load %in[%at]
          %bin = arith.index_cast %v : i32 to index
          croq.atomic add %one, %local[%bin] order(relaxed) scope(cta)
        }
      }
    }
    croq.parallel (%t) in (256) : thread {
      %c = croq.load %local[%t]
      %some = arith.cmpi ne, %c, %zero : i32
      scf.if %some {
        croq.atomic add %c, %counts[%t] order(relaxed) scope(gpu)
      }
    }
  }
}
