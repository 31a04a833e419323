// dst[m, n] = the mean of the 3 x 3 elements of src around it; src has a border of one element.
//
// Tiles of src overlap: they have 18 x 66 elements and are 16 x 64 elements apart. A block loads
// one, and its 8 warps of 32 threads make 16 x 64 means of it, by a 16 x 64 window of the tile for
// each of the nine places. A thread has every 8th row and every 32nd column: in a view with these
// strides its elements are neighbours, and the loops over the nine places are unrolled by three.
//
//   croq-run examples/box_blur.mlir --size M=998,N=775,P=1000,Q=777

croq.kernel @box_blur dims(P, Q, M, N) (
    %src: !croq.tile<[P]x[Q]xf32, global>,
    %dst: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %src_s = croq.alloc : !croq.tile<18x66xf32, shared>
    %dst_s = croq.alloc : !croq.tile<16x64xf32, shared>
    %src_t = croq.subspan %src [18, 66] step [16, 64] tile (%bm, %bn)
    croq.copy %src_t => %src_s
    croq.parallel (%w) in (8) : warp {
      croq.parallel (%t) in (32) : thread {
        %zero = arith.constant 0.0 : f32
        %ninth = arith.constant 0.111111111 : f32
        %mine = croq.view %dst_s [2, 2] strides [8, 32] from (%w, %t)
        croq.foreach (%i, %j) in (2, 2) {
          %sum = croq.foreach (%di, %dj) in (3, 3) iter(%s = %zero) unroll 3 {
            %shifted = croq.view %src_s [16, 64] from (%di, %dj)
            %around = croq.view %shifted [2, 2] strides [8, 32] from (%w, %t)
            %x = croq.load %around[%i, %j]
            %u = arith.addf %s, %x : f32
            croq.yield %u : f32
          }
          %mean = arith.mulf %sum, %ninth : f32
          croq.store %mean, %mine[%i, %j]
        }
      }
    }
    %dst_t = croq.subspan %dst [16, 64] tile (%bm, %bn)
    croq.copy %dst_s => %dst_t
  }
}
