// dst = src through a buffer of ROWS KiB in shared memory: what a larger buffer costs in blocks
// on a multiprocessor. The occupancy needs no device.
//
//   croq-run examples/occupancy_probe.mlir --resources
//   croq-run examples/occupancy_probe.mlir --resources --param ROWS=64
//   croq-run examples/occupancy_probe.mlir --resources --param ROWS=64 --target sm_80
//   croq-run examples/occupancy_probe.mlir --size M=1000,N=777 --check
//
// Registers: `--param BN=64`, 128 and 256 of examples/matmul.mlir, whose threads hold 32, 64
// and 128 sums. `benchmarks/multiprocessor.py` times both on a device (docs/occupancy.md).

croq.kernel @occupancy_probe dims(M, N) params(ROWS = 8) (
    %src: !croq.tile<[M]x[N]xf32, global>,
    %dst: !croq.tile<[M]x[N]xf32, global>) attributes {reference = "dst[m, n] = src[m, n]"} {
  %m_tiles = croq.cdiv M, ROWS
  %n_tiles = croq.cdiv N, 256
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    %buffer = croq.alloc : !croq.tile<[ROWS]x256xf32, shared>
    %from = croq.subspan %src [ROWS, 256] tile (%bm, %bn)
    %to = croq.subspan %dst [ROWS, 256] tile (%bm, %bn)
    croq.copy %from => %buffer
    croq.copy %buffer => %to
  }
}
