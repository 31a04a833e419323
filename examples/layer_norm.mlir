// out[m, :] = (in[m, :] - mean) * rstd * weight + bias of f16, in f32: one row for each block, in pieces
// of BN columns. The mean and rstd = 1 / sqrt(variance + 1e-5) of each row are results, too, as the
// gradient needs them.
//
// Three passes over the row: its sum, the squares of the distances to the mean (which a sum of squares
// would lose digits of), the result. Columns beyond the end are zero, and are left out of the squares.
//
//   croq-run examples/layer_norm.mlir --size M=1000,N=777 --check

croq.kernel @layer_norm dims(M, N) params(BN = 1024) (
    %in: !croq.tile<[M]x[N]xf16, global>,
    %weight: !croq.tile<[N]xf16, global>,
    %bias: !croq.tile<[N]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>,
    %mean: !croq.tile<[M]xf32, global>,
    %rstd: !croq.tile<[M]xf32, global>)
    attributes {reference = "u[m] mean= in[m, n]; c[m, n] = in[m, n] - u[m]; v[m] mean= c[m, n] * c[m, n]; r[m] = rsqrt(v[m] + 0.00001); out[m, n] = c[m, n] * r[m] * weight[n] + bias[n]; mean[m] = u[m]; rstd[m] = r[m]"} {
  %n_tiles = croq.cdiv N, BN
  croq.parallel (%m) in (M) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<1x[BN]xf32, shared>
    %part = croq.alloc : !croq.tile<1xf32, shared>
    %u = croq.alloc : !croq.tile<1xf32, shared>
    %r = croq.alloc : !croq.tile<1xf32, shared>
    %zero = arith.constant 0.0 : f32
    %eps = arith.constant 0.00001 : f32
    %n = croq.dim N
    %n_i = arith.index_cast %n : index to i32
    %n_f = arith.sitofp %n_i : i32 to f32
    %bn = croq.dim BN
    croq.fill %u, 0.0
    croq.fill %r, 0.0
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [1, BN] tile (%m, %k)
      croq.reduce add %x dim 1 => %part
      croq.elementwise (%s = %u, %p = %part) => %u {
        %y = arith.addf %s, %p : f32
        croq.yield %y : f32
      }
    }
    croq.elementwise (%s = %u) => %u {
      %y = arith.divf %s, %n_f : f32
      croq.yield %y : f32
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [1, BN] tile (%m, %k)
      %first = arith.muli %k, %bn : index
      croq.elementwise (%e = %x, %s = %u along [0]) at (%i, %j) => %x_s {
        %col = arith.addi %first, %j : index
        %is_in = arith.cmpi ult, %col, %n : index
        %w = arith.extf %e : f16 to f32
        %d = arith.subf %w, %s : f32
        %sq = arith.mulf %d, %d : f32
        %y = arith.select %is_in, %sq, %zero : f32
        croq.yield %y : f32
      }
      croq.reduce add %x_s dim 1 => %part
      croq.elementwise (%s = %r, %p = %part) => %r {
        %y = arith.addf %s, %p : f32
        croq.yield %y : f32
      }
    }
    croq.elementwise (%s = %r) => %r {
      %v = arith.divf %s, %n_f : f32
      %more = arith.addf %v, %eps : f32
      %y = math.rsqrt %more : f32
      croq.yield %y : f32
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [1, BN] tile (%m, %k)
      %w = croq.subspan %weight [BN] tile (%k)
      %b = croq.subspan %bias [BN] tile (%k)
      %o = croq.subspan %out [1, BN] tile (%m, %k)
      croq.elementwise (%e = %x, %mu = %u along [0], %rs = %r along [0], %f = %w along [1], %g = %b along [1]) => %o {
        %x32 = arith.extf %e : f16 to f32
        %w32 = arith.extf %f : f16 to f32
        %b32 = arith.extf %g : f16 to f32
        %c = arith.subf %x32, %mu : f32
        %scaled = arith.mulf %c, %rs : f32
        %y = math.fma %scaled, %w32, %b32 : f32
        %z = arith.truncf %y : f32 to f16
        croq.yield %z : f16
      }
    }
    %mean_t = croq.subspan %mean [1] tile (%m)
    %rstd_t = croq.subspan %rstd [1] tile (%m)
    croq.copy %u => %mean_t
    croq.copy %r => %rstd_t
  }
}
