// out[m, :] = softmax(in[m, :]) of rows of any length: BM rows at a time, in pieces of BN columns.
//
// One pass over the row keeps its maximum so far and the sum of exp(x - maximum), which is scaled
// when the maximum grows; a second one writes exp(x - maximum) / sum. Columns beyond the end of a
// row count as -inf.
//
//   croq-run examples/softmax.mlir --size M=1000,N=777 --check

croq.kernel @softmax dims(M, N) params(BM = 4, BN = 1024) (
    %in: !croq.tile<[M]x[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "t[m] max= in[m, n]; e[m, n] = exp(in[m, n] - t[m]); s[m] += e[m, n]; out[m, n] = e[m, n] / s[m]"} {
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, BN
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<[BM]x[BN]xf32, shared>
    %top_s = croq.alloc : !croq.tile<[BM]xf32, shared>
    %new_s = croq.alloc : !croq.tile<[BM]xf32, shared>
    %sum_s = croq.alloc : !croq.tile<[BM]xf32, shared>
    %more_s = croq.alloc : !croq.tile<[BM]xf32, shared>
    %n = croq.dim N
    %bn = croq.dim BN
    %zero = arith.constant 0.0 : f32
    %minus_inf = arith.constant 0xFF800000 : f32
    croq.elementwise () => %top_s {
      croq.yield %minus_inf : f32
    }
    croq.elementwise () => %sum_s {
      croq.yield %zero : f32
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [BM, BN] tile (%bm, %k)
      croq.copy %x => %x_s
      %first = arith.muli %k, %bn : index
      croq.elementwise (%e = %x_s) at (%i, %j) => %x_s {
        %col = arith.addi %first, %j : index
        %is_in = arith.cmpi ult, %col, %n : index
        %y = arith.select %is_in, %e, %minus_inf : f32
        croq.yield %y : f32
      }
      croq.reduce max %x_s dim 1 => %new_s
      croq.elementwise (%new = %new_s, %top = %top_s) => %new_s {
        %y = arith.maxnumf %new, %top : f32
        croq.yield %y : f32
      }
      croq.elementwise (%e = %x_s, %new = %new_s along [0]) => %x_s {
        %d = arith.subf %e, %new : f32
        %y = math.exp %d : f32
        croq.yield %y : f32
      }
      croq.reduce add %x_s dim 1 => %more_s
      croq.elementwise (%sum = %sum_s, %more = %more_s, %top = %top_s, %new = %new_s) => %sum_s {
        %d = arith.subf %top, %new : f32
        %scale = math.exp %d : f32
        %scaled = arith.mulf %sum, %scale : f32
        %y = arith.addf %scaled, %more : f32
        croq.yield %y : f32
      }
      croq.elementwise (%new = %new_s) => %top_s {
        croq.yield %new : f32
      }
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [BM, BN] tile (%bm, %k)
      %o = croq.subspan %out [BM, BN] tile (%bm, %k)
      croq.elementwise (%e = %x, %top = %top_s along [0], %sum = %sum_s along [0]) => %o {
        %d = arith.subf %e, %top : f32
        %y = math.exp %d : f32
        %z = arith.divf %y, %sum fastmath<arcp> : f32
        croq.yield %z : f32
      }
    }
  }
}
