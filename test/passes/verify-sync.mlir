// RUN: croq-opt --verify-sync --verify-diagnostics %s
// RUN: croq-opt --verify-sync{undecided=error} %s | filecheck %s
// RUN: croq-opt --bind-dims{M=4096\ N=4096\ K=4096} --bind-params{BN=192} --persist{order=grouped} --warp-specialize{stages=5\ mode=pingpong} --infer-layouts --select-engines --verify-sync{undecided=error\ events=12000} %S/../../examples/matmul.mlir -o %t
// RUN: croq-opt --bind-params{BN=128} --persist{order=grouped} --warp-specialize{stages=3\ mode=pingpong} --infer-layouts --select-engines --verify-sync{undecided=error\ events=60000} %S/../../examples/matmul.mlir -o %t

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
