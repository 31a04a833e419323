// RUN: croq-opt --verify-sync --verify-diagnostics %s
// RUN: croq-opt --verify-sync{undecided=error} %s | filecheck %s
// RUN: croq-opt --bind-dims{M=4096\ N=4096\ K=4096} --bind-params{BN=192} --persist{order=grouped} --warp-specialize{stages=5\ mode=pingpong} --infer-layouts --select-engines --verify-sync{undecided=error\ events=12000} %S/../../examples/matmul.mlir -o %t
// RUN: croq-opt --bind-params{BN=128} --persist{order=grouped} --warp-specialize{stages=3\ mode=pingpong} --infer-layouts --select-engines --verify-sync{undecided=error\ events=100000} %S/../../examples/matmul.mlir -o %t

// Nothing changes, and what is proved passes without a word.

// CHECK-LABEL: croq.kernel @ring
// CHECK:         croq.role "producer"
// CHECK:         croq.role "consumer"
croq.kernel @ring dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %tiles = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<3>
    %empty = croq.event : !croq.event<3>
    %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
    croq.role "producer" warps [0, 1) {
      croq.foreach %k in %tiles {
        croq.wait %empty at %k
        %t = croq.subspan %x [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "consumer" warps [1, 2) {
      croq.foreach %s in 3 {
        croq.trigger %empty at %s
      }
      croq.foreach %k in %tiles {
        croq.wait %full at %k
        %t = croq.subspan %y [32, 32] tile (%i, %k)
        %s = croq.slot %a at %k
        croq.copy %s => %t engine(tma)
        croq.trigger %empty at %k + 3
      }
    }
  }
}

// A launch decides how often a loop runs; a condition on its bounds is about the same number.
croq.kernel @some_tile dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  croq.parallel (%b) in (3) : block {
    %done = croq.event : !croq.event<1>
    %tile = croq.alloc : !croq.tile<16x16xf32, shared>
    %zero = arith.constant 0 : index
    %all = arith.muli %m_tiles, %n_tiles : index
    %runs = arith.cmpi ugt, %all, %zero : index
    croq.role "loader" warpgroups [0, 1) {
      croq.foreach %i in %all {
        %from = croq.subspan %x [16, 16] tile (0, %i)
        croq.copy %from => %tile engine(threads)
      }
      scf.if %runs {
        croq.trigger %done at 0
      }
    }
    croq.role "writer" warpgroups [1, 2) {
      scf.if %runs {
        croq.wait %done at 0
        %to = croq.subspan %y [16, 16] tile (%b, 0)
        croq.copy %tile => %to engine(threads)
      }
    }
  }
}

croq.kernel @some_turn dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  croq.parallel (%b) in (3) : block {
    %done = croq.event : !croq.event<1>
    %tile = croq.alloc : !croq.tile<16x16xf32, shared>
    %zero = arith.constant 0 : index
    %all = arith.muli %m_tiles, %n_tiles : index
    %runs = arith.cmpi ult, %b, %n_tiles : index
    croq.role "loader" warpgroups [0, 1) {
      croq.foreach %i in %b to %n_tiles step 3 {
        %from = croq.subspan %x [16, 16] tile (0, %i)
        croq.copy %from => %tile engine(threads)
      }
      scf.if %runs {
        croq.trigger %done at 0
      }
    }
    croq.role "writer" warpgroups [1, 2) {
      scf.if %runs {
        croq.wait %done at 0
        %to = croq.subspan %y [16, 16] tile (%b, 0)
        croq.copy %tile => %to engine(threads)
      }
    }
  }
}
