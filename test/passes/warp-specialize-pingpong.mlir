// RUN: croq-opt --warp-specialize{mode=pingpong\ in_flight=1} %s | filecheck %s
// RUN: croq-opt --warp-specialize{mode=pingpong\ in_flight=1} --infer-layouts --select-engines --verify-sync=undecided=error %s -o %t

// Two consumers of one warpgroup each take turns at the tiles of a block. Tile j has the
// orders 4 * j to 4 * j + 3 of the one ring, which the producer fills tile by tile. A
// consumer waits for its turn before the loop of a tile, and gives the turn on when the
// products of the loop are issued: it stores while the other multiplies. The buffer of the
// epilogue is copied, because two epilogues may overlap.
// CHECK: croq.kernel @tiles
croq.kernel @tiles (
    %lhs: !croq.tile<1920x256xf16, global>,
    %rhs: !croq.tile<64x256xf16, global>,
    %out: !croq.tile<1920x64xf16, global>) {
  // CHECK: croq.parallel ([[I:%.*]]) in (4) : block {
  croq.parallel (%i) in (4) : block {
    // Each slot is released by one warpgroup, 4 warps, whichever it is.
    // CHECK-NEXT: [[FULL:%.*]] = croq.event : !croq.event<4>
    // CHECK-NEXT: [[EMPTY:%.*]] = croq.event arrivals 4 : !croq.event<4>
    // CHECK-NEXT: [[TURN:%.*]] = croq.event : !croq.event<2>
    // CHECK-NEXT: [[AS:%.*]] = croq.alloc : !croq.tile<4x64x64xf16, shared>
    // CHECK-NEXT: [[BS:%.*]] = croq.alloc : !croq.tile<4x64x64xf16, shared>
    // CHECK-NEXT: [[OUT0:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT: [[OUT1:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared>
    %a_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT: croq.role "producer" warpgroups [0, 1) registers 40 {
    // CHECK:        croq.foreach [[J:%.*]] in [[N:%.*]] {
    // CHECK-NEXT:     [[FOUR:%.*]] = arith.constant 4 : index
    // CHECK-NEXT:     [[BASE:%.*]] = arith.muli [[J]], [[FOUR]] : index
    // CHECK:          croq.foreach [[K:%.*]] in 4 {
    // CHECK-NEXT:       [[ORDER:%.*]] = arith.addi [[BASE]], [[K]] : index
    // CHECK-NEXT:       croq.wait [[EMPTY]] at [[ORDER]]
    // CHECK:            croq.trigger [[FULL]] at [[ORDER]] after
    // CHECK: croq.role "consumer0" warpgroups [1, 2) registers 232 {
    // CHECK-NEXT:   croq.foreach [[S:%.*]] in 4 {
    // CHECK-NEXT:     croq.trigger [[EMPTY]] at [[S]]
    // CHECK:        croq.foreach [[J:%.*]] in {{%.*}} step 2 {
    // CHECK-NEXT:     [[FOUR:%.*]] = arith.constant 4 : index
    // CHECK-NEXT:     [[BASE:%.*]] = arith.muli [[J]], [[FOUR]] : index
    // CHECK:          croq.wait [[TURN]] at [[J]]
    // CHECK-NEXT:     [[ACC:%.*]] = croq.foreach [[K:%.*]] in 4 iter(
    // CHECK-NEXT:       [[ORDER:%.*]] = arith.addi [[BASE]], [[K]] : index
    // CHECK-NEXT:       croq.wait [[FULL]] at [[ORDER]]
    // CHECK:            croq.mma.wait {{%.*}} in_flight 1
    // The slot of the iteration before; before the first one it is of the other consumer.
    // CHECK:            [[LATER:%.*]] = arith.cmpi ne, [[K]], {{%.*}} : index
    // CHECK-NEXT:       scf.if [[LATER]] {
    // CHECK-NEXT:         croq.trigger [[EMPTY]] at [[ORDER]] + 3
    // CHECK-NEXT:       }
    // CHECK-NEXT:       croq.yield
    // CHECK-NEXT:     }
    // CHECK-NEXT:     croq.trigger [[TURN]] at [[J]] + 1
    // CHECK-NEXT:     [[ALL:%.*]] = croq.mma.wait [[ACC]] in_flight 0
    // CHECK:          [[END:%.*]] = arith.addi [[BASE]], {{%.*}} : index
    // CHECK:            croq.trigger [[EMPTY]] at [[END]] + 3
    // CHECK:          croq.mma.store [[ALL]] => [[OUT0]]
    // CHECK: croq.role "consumer1" warpgroups [2, 3) registers 232 {
    // CHECK-NEXT:   croq.trigger [[TURN]] at 0
    // CHECK:        croq.foreach [[J:%.*]] in 1 to {{%.*}} step 2 {
    // CHECK:          croq.wait [[TURN]] at [[J]]
    // CHECK:          croq.trigger [[TURN]] at [[J]] + 1
    // CHECK:          croq.mma.store {{%.*}} => [[OUT1]]
    croq.foreach %t in %i to 30 step 4 {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %acc = croq.foreach %k in 4 iter(%c = %zero) {
        %a = croq.subspan %lhs [64, 64] tile (%t, %k)
        %b = croq.subspan %rhs [64, 64] tile (0, %k)
        croq.copy %a => %a_s
        croq.copy %b => %b_s
        %c1 = croq.mma.exec row.row %c, %a_s, %b_s
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [64, 64] tile (%t, 0)
      croq.copy %o_s => %o
    }
  }
}
