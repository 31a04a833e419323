// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Buffers, copies and their futures.

// Buffers, copies and their futures.

// CHECK:       croq.kernel @movement dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>) {
croq.kernel @movement dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared>
    // GENERIC:     "croq.alloc"() : () -> !croq.tile<64x64xf16, shared>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT:  croq.alloc {note} : !croq.tile<[S]x8x16xf32, shared, row_major>
    %n = croq.alloc {note} : !croq.tile<[S]x8x16xf32, shared, row_major>
    // CHECK-NEXT:  [[BARS:%.*]] = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %bars = croq.alloc : !croq.tile<4xi64, shared, row_major>
    // CHECK-NEXT:  [[S:%.*]] = croq.subspan %t [64, 64] tile ([[B:%.*]], 0)
    %s = croq.subspan %t [64, 64] tile (%b, 0)
    // CHECK-NEXT:  croq.copy [[S]] => [[A]]{{$}}
    // GENERIC:     "croq.copy"({{%.*}}, {{%.*}}) <{engine = #croq<engine auto>}> : (!croq.tile<64x64xf16, global>, !croq.tile<64x64xf16, shared>) -> ()
    croq.copy %s => %a
    // CHECK-NEXT:  croq.copy [[S]] => [[A]]{{$}}
    croq.copy %s => %a engine(auto)
    // CHECK-NEXT:  croq.copy [[S]] => [[A]] engine(threads) {note}
    croq.copy %s => %a engine(threads) {note}
    // CHECK-NEXT:  croq.copy [[A]] => [[A]] engine(threads)
    croq.copy %a => %a engine(threads)
    // CHECK-NEXT:  croq.copy [[S]] => [[A]] engine(cp_async)
    croq.copy %s => %a engine(cp_async)
    // CHECK-NEXT:  [[F:%.*]] = croq.copy_async [[S]] => [[A]]{{$}}
    // GENERIC:     "croq.copy_async"({{%.*}}, {{%.*}}) <{engine = #croq<engine auto>}> : (!croq.tile<64x64xf16, global>, !croq.tile<64x64xf16, shared>) -> !croq.future<!croq.tile<64x64xf16, shared>>
    %f = croq.copy_async %s => %a
    // CHECK-NEXT:  [[P:%.*]] = croq.address [[BARS]][0] : !llvm.ptr<3>
    %p = croq.address %bars[0] : !llvm.ptr<3>
    // CHECK-NEXT:  croq.copy_async [[S]] => [[A]] engine(tma) completes [[P]] : !llvm.ptr<3> {note}
    // GENERIC:     "croq.copy_async"({{%.*}}, {{%.*}}, {{%.*}}) <{engine = #croq<engine tma>}>
    %g = croq.copy_async %s => %a engine(tma) completes %p : !llvm.ptr<3> {note}
    // CHECK-NEXT:  [[H:%.*]] = croq.copy_async [[A]] => [[S]] engine(tma) {note}
    // GENERIC:     -> !croq.future<!croq.tile<64x64xf16, global>>
    %h = croq.copy_async %a => %s engine(tma) {note}
    // CHECK-NEXT:  croq.await [[F]]{{$}}
    // GENERIC:     "croq.await"({{%.*}}) : (!croq.future<!croq.tile<64x64xf16, shared>>) -> ()
    croq.await %f
    // CHECK-NEXT:  croq.await [[H]] read {note}
    // GENERIC:     "croq.await"({{%.*}}) <{read}> {note} : (!croq.future<!croq.tile<64x64xf16, global>>) -> ()
    croq.await %h read {note}
    // CHECK-NEXT:  croq.await_stores in_flight 0{{$}}
    // GENERIC:     "croq.await_stores"() <{in_flight = #builtin.int<0>}> : () -> ()
    croq.await_stores in_flight 0
    // CHECK-NEXT:  croq.await_stores in_flight 7 read {note}
    // GENERIC:     "croq.await_stores"() <{in_flight = #builtin.int<7>, read}> {note} : () -> ()
    croq.await_stores in_flight 7 read {note}
    // CHECK-NEXT:  [[D:%.*]] = croq.data [[F]] {note}
    // GENERIC:     "croq.data"({{%.*}}) {note} : (!croq.future<!croq.tile<64x64xf16, shared>>) -> !croq.tile<64x64xf16, shared>
    %d = croq.data %f {note}
    // CHECK-NEXT:  croq.copy [[D]] => [[A]] engine(threads)
    croq.copy %d => %a engine(threads)
  }
}

// CHECK-LABEL: croq.kernel @rearranging
croq.kernel @rearranging dims(M) (%t: !croq.tile<[M]x64xf32, global>, %n: !croq.tile<8x8xi8, global>,
    %w: !croq.tile<19x12xi8, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc
    %a = croq.alloc : !croq.tile<64x32xf32, shared>
    // CHECK-NEXT:  [[V:%.*]] = croq.alloc
    %v = croq.alloc : !croq.tile<34x69xf32, shared>
    // CHECK-NEXT:  [[S:%.*]] = croq.subspan
    %s = croq.subspan %t [32, 64] tile (%b, 0)
    // CHECK-NEXT:  croq.copy [[S]] => [[A]] transpose(1, 0) engine(threads) {note}
    // GENERIC:     "croq.copy"({{%.*}}, {{%.*}}) <{engine = #croq<engine threads>, permutation = [#builtin.int<1>, #builtin.int<0>]}> {note}
    croq.copy %s => %a transpose(1, 0) engine(threads) {note}
    // CHECK-NEXT:  croq.copy [[S]] => [[V]] pad([1, 2], [1, 3], -inf){{$}}
    // GENERIC:     pad = #croq.pad<[1, 2], [1, 3], [0, 0], 0xfff0000000000000 : f64>
    croq.copy %s => %v pad([1, 2], [1, 3], -inf)
    // CHECK-NEXT:  croq.copy_async [[S]] => [[V]] pad([1, 2], [1, 3], -1.500000e+00) engine(threads)
    // GENERIC:     "croq.copy_async"({{%.*}}, {{%.*}}) <{engine = #croq<engine threads>, pad = #croq.pad<[1, 2], [1, 3], [0, 0], -1.500000e+00 : f64>}>
    %f = croq.copy_async %s => %v pad([1, 2], [1, 3], -1.5) engine(threads)
    // CHECK-NEXT:  croq.copy %n => %w transpose(1, 0) pad([1, 2], [3, 2], [1, 0], -7){{$}}
    // GENERIC:     pad = #croq.pad<[1, 2], [3, 2], [1, 0], -7 : i64>
    croq.copy %n => %w transpose(1, 0) pad([1, 2], [3, 2], [1, 0], -7)
    // CHECK-NEXT:  croq.copy [[S]] => [[S]] pad([0, 0], [0, 0], nan)
    croq.copy %s => %s pad([0, 0], [0, 0], nan)
  }
}

// CHECK-LABEL: croq.kernel @filling
croq.kernel @filling (%n: !croq.tile<8x8xi8, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[A:%.*]] = croq.alloc
    %a = croq.alloc : !croq.tile<64x32xf32, shared>
    // CHECK-NEXT:  croq.fill [[A]], 1.500000e+00{{$}}
    // GENERIC:     "croq.fill"({{%.*}}) <{value = 1.500000e+00 : f64}> : (!croq.tile<64x32xf32, shared>) -> ()
    croq.fill %a, 1.5
    // CHECK-NEXT:  croq.fill [[A]], -inf {note}
    // GENERIC:     "croq.fill"({{%.*}}) <{value = 0xfff0000000000000 : f64}> {note}
    croq.fill %a, -inf {note}
    // CHECK-NEXT:  croq.fill %n, -7{{$}}
    // GENERIC:     "croq.fill"({{%.*}}) <{value = -7 : i64}>
    croq.fill %n, -7
  }
}

// A buffer of registers: one for each thread of the block.
// CHECK:       croq.kernel @registers () {
croq.kernel @registers() {
  croq.parallel (%b) in (1) : block {
    // CHECK: %{{.*}} = croq.alloc : !croq.tile<8x8xf32, register>
    // GENERIC: "croq.alloc"() : () -> !croq.tile<8x8xf32, register>
    %sums = croq.alloc : !croq.tile<8x8xf32, register>
    croq.parallel (%t) in (128) : thread {
      // CHECK: croq.fill %{{.*}}, 0.000000e+00
      croq.fill %sums, 0.0
      // CHECK-NEXT: %{{.*}} = croq.subspan %{{.*}} [1, 8] tile (3, 0)
      %row = croq.subspan %sums [1, 8] tile (3, 0)
      // CHECK-NEXT: %{{.*}} = croq.load %{{.*}}[0, 2]
      %x = croq.load %row[0, 2]
    }
  }
}
