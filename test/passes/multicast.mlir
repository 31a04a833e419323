// RUN: croq-opt --make-clusters{cluster=2x1} --warp-specialize --multicast %s | filecheck %s
// RUN: croq-opt --make-clusters{cluster=2x1} --warp-specialize --multicast --infer-layouts --select-engines %s | filecheck %s --check-prefix=ENGINES
// RUN: croq-opt --make-clusters{cluster=2x2} "--persist{blocks=8}" "--warp-specialize{mode=pingpong in_flight=1}" --multicast %s | filecheck %s --check-prefix=SQUARE
// RUN: croq-opt --make-clusters{cluster=1x4} --warp-specialize --multicast --overlap-epilogue %s | filecheck %s --check-prefix=ROW

// Two blocks that are neighbours in M need the same tiles of rhs: each loads half of the rows
// and sends it to both. lhs is loaded by each block for itself. A slot is written by both
// blocks, so that it is released, and given as a credit, to both. Nobody leaves before the
// other is done with it.

// CHECK:      croq.parallel ({{%.*}}, [[BN:%.*]]) in ({{%.*}}, {{%.*}}) : cluster {
// CHECK:        croq.parallel ([[I:%.*]], {{%.*}}) in (2, 1) : block {
// CHECK-NEXT:     [[FULL:%.*]] = croq.event : !croq.event<4>
// CHECK-NEXT:     [[EMPTY:%.*]] = croq.event : !croq.event<4>
// CHECK:          croq.role "producer"
// CHECK:            [[BM:%.*]] = arith.addi {{%.*}}, [[I]] : index
// CHECK:              croq.wait [[EMPTY]] at [[K:%.*]]
// CHECK:              [[A_S:%.*]] = croq.slot {{%.*}} at [[K]]
// CHECK-NEXT:         [[B_S:%.*]] = croq.slot {{%.*}} at [[K]]
// CHECK-NEXT:         [[A:%.*]] = croq.subspan %lhs [128, 64] tile ([[BM]], [[K]])
// CHECK-NEXT:         [[B:%.*]] = croq.subspan %rhs [64, 64] tile ([[BN]], [[K]])
// CHECK-NEXT:         [[F:%.*]] = croq.copy_async [[A]] => [[A_S]]{{$}}
// CHECK-NEXT:         [[MINE:%.*]] = croq.chunkat [[B]] [2, _] at ([[I]], _)
// CHECK-NEXT:         [[PART:%.*]] = croq.chunkat [[B_S]] [2, _] at ([[I]], _)
// CHECK-NEXT:         [[G:%.*]] = croq.copy_async [[MINE]] => [[PART]] multicast [0]
// CHECK-NEXT:         croq.trigger [[FULL]] at [[K]] after [[F]], [[G]]{{$}}
// CHECK:          croq.role "consumer"
// CHECK-NEXT:       croq.foreach [[S:%.*]] in 4 {
// CHECK-NEXT:         croq.trigger [[EMPTY]] at [[S]] multicast [0]
// CHECK:              croq.wait [[FULL]] at [[K:%.*]]
// CHECK:              croq.trigger [[EMPTY]] at [[K]] + 4 multicast [0]
// CHECK:            croq.copy
// CHECK-NEXT:     }
// CHECK-NEXT:     croq.barrier cluster
// CHECK-NEXT:   }

// ENGINES: croq.copy_async {{%.*}} => {{%.*}} engine(tma)
// ENGINES: croq.copy_async {{%.*}} => {{%.*}} engine(tma) multicast [0]

// In a cluster of 2x2 lhs is shared along the second index, rhs along the first. A slot is
// released to the writers of each by an event of their own; the producer waits for both. What
// an event says of its arrivals counts those of all blocks.
// SQUARE:      [[ALONG0:%.*]] = croq.event arrivals 8 : !croq.event<4>
// SQUARE-NEXT: [[ALONG1:%.*]] = croq.event arrivals 8 : !croq.event<4>
// SQUARE-NEXT: [[TURN:%.*]] = croq.event : !croq.event<2>
// SQUARE: croq.role "producer"
// SQUARE:   croq.wait [[ALONG0]] at [[O:%.*]]
// SQUARE:   croq.wait [[ALONG1]] at [[O]]
// SQUARE:   croq.chunkat {{%.*}} [2, _] at ([[J:%.*]], _)
// SQUARE:   croq.copy_async {{%.*}} => {{%.*}} multicast [1]
// SQUARE:   croq.chunkat {{%.*}} [2, _] at ([[I:%.*]], _)
// SQUARE:   croq.copy_async {{%.*}} => {{%.*}} multicast [0]
// SQUARE: croq.role "consumer0"
// SQUARE:   croq.trigger [[ALONG0]] at [[S:%.*]] multicast [0]
// SQUARE:   croq.trigger [[ALONG1]] at [[S]] multicast [1]
// SQUARE:   scf.if
// SQUARE:     croq.trigger [[ALONG0]] at [[O:%.*]] + 3 multicast [0]
// SQUARE:     croq.trigger [[ALONG1]] at [[O]] + 3 multicast [1]
// The order of turns is a matter of each block.
// SQUARE:   croq.trigger [[TURN]] at {{%.*}} + 1{{$}}

// Four blocks along N share lhs, a fourth of it each. rhs is everybody's own.
// ROW: croq.parallel ({{%.*}}, [[J:%.*]]) in (1, 4) : block {
// ROW:   croq.chunkat {{%.*}} [4, _] at ([[J]], _)
// ROW:   croq.copy_async {{%.*}} => {{%.*}} multicast [1]
// ROW:   croq.copy_async {{%.*}} => {{%.*}}{{$}}
// ROW:   croq.await_stores in_flight 0
// ROW-NEXT: }
// ROW-NEXT: croq.barrier cluster
croq.kernel @product dims(M, N multiple_of 8, K multiple_of 8) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {
  %ms = croq.cdiv M, 128
  %ns = croq.cdiv N, 64
  %ks = croq.cdiv K, 64
  croq.parallel (%m, %n) in (%ms, %ns) : block threads 256 {
    %a_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
    %acc = croq.foreach %k in %ks iter(%c = %zero) {
      %a = croq.subspan %lhs [128, 64] tile (%m, %k)
      %b = croq.subspan %rhs [64, 64] tile (%n, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x64xf32>
    }
    croq.mma.store %acc => %o_s
    %o = croq.subspan %out [128, 64] tile (%m, %n)
    croq.copy %o_s => %o
  }
}
