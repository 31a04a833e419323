// c = a + b: the tiles of a block are staged in shared memory, and each of its 256 threads adds
// one row piece of them.
//
//   croq-run examples/add.mlir --size M=1000,N=777 --check

croq.kernel @add dims(M, N) (
    %a: !croq.tile<[M]x[N]xf32, global>,
    %b: !croq.tile<[M]x[N]xf32, global>,
    %c: !croq.tile<[M]x[N]xf32, global>) attributes {reference = "c[m, n] = a[m, n] + b[m, n]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %a_s = croq.alloc : !croq.tile<64x32xf32, shared>
    %b_s = croq.alloc : !croq.tile<64x32xf32, shared>
    %a_t = croq.subspan %a [64, 32] tile (%bm, %bn)
    %b_t = croq.subspan %b [64, 32] tile (%bm, %bn)
    %c_t = croq.subspan %c [64, 32] tile (%bm, %bn)
    croq.copy %a_t => %a_s
    croq.copy %b_t => %b_s
    croq.parallel (%row, %col) in (8, 32) : thread {
      croq.foreach %i in 8 {
        %eight = arith.constant 8 : index
        %down = arith.muli %i, %eight : index
        %r = arith.addi %row, %down : index
        %x = croq.load %a_s[%r, %col]
        %y = croq.load %b_s[%r, %col]
        %z = arith.addf %x, %y : f32
        croq.store %z, %a_s[%r, %col]
      }
    }
    croq.copy %a_s => %c_t
  }
}
