// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Futures as handles of buffers: placeholders, permutations, loops that carry them.

croq.kernel @futures params(S = 16) (%t: !croq.tile<64x16xi32, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[F:%.*]] = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // GENERIC:     "croq.any"() : () -> !croq.future<!croq.tile<16x16xi32, shared>>
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // CHECK-NEXT:  croq.any {note} : !croq.future<!croq.tile<[S]x4xf32, shared, row_major>>
    %n = croq.any {note} : !croq.future<!croq.tile<[S]x4xf32, shared, row_major>>
    // CHECK-NEXT:  [[G:%.*]] = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // CHECK-NEXT:  [[A:%.*]], [[B:%.*]] = croq.swap [[F]], [[G]]{{$}}
    // GENERIC:     "croq.swap"({{%.*}}, {{%.*}}) : (!croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>) -> (!croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>)
    %x, %y = croq.swap %f, %g
    // CHECK-NEXT:  [[C:%.*]], [[D:%.*]] = croq.swap [[B]], [[A]] {note}
    %z, %w = croq.swap %y, %x {note}
    %flag = arith.constant true
    // CHECK:       {{%.*}} = croq.select {{%.*}}, [[C]], [[D]]{{$}}
    // GENERIC:     "croq.select"({{%.*}}, {{%.*}}, {{%.*}}) : (i1, !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>) -> !croq.future<!croq.tile<16x16xi32, shared>>
    %one_of = croq.select %flag, %z, %w
    // CHECK-NEXT:  {{%.*}} = croq.select {{%.*}}, {{%.*}}, [[D]] {note}
    %other_of = croq.select %flag, %one_of, %w {note}
    // CHECK-NEXT:  [[E:%.*]] = croq.any
    %e = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // CHECK-NEXT:  {{%.*}}, {{%.*}}, [[R:%.*]] = croq.foreach [[I:%.*]] in 4 iter([[P:%.*]] = [[C]], [[Q:%.*]] = [[D]], [[U:%.*]] = [[E]]) {
    %r:3 = croq.foreach %i in 4 iter(%p = %z, %q = %w, %u = %e) {
      // CHECK-NEXT:  [[SRC:%.*]] = croq.subspan
      %s = croq.subspan %t [16, 16] tile (%i, 0)
      // CHECK-NEXT:  [[DATA:%.*]] = croq.data [[U]]{{$}}
      %d = croq.data %u
      // CHECK-NEXT:  [[H:%.*]] = croq.copy_async [[SRC]] => [[DATA]]{{$}}
      %h = croq.copy_async %s => %d
      // CHECK-NEXT:  croq.await [[H]]{{$}}
      croq.await %h
      // CHECK-NEXT:  [[J:%.*]], [[K:%.*]], [[L:%.*]] = croq.rotate [[P]], [[Q]], [[H]]{{$}}
      // GENERIC:     "croq.rotate"({{%.*}}, {{%.*}}, {{%.*}}) : (
      %j, %k, %l = croq.rotate %p, %q, %h
      // CHECK-NEXT:  [[M:%.*]], [[O:%.*]] = croq.rotate [[J]], [[K]] {note}
      %m, %o = croq.rotate %j, %k {note}
      // CHECK-NEXT:  croq.yield [[M]], [[O]], [[L]] : !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>
      croq.yield %m, %o, %l : !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>
    }
    // CHECK:       croq.data [[R]]
    %last = croq.data %r#2
    %v = croq.load %last[0, 0]
  }
}
