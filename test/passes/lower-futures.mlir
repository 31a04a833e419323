// RUN: croq-opt --lower-futures --split-input-file %s | filecheck %s

// Synchronous TMA loads complete on an event of their own, at the head of the block;
// loads next to each other share it, in whatever order their buffers were allocated.
// CHECK-LABEL: croq.kernel @sync
croq.kernel @sync dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.event ready
    // CHECK-NEXT: [[A:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[B:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[C:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: croq.alloc
    %own = croq.event ready : !croq.event<2>
    %u = croq.alloc : !croq.tile<64x64xf16, shared>
    %v = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK: croq.role "work"
    croq.role "work" warps [0, 4) {
      %s = croq.subspan %p [64, 64] tile (%i, 0)
      // CHECK: [[F:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(tma) {tag = 1 : i64}
      // CHECK: [[G:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(tma)
      // CHECK-NEXT: croq.trigger [[A]][0] after [[F]], [[G]]
      // CHECK-NEXT: croq.wait [[A]][0]
      croq.copy %s => %v engine(tma) {tag = 1 : i64}
      %t = croq.subspan %p [64, 64] tile (%i, 1)
      croq.copy %t => %u engine(tma)
      // Into one buffer: one after the other.
      // CHECK-NEXT: croq.foreach
      // CHECK-NEXT: [[F:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[B]][0] after [[F]]
      // CHECK-NEXT: croq.wait [[B]][0]
      // CHECK-NEXT: [[G:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[C]][0] after [[G]]
      // CHECK-NEXT: croq.wait [[C]][0]
      croq.foreach %k in 8 {
        croq.copy %s => %v engine(tma)
        croq.copy %t => %v engine(tma)
      }
    }
  }
}

// -----

// Asynchronous copies. A load: triggered where it starts, waited for where it is awaited.
// By threads: a plain copy. A store stays. What has an event stays. `data` is the buffer.
// CHECK-LABEL: croq.kernel @async
croq.kernel @async dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT: [[L:%.*]] = croq.event : !croq.event<1>
    %full = croq.event : !croq.event<1>
    // CHECK-NEXT: [[U:%.*]] = croq.alloc
    %u = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT: [[V:%.*]] = croq.alloc
    %v = croq.alloc : !croq.tile<64x64xf16, shared>
    %w = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %p [64, 64] tile (%i, 0)
    croq.foreach %k in 3 {
      // CHECK: [[F:%.*]] = croq.copy_async {{%.*}} => [[U]] engine(tma)
      // CHECK-NEXT: croq.trigger [[L]][0] after [[F]]
      %f = croq.copy_async %s => %u engine(tma)
      // CHECK-NEXT: croq.copy {{%.*}} => [[V]] engine(threads) {tag = 2 : i64}
      %g = croq.copy_async %s => %v engine(threads) {tag = 2 : i64}
      // CHECK-NEXT: [[H:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[E]] at {{%.*}} after [[H]]
      %h = croq.copy_async %s => %w engine(tma)
      croq.trigger %full at %k after %h
      // CHECK-NEXT: croq.wait [[L]][0]
      croq.await %f
      croq.await %g
      // CHECK-NEXT: croq.load [[U]][0, 0]
      %t = croq.data %f
      %x = croq.load %t[0, 0]
    }
    // CHECK: [[F:%.*]] = croq.copy_async [[U]] => {{%.*}} engine(tma)
    // CHECK-NEXT: croq.await [[F]] read
    // CHECK-NEXT: croq.copy [[V]] => {{%.*}} engine(tma)
    // CHECK-NEXT: croq.copy [[V]] => {{%.*}} engine(threads)
    %f = croq.copy_async %u => %s engine(tma)
    croq.await %f read
    croq.copy %v => %s engine(tma)
    croq.copy %v => %s engine(threads)
  }
}

// -----

// Stores that are counted. By TMA they stay. By threads they are plain copies, and nothing
// is left to wait for; beside others by TMA no store is left in flight.
// CHECK-LABEL: croq.kernel @counted
croq.kernel @counted dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %p [64, 64] tile (%i, 0)
    // CHECK: croq.role "tma"
    croq.role "tma" warps [0, 4) {
      // CHECK: croq.copy_async {{.*}} engine(tma)
      // CHECK-NEXT: croq.await_stores in_flight 1 read
      %f = croq.copy_async %a => %s engine(tma)
      croq.await_stores in_flight 1 read
    }
    // CHECK: croq.role "threads"
    croq.role "threads" warps [4, 8) {
      // CHECK-NEXT: croq.copy {{.*}} engine(threads) {tag}
      // CHECK-NEXT: }
      %f = croq.copy_async %a => %s engine(threads) {tag}
      croq.await_stores in_flight 1 read
    }
    // CHECK: croq.role "both"
    croq.role "both" warps [8, 12) {
      // CHECK-NEXT: croq.copy_async {{.*}} engine(tma)
      // CHECK-NEXT: croq.copy {{.*}} engine(threads)
      // CHECK-NEXT: croq.await_stores in_flight 0 read
      %f = croq.copy_async %a => %s engine(tma)
      %g = croq.copy_async %a => %s engine(threads)
      croq.await_stores in_flight 1 read
    }
  }
}

// -----

// Two futures that a loop carries and exchanges: two slots of one array. One order counts
// for both, so that it is known that they are never the same buffer. Copies on return.
// CHECK-LABEL: croq.kernel @swapped
croq.kernel @swapped dims(X) (%p: !croq.tile<[X]x16xi32, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<2x16x16xi32, shared, row_major>
    // CHECK-NOT: croq.any
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared, row_major>>
    %g = croq.any : !croq.future<!croq.tile<16x16xi32, shared, row_major>>
    %zero = arith.constant 0 : i32
    // CHECK: [[S:%.*]] = croq.slot [[A]][0]
    %first = croq.data %f
    // CHECK-NEXT: [[ZERO:%.*]] = arith.constant 0 : index
    // CHECK-NEXT: [[SUM:%.*]], [[LAST:%.*]] = croq.foreach {{%.*}} in 5 iter([[V:%.*]] = {{%.*}}, [[O:%.*]] = [[ZERO]])
    %x, %sum, %y = croq.foreach %k in 5 iter(%cur = %f, %v = %zero, %next = %g) {
      %s = croq.subspan %p [16, 16] tile (%k, 0)
      // CHECK: [[N:%.*]] = croq.slot [[A]] at [[O]] + 1
      // CHECK-NEXT: croq.copy {{%.*}} => [[N]] engine(threads)
      %n = croq.data %next
      croq.copy %s => %n engine(threads)
      // CHECK-NEXT: [[C:%.*]] = croq.slot [[A]] at [[O]]{{$}}
      // CHECK-NEXT: [[E:%.*]] = croq.load [[C]][0, 0]
      %c = croq.data %cur
      %e = croq.load %c[0, 0]
      %w = arith.addi %v, %e : i32
      // CHECK: [[ONE:%.*]] = arith.constant 1 : index
      // CHECK-NEXT: [[P:%.*]] = arith.addi [[O]], [[ONE]] : index
      // CHECK-NEXT: croq.yield {{%.*}}, [[P]] : i32, index
      %a, %b = croq.swap %cur, %next
      croq.yield %a, %w, %b : !croq.future<!croq.tile<16x16xi32, shared, row_major>>, i32, !croq.future<!croq.tile<16x16xi32, shared, row_major>>
    }
    // CHECK: croq.slot [[A]] at [[LAST]]{{$}}
    // CHECK: croq.slot [[A]] at [[LAST]] + 1
    %t = croq.data %x
    %z = croq.load %t[0, 0]
    %u = croq.data %y
    croq.store %sum, %u[0, 0]
  }
}

// -----

// Three buffers, two of them in flight: a copy is awaited two iterations later, under
// another name. It completes on the slot of an event that belongs to its buffer; by
// threads it is complete at once. A buffer of its own that the first copy fills is a slot.
// CHECK-LABEL: croq.kernel @rotated
croq.kernel @rotated dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<3>
    // CHECK-NEXT: [[A:%.*]] = croq.alloc : !croq.tile<3x64x64xf16, shared>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT: [[A0:%.*]] = croq.slot [[A]][0]
    // CHECK-NEXT: croq.subspan
    %s = croq.subspan %p [64, 64] tile (0, 0)
    // CHECK-NEXT: [[F:%.*]] = croq.copy_async {{%.*}} => [[A0]] engine(tma)
    // CHECK-NEXT: croq.trigger [[E]][0] after [[F]]
    %f = croq.copy_async %s => %a engine(tma)
    %g0 = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %b = croq.data %g0
    // CHECK: croq.trigger [[E]][1] after
    %g = croq.copy_async %s => %b engine(tma)
    %h = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // CHECK: [[LAST:%.*]] = croq.foreach {{%.*}} iter([[O:%.*]] = {{%.*}})
    %x, %y, %z = croq.foreach %k in 5 iter(%c = %f, %d = %g, %e = %h) {
      // CHECK: [[N:%.*]] = croq.slot [[A]] at [[O]] + 2
      // CHECK: [[P:%.*]] = arith.addi [[O]], {{%.*}} : index
      // CHECK: [[Q:%.*]] = arith.remui [[P]], {{%.*}} : index
      // CHECK-NEXT: [[F:%.*]] = croq.copy_async {{%.*}} => [[N]] engine(tma)
      // CHECK-NEXT: croq.trigger [[E]]{{\[}}[[Q]]] after [[F]]
      %u = croq.subspan %p [64, 64] tile (%k, 0)
      %n = croq.data %e
      %next = croq.copy_async %u => %n engine(tma)
      // CHECK: [[R:%.*]] = arith.remui [[O]], {{%.*}} : index
      // CHECK-NEXT: croq.wait [[E]]{{\[}}[[R]]]
      croq.await %c
      %r0, %r1, %r2 = croq.rotate %c, %d, %next
      croq.yield %r0, %r1, %r2 : !croq.future<!croq.tile<64x64xf16, shared>>, !croq.future<!croq.tile<64x64xf16, shared>>, !croq.future<!croq.tile<64x64xf16, shared>>
    }
    // CHECK: [[R:%.*]] = arith.remui [[LAST]], {{%.*}} : index
    // CHECK-NEXT: croq.wait [[E]]{{\[}}[[R]]]
    croq.await %x
    // CHECK: croq.wait [[E]]
    croq.await %y
    // CHECK-NOT: croq.any
    // CHECK-NOT: croq.rotate
  }
}

// -----

// By threads an awaited copy is over when they are through.
// CHECK-LABEL: croq.kernel @by_threads
croq.kernel @by_threads dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK-NOT: croq.event
    %s = croq.subspan %p [64, 64] tile (0, 0)
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads) {tag}
    %f = croq.copy_async %s => %a engine(threads) {tag}
    // CHECK: croq.foreach
    %x = croq.foreach %k in 5 iter(%c = %f) {
      croq.await %c
      %n = croq.data %c
      // CHECK: croq.copy {{%.*}} => {{%.*}} engine(threads)
      // CHECK-NOT: croq.wait
      %next = croq.copy_async %s => %n engine(threads)
      croq.yield %next : !croq.future<!croq.tile<64x64xf16, shared>>
    }
    croq.await %x
  }
}

// -----

// The inner loop exchanges two futures of three, the outer one rotates all: inside, each has
// an order of its own.
// CHECK-LABEL: croq.kernel @nested
croq.kernel @nested () {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<3x8xi32, shared, row_major>
    %f = croq.any : !croq.future<!croq.tile<8xi32, shared, row_major>>
    %g = croq.any : !croq.future<!croq.tile<8xi32, shared, row_major>>
    %h = croq.any : !croq.future<!croq.tile<8xi32, shared, row_major>>
    // CHECK: croq.foreach {{%.*}} in 5 iter([[X:%.*]] = {{%.*}}, [[Y:%.*]] = {{%.*}}, [[Z:%.*]] = {{%.*}})
    %x, %y, %z = croq.foreach %k in 5 iter(%c = %f, %d = %g, %e = %h) {
      // CHECK: [[P:%.*]], [[Q:%.*]] = croq.foreach {{%.*}} in 3 iter([[I:%.*]] = [[X]], [[J:%.*]] = [[Y]])
      %p, %q = croq.foreach %l in 3 iter(%m = %c, %n = %d) {
        // CHECK-NEXT: croq.slot [[A]] at [[I]]{{$}}
        %t = croq.data %m
        %v = croq.load %t[0]
        %a, %b = croq.swap %m, %n
        // CHECK: croq.yield [[J]], [[I]] : index, index
        croq.yield %a, %b : !croq.future<!croq.tile<8xi32, shared, row_major>>, !croq.future<!croq.tile<8xi32, shared, row_major>>
      }
      %r0, %r1, %r2 = croq.rotate %p, %q, %e
      // CHECK: croq.yield [[Q]], [[Z]], [[P]] : index, index, index
      croq.yield %r0, %r1, %r2 : !croq.future<!croq.tile<8xi32, shared, row_major>>, !croq.future<!croq.tile<8xi32, shared, row_major>>, !croq.future<!croq.tile<8xi32, shared, row_major>>
    }
    %t = croq.data %x
    %v = croq.load %t[0]
  }
}

// -----

// A future that a condition chooses: its slot is chosen. It is awaited in the branch that
// starts it, or under the name that it has after.
// CHECK-LABEL: croq.kernel @chosen
croq.kernel @chosen (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<2>
    // CHECK-NEXT: [[A:%.*]] = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %one = arith.constant 1 : index
    // CHECK: [[ODD:%.*]] = arith.cmpi
    %odd = arith.cmpi eq, %i, %one : index
    // CHECK-NEXT: [[ZERO:%.*]] = arith.constant 0 : index
    // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : index
    // CHECK-NEXT: [[O:%.*]] = arith.select [[ODD]], [[ZERO]], [[ONE]] : index
    %h = croq.select %odd, %f, %g
    // CHECK-NEXT: croq.slot [[A]] at [[O]]
    %d = croq.data %h
    // CHECK: croq.trigger [[E]]{{.*}} after
    %c = croq.copy_async %p => %d engine(tma)
    // CHECK-NEXT: scf.if [[ODD]] {
    // CHECK: croq.wait [[E]]
    // CHECK: }
    scf.if %odd {
      croq.await %c
    } else {
      croq.await %c
    }
  }
}

// -----

// A copy that is started on a condition goes on in the buffer that it was started in, so
// that nothing has to be chosen: only the trigger and the wait are conditional.
// CHECK-LABEL: croq.kernel @conditional
croq.kernel @conditional dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  %n = croq.cdiv X, 64
  croq.parallel (%i) in (4) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // CHECK: [[ORDER:%.*]] = croq.foreach {{%.*}} in {{%.*}} iter([[O:%.*]] = {{%.*}})
    %x, %y = croq.foreach %k in %n iter(%now = %f, %next = %g) {
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %k, %zero : index
      // CHECK: scf.if [[C:%.*]] {
      // CHECK: croq.slot {{%.*}} at [[O]] + 1
      // CHECK: croq.copy_async
      // CHECK-NEXT: croq.trigger
      // CHECK-NEXT: } else {
      // CHECK-NEXT: }
      %c = scf.if %first -> (!croq.future<!croq.tile<64x64xf16, shared>>) {
        %s = croq.subspan %p [64, 64] tile (%k, 0)
        %d = croq.data %next
        %h = croq.copy_async %s => %d engine(tma)
        scf.yield %h : !croq.future<!croq.tile<64x64xf16, shared>>
      } else {
        scf.yield %next : !croq.future<!croq.tile<64x64xf16, shared>>
      }
      // CHECK-NEXT: scf.if [[C]] {
      // CHECK: croq.wait
      scf.if %first {
        croq.await %c
      }
      %a, %b = croq.swap %now, %c
      croq.yield %a, %b : !croq.future<!croq.tile<64x64xf16, shared>>, !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

// Different buffers in the branches: the condition results in an order in place of a future,
// after what it results in besides.
// CHECK-LABEL: croq.kernel @branches
croq.kernel @branches () {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<2x8xi32, shared>
    %f = croq.any : !croq.future<!croq.tile<8xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<8xi32, shared>>
    %c = arith.constant true
    // CHECK: [[V:%.*]], [[O:%.*]] = scf.if {{%.*}} -> (i1, index) {
    // CHECK-NEXT: [[ZERO:%.*]] = arith.constant 0 : index
    // CHECK-NEXT: scf.yield {{%.*}}, [[ZERO]] : i1, index
    // CHECK-NEXT: } else {
    // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : index
    // CHECK-NEXT: scf.yield {{%.*}}, [[ONE]] : i1, index
    %h, %v = scf.if %c -> (!croq.future<!croq.tile<8xi32, shared>>, i1) {
      scf.yield %f, %c : !croq.future<!croq.tile<8xi32, shared>>, i1
    } else {
      scf.yield %g, %c : !croq.future<!croq.tile<8xi32, shared>>, i1
    }
    // CHECK: croq.slot [[A]] at [[O]]
    %t = croq.data %h
    %x = croq.load %t[0]
  }
}

// A scf.while hands on an order, too: its first region as it came.
// CHECK-LABEL: croq.kernel @while
croq.kernel @while (%x: !croq.tile<64xi32, global>, %n: i32) {
  croq.parallel (%b) in (1) : block threads 64 {
    %zero = arith.constant 0 : i32
    // CHECK: [[ARRAY:%.*]] = croq.alloc : !croq.tile<2x64xi32, shared, row_major>
    %a = croq.alloc : !croq.tile<64xi32, shared, row_major>
    %f = croq.copy_async %x => %a engine(tma)
    %o = croq.any : !croq.future<!croq.tile<64xi32, shared, row_major>>
    // CHECK: [[R:%.*]], [[LAST:%.*]] = scf.while (%i = %n, [[FIRST:%.*]] = {{%.*}}) : (i32, index) -> (i32, index) {
    // CHECK: scf.condition({{%.*}}) %i, [[FIRST]] : i32, index
    // CHECK: ^bb0({{%.*}}: i32, [[ORDER:%.*]]: index):
    // CHECK: croq.slot [[ARRAY]] at [[ORDER]] + 1
    // CHECK: croq.wait
    // CHECK: [[NEXT:%.*]] = arith.addi [[ORDER]], {{%.*}} : index
    // CHECK-NEXT: scf.yield {{%.*}}, [[NEXT]] : i32, index
    %g:3 = scf.while (%h = %f, %i = %n, %e = %o) : (!croq.future<!croq.tile<64xi32, shared, row_major>>, i32, !croq.future<!croq.tile<64xi32, shared, row_major>>) -> (i32, !croq.future<!croq.tile<64xi32, shared, row_major>>, !croq.future<!croq.tile<64xi32, shared, row_major>>) {
      %more = arith.cmpi sgt, %i, %zero : i32
      scf.condition(%more) %i, %h, %e : i32, !croq.future<!croq.tile<64xi32, shared, row_major>>, !croq.future<!croq.tile<64xi32, shared, row_major>>
    } do {
    ^bb0(%i: i32, %h: !croq.future<!croq.tile<64xi32, shared, row_major>>, %e: !croq.future<!croq.tile<64xi32, shared, row_major>>):
      %d = croq.data %e
      %c = croq.copy_async %x => %d engine(tma)
      croq.await %h
      %p, %q = croq.swap %h, %c
      scf.yield %p, %zero, %q : !croq.future<!croq.tile<64xi32, shared, row_major>>, i32, !croq.future<!croq.tile<64xi32, shared, row_major>>
    }
    croq.await %g#1
  }
}
