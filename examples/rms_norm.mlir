// out[m, n] = in[m, n] / sqrt(mean(in[m, :]^2) + 1e-5) * weight[n], of f16, in f32: one row for each
// block, in pieces of BN columns. Elements beyond the end of a row are zero and add nothing.
//
//   croq-run examples/rms_norm.mlir --size M=1000,N=777 --check

croq.kernel @rms_norm dims(M, N) params(BN = 1024) (
    %in: !croq.tile<[M]x[N]xf16, global>,
    %weight: !croq.tile<[N]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>)
    attributes {reference = "s[m] mean= in[m, n] * in[m, n]; r[m] = rsqrt(s[m] + 0.00001); out[m, n] = in[m, n] * r[m] * weight[n]"} {
  %n_tiles = croq.cdiv N, BN
  croq.parallel (%m) in (M) : block threads 128 {
    %squares = croq.alloc : !croq.tile<1x[BN]xf32, shared>
    %part = croq.alloc : !croq.tile<1xf32, shared>
    %sum = croq.alloc : !croq.tile<1xf32, shared>
    %zero = arith.constant 0.0 : f32
    %eps = arith.constant 0.00001 : f32
    %n = croq.dim N
    %n_i = arith.index_cast %n : index to i32
    %n_f = arith.sitofp %n_i : i32 to f32
    croq.elementwise () => %sum {
      croq.yield %zero : f32
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [1, BN] tile (%m, %k)
      croq.elementwise (%e = %x) => %squares {
        %w = arith.extf %e : f16 to f32
        %y = arith.mulf %w, %w : f32
        croq.yield %y : f32
      }
      croq.reduce add %squares dim 1 => %part
      croq.elementwise (%s = %sum, %p = %part) => %sum {
        %y = arith.addf %s, %p : f32
        croq.yield %y : f32
      }
    }
    croq.elementwise (%s = %sum) => %sum {
      %mean = arith.divf %s, %n_f : f32
      %more = arith.addf %mean, %eps : f32
      %y = math.rsqrt %more : f32
      croq.yield %y : f32
    }
    croq.foreach %k in %n_tiles {
      %x = croq.subspan %in [1, BN] tile (%m, %k)
      %w = croq.subspan %weight [BN] tile (%k)
      %o = croq.subspan %out [1, BN] tile (%m, %k)
      croq.elementwise (%e = %x, %r = %sum along [0], %f = %w along [1]) => %o {
        %x32 = arith.extf %e : f16 to f32
        %w32 = arith.extf %f : f16 to f32
        %scaled = arith.mulf %x32, %r : f32
        %y = arith.mulf %scaled, %w32 : f32
        %z = arith.truncf %y : f32 to f16
        croq.yield %z : f16
      }
    }
  }
}
