// dst = src, tile by tile through shared memory, by the 128 threads of a block.
//
//   croq-run examples/copy.mlir --size M=1000,N=777 --check

croq.kernel @copy dims(M, N) (
    %src: !croq.tile<[M]x[N]xf32, global>,
    %dst: !croq.tile<[M]x[N]xf32, global>) attributes {reference = "dst[m, n] = src[m, n]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 128 {
    %buffer = croq.alloc : !croq.tile<64x32xf32, shared>
    %from = croq.subspan %src [64, 32] tile (%bm, %bn)
    %to = croq.subspan %dst [64, 32] tile (%bm, %bn)
    croq.copy %from => %buffer
    croq.copy %buffer => %to
  }
}
