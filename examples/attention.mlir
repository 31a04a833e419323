// out[h, :, :] = softmax(scale * q[h] * k[h]^T) * v[h] for each head h: rows of q against all rows of k
// and v, without the matrix of scores in global memory (online softmax, as in flash attention).
//
// Two products are chained. The scores of a tile of keys are an accumulator; exp(score - maximum) of
// them goes through shared memory to be the first operand of the second product. %top has the maximum
// of each row so far, %sum its sum of exp(score - maximum); when the maximum grows, sum and
// accumulator are scaled. Keys beyond the end count as -inf.
//
// One block has BM queries of a head. --warp-specialize makes a role that loads keys and values ahead,
// and one or two warpgroups that multiply:
//
//   croq-run examples/attention.mlir --size H=8,M=1024,N=1024 --scalar scale=0.125 --check
//   croq-run examples/attention.mlir --param D=128 --size H=8,M=1000,N=777 --scalar scale=0.088 --check
//   croq-run examples/attention.mlir --schedule 'bind-params{BM=128},warp-specialize{stages=2}' --check

croq.kernel @attention dims(H, M, N) params(BM = 64, BN = 64, D = 64) (
    %scale: f32,
    %q: !croq.tile<[H]x[M]x[D]xf16, global>,
    %k: !croq.tile<[H]x[N]x[D]xf16, global>,
    %v: !croq.tile<[H]x[N]x[D]xf16, global>,
    %out: !croq.tile<[H]x[M]x[D]xf16, global>)
    attributes {reference = "s[h, m, n] += q[h, m, d] * k[h, n, d]; t[h, m] max= scale * s[h, m, n]; e[h, m, n] = exp(scale * s[h, m, n] - t[h, m]); z[h, m] += e[h, m, n]; o[h, m, d] += e[h, m, n] * v[h, n, d]; out[h, m, d] = o[h, m, d] / z[h, m]"} {
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, BN
  croq.parallel (%bm, %h) in (%m_tiles, H) : block threads 128 {
    %q_s = croq.alloc : !croq.tile<[BM]x[D]xf16, shared>
    %k_s = croq.alloc : !croq.tile<[BN]x[D]xf16, shared>
    %v_s = croq.alloc : !croq.tile<[BN]x[D]xf16, shared>
    %p_s = croq.alloc : !croq.tile<[BM]x[BN]xf16, shared>
    %o_s = croq.alloc : !croq.tile<[BM]x[D]xf16, shared>
    %top = croq.alloc : !croq.tile<[BM]xf32, shared>
    %new = croq.alloc : !croq.tile<[BM]xf32, shared>
    %sum = croq.alloc : !croq.tile<[BM]xf32, shared>
    %part = croq.alloc : !croq.tile<[BM]xf32, shared>
    %factor = croq.alloc : !croq.tile<[BM]xf32, shared>
    %n = croq.dim N
    %bn = croq.dim BN
    %minus_inf = arith.constant 0xFF800000 : f32
    %q_3 = croq.subspan %q [1, BM, D] tile (%h, %bm, 0)
    %q_t = croq.squeeze %q_3 [0]
    croq.copy %q_t => %q_s
    croq.fill %top, -inf
    croq.fill %sum, 0.0
    %zero = croq.mma.fill 0.0 : !croq.acc<[BM]x[D]xf32>
    %o = croq.foreach %j in %n_tiles iter(%acc = %zero) {
      %k_3 = croq.subspan %k [1, BN, D] tile (%h, %j, 0)
      %k_t = croq.squeeze %k_3 [0]
      %v_3 = croq.subspan %v [1, BN, D] tile (%h, %j, 0)
      %v_t = croq.squeeze %v_3 [0]
      croq.copy %k_t => %k_s
      croq.copy %v_t => %v_s
      %none = croq.mma.fill 0.0 : !croq.acc<[BM]x[BN]xf32>
      %s1 = croq.mma.exec row.row %none, %q_s, %k_s
      %s2 = croq.mma.commit %s1
      %s3 = croq.mma.wait %s2 in_flight 0
      %first = arith.muli %j, %bn : index
      %s = croq.elementwise (%x = %s3) at (%r, %c) -> !croq.acc<[BM]x[BN]xf32> {
        %col = arith.addi %first, %c : index
        %is_in = arith.cmpi ult, %col, %n : index
        %scaled = arith.mulf %x, %scale : f32
        %y = arith.select %is_in, %scaled, %minus_inf : f32
        croq.yield %y : f32
      }
      croq.reduce max %s dim 1 => %new
      croq.elementwise (%a = %new, %b = %top) => %new {
        %y = arith.maxnumf %a, %b : f32
        croq.yield %y : f32
      }
      %p = croq.elementwise (%x = %s, %m = %new along [0]) -> !croq.acc<[BM]x[BN]xf32> {
        %d = arith.subf %x, %m : f32
        %y = math.exp %d : f32
        croq.yield %y : f32
      }
      croq.reduce add %p dim 1 => %part
      croq.mma.store %p => %p_s
      croq.elementwise (%b = %top, %m = %new) => %factor {
        %d = arith.subf %b, %m : f32
        %y = math.exp %d : f32
        croq.yield %y : f32
      }
      croq.elementwise (%t = %sum, %f = %factor, %more = %part) => %sum {
        %y = math.fma %t, %f, %more : f32
        croq.yield %y : f32
      }
      croq.elementwise (%m = %new) => %top {
        croq.yield %m : f32
      }
      %acc1 = croq.elementwise (%x = %acc, %f = %factor along [0]) -> !croq.acc<[BM]x[D]xf32> {
        %y = arith.mulf %x, %f : f32
        croq.yield %y : f32
      }
      %acc2 = croq.mma.exec row.col %acc1, %p_s, %v_s
      %acc3 = croq.mma.commit %acc2
      %acc4 = croq.mma.wait %acc3 in_flight 0
      croq.yield %acc4 : !croq.acc<[BM]x[D]xf32>
    }
    %r = croq.elementwise (%x = %o, %t = %sum along [0]) -> !croq.acc<[BM]x[D]xf32> {
      %y = arith.divf %x, %t fastmath<arcp> : f32
      croq.yield %y : f32
    }
    croq.mma.store %r => %o_s
    %out_3 = croq.subspan %out [1, BM, D] tile (%h, %bm, 0)
    %out_t = croq.squeeze %out_3 [0]
    croq.copy %o_s => %out_t
  }
}
