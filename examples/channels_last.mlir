// out[n, h, w, c] = in[n, c, h, w]: the channels of images become the inner dim, for any size and
// f16 elements. A tile has 32 channels of 4 rows of 32 pixels. Tiles at the end of a dim overhang
// the image: what is beyond reads as zero and is not written.
//
//   croq-run examples/channels_last.mlir --size B=2,C=40,H=17,W=70 --check

croq.kernel @channels_last dims(B, C, H, W) (
    %in: !croq.tile<[B]x[C]x[H]x[W]xf16, global>,
    %out: !croq.tile<[B]x[H]x[W]x[C]xf16, global>)
    attributes {reference = "out[b, h, w, c] = in[b, c, h, w]"} {
  %c_tiles = croq.cdiv C, 32
  %h_tiles = croq.cdiv H, 4
  %w_tiles = croq.cdiv W, 32
  croq.parallel (%bw, %bh, %i) in (%w_tiles, %h_tiles, B) : block threads 256 {
    %tile = croq.alloc : !croq.tile<1x32x4x32xf16, shared>
    croq.foreach %bc in %c_tiles {
      %from = croq.subspan %in [1, 32, 4, 32] tile (%i, %bc, %bh, %bw)
      %to = croq.subspan %out [1, 4, 32, 32] tile (%i, %bh, %bw, %bc)
      croq.copy %from => %tile
      croq.copy %tile => %to transpose(0, 2, 3, 1)
    }
  }
}
