// out[n, m] = in[m, n], by tiles of 64 x 32 through shared memory, for any size.
//
// The rows of a tile are read as they are, and written along its columns. `--infer-layouts` gives
// the buffer a swizzled layout, so that the elements of a column are in different banks; the
// threads of a warp store patches of 32 bytes along the rows of the output.
//
//   croq-run examples/transpose.mlir --size M=1000,N=777 --check

croq.kernel @transpose dims(M, N) (
    %in: !croq.tile<[M]x[N]xf32, global>,
    %out: !croq.tile<[N]x[M]xf32, global>) attributes {reference = "out[n, m] = in[m, n]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    %tile = croq.alloc : !croq.tile<64x32xf32, shared>
    %from = croq.subspan %in [64, 32] tile (%bm, %bn)
    %to = croq.subspan %out [32, 64] tile (%bn, %bm)
    croq.copy %from => %tile
    croq.copy %tile => %to transpose(1, 0)
  }
}
