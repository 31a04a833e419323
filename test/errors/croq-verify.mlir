// RUN: croq-opt --split-input-file --verify-diagnostics %s

// Every rule that the verifiers of the croq dialect check.

// expected-error@+1 {{'croq.kernel' op declares the name M twice}}
croq.kernel @k dims(M) params(M = 4) () {
}

// -----

// expected-error@+1 {{'croq.kernel' op multiple_of of dim M must be positive, got 0}}
croq.kernel @k dims(M multiple_of 0) () {
}

// -----

// expected-error@+1 {{'croq.kernel' op parameter S must be positive, got 0}}
croq.kernel @k params(S = 0) () {
}

// -----

// expected-error@+1 {{'croq.kernel' op argument x must be a tile or a number, got !croq.event<1>}}
croq.kernel @k (%x: !croq.event<1>) {
}

// -----

// expected-error@+1 {{'croq.kernel' op argument x must be a global tile, got !croq.tile<8xf16, shared>}}
croq.kernel @k (%x: !croq.tile<8xf16, shared>) {
}

// -----

// expected-error@+1 {{'croq.kernel' op argument x must have named or constant extents, got !croq.tile<?xf16, global>}}
croq.kernel @k (%x: !croq.tile<?xf16, global>) {
}

// -----

// expected-error@+1 {{'croq.kernel' op argument x must use declared dims and params, got [N] (declared: M, S)}}
croq.kernel @k dims(M) params(S = 4) (%x: !croq.tile<[N]xf16, global>) {
}

// -----

// expected-error@+1 {{'croq.kernel' op must have one argument name for each of its 1 arguments, got 0}}
"croq.kernel"() <{sym_name = "k", dims = [], multiples = [], params = {}, arg_names = []}> ({
^bb0(%x: f32):
  "croq.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'croq.kernel' op must have one multiple for each dim}}
"croq.kernel"() <{sym_name = "k", dims = ["M"], multiples = [], params = {}, arg_names = []}> ({
  "croq.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'croq.kernel' op names of arguments must be identifiers, got "0"}}
"croq.kernel"() <{sym_name = "k", dims = [], multiples = [], params = {}, arg_names = ["0"]}> ({
^bb0(%x: f32):
  "croq.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'croq.kernel' op must name each argument once, got x twice}}
"croq.kernel"() <{sym_name = "k", dims = [], multiples = [], params = {}, arg_names = ["x", "x"]}> ({
^bb0(%x: f32, %y: f32):
  "croq.return"() : () -> ()
}) : () -> ()

// -----

croq.kernel @k dims(M) (%x: !croq.tile<[M]xf16, global>) {
  // expected-error@+1 {{'croq.return' op operands must be results of croq.alloc in the body of the kernel}}
  croq.return %x : !croq.tile<[M]xf16, global>
}

// -----

croq.kernel @k () {
  %x = croq.alloc : !croq.tile<8xf16, shared>
  // expected-error@+1 {{'croq.return' op operands must be global tiles, got !croq.tile<8xf16, shared>}}
  croq.return %x : !croq.tile<8xf16, shared>
}

// -----

croq.kernel @k () {
  %x = croq.alloc : !croq.tile<8xf16, global>
  // expected-error@+1 {{'croq.return' op must return each tile once}}
  croq.return %x, %x : !croq.tile<8xf16, global>, !croq.tile<8xf16, global>
}

// -----

croq.kernel @k dims(M) (%n: f32) {
  // expected-error@+1 {{'croq.cdiv' op must use a dim or parameter of the kernel, got N (declared: M)}}
  %c = croq.cdiv N, 8
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.dim' op must use a dim or parameter of the kernel, got N (declared: none)}}
  %c = croq.dim N
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.cdiv' op denominator must be positive, got 0}}
  %c = croq.cdiv M, 0
}

// -----

// expected-error@+1 {{'croq.cdiv' op must have a numerator and a denominator}}
%c = "croq.cdiv"() <{static_values = [1 : index]}> : () -> index

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op must use a dim or parameter of the kernel, got N (declared: M)}}
  croq.parallel (%b) in (N) : block {
  }
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op must have 1 to 3 indices, got 4}}
  croq.parallel (%a, %b, %c, %d) in (1, 1, 1, 1) : block {
  }
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op must have one index for each of its 2 extents, got 1}}
  croq.parallel (%a) in (1, 1) : block {
  }
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op level thread must be inside level block, got croq.kernel}}
  croq.parallel (%a) in (1) : thread {
  }
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op threads must be a multiple of 32 up to 1024, got 100}}
  croq.parallel (%a) in (1) : block threads 100 {
  }
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.parallel' op threads must be a multiple of 32 up to 1024, got 2048}}
  croq.parallel (%a) in (1) : block threads 2048 {
  }
}

// -----

// expected-error@+1 {{'croq.parallel' op must have one operand for each dynamic extent}}
"croq.parallel"() <{static_extents = [unit], level = #croq<level block>}> ({
^bb0(%i: index):
}) : () -> ()

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.parallel' op level block must be directly in croq.kernel or level cluster, got croq.parallel}}
    croq.parallel (%j) in (1) : block {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    croq.foreach %k in 2 {
      croq.parallel (%w) in (1) : warp {
        croq.foreach %l in 2 {
          // expected-error@+1 {{'croq.parallel' op level warpgroup must be inside a coarser level, got level warp}}
          croq.parallel (%j) in (1) : warpgroup {
          }
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.parallel' op level thread must have constant extents}}
    croq.parallel (%j) in (%i) : thread {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.parallel' op threads must be on level block}}
    croq.parallel (%j) in (1) : warp threads 32 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op warpgroups must be a non-empty range of the 1024 threads of a block, got [1, 1)}}
    croq.role "a" warpgroups [1, 1) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op warpgroups must be a non-empty range of the 1024 threads of a block, got [7, 9)}}
    croq.role "a" warpgroups [7, 9) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op warps must be a non-empty range of the 1024 threads of a block, got [-1, 1)}}
    croq.role "a" warps [-1, 1) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op registers must be a multiple of 8 in 24..256, got 231}}
    croq.role "a" warpgroups [0, 1) registers 231 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op registers must be a multiple of 8 in 24..256, got 16}}
    croq.role "a" warpgroups [0, 1) registers 16 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op registers must be a multiple of 8 in 24..256, got 264}}
    croq.role "a" warpgroups [0, 1) registers 264 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op registers must be on a role of whole warpgroups (setmaxnreg)}}
    croq.role "a" warps [0, 4) registers 40 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    croq.foreach %k in 2 {
      // expected-error@+1 {{'croq.role' op must be directly inside level block, got croq.foreach}}
      croq.role "a" warps [0, 1) {
      }
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.role' op must have threads of its own, got threads [128, 160) in common with role "b"}}
    croq.role "a" warpgroups [0, 2) {
    }
    croq.role "b" warps [4, 5) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    croq.foreach %k in Q {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op step must be positive, got 0}}
    croq.foreach %k in 8 step 0 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op lower bound must be >= 0, got -1}}
    croq.foreach %k in -1 to 8 {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must yield values of types (index), got (index, index)}}
    %r = croq.foreach %k in 8 iter(%a = %i) {
      croq.yield %a, %k : index, index
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must yield values of types (index), got ()}}
    %r = croq.foreach %k in 8 iter(%a = %i) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must have a lower bound, an upper bound and a step}}
    "croq.foreach"() <{static_bounds = [0 : index, 8 : index], operandSegmentSizes = array<i32: 0, 0>}> ({
    ^bb0(%k: index):
      "croq.yield"() : () -> ()
    }) : () -> ()
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op body must start with an argument of type index}}
    "croq.foreach"() <{static_bounds = [0 : index, 8 : index, 1 : index], operandSegmentSizes = array<i32: 0, 0>}> ({
      "croq.yield"() : () -> ()
    }) : () -> ()
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op carried values must have the types of their initial values (index), got f32}}
    %r = "croq.foreach"(%i) <{static_bounds = [0 : index, 8 : index, 1 : index], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%k: index, %x: f32):
      "croq.yield"(%x) : (f32) -> ()
    }) : (index) -> index
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op a shared buffer must have constant extents, got !croq.tile<?x64xf16, shared>}}
    %a = croq.alloc : !croq.tile<?x64xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op a buffer must have at least one dim, got !croq.tile<f16, shared>}}
    %a = croq.alloc : !croq.tile<f16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  // expected-error@+1 {{'croq.alloc' op a register buffer must be inside croq.parallel of level block, got !croq.tile<8x64xf16, register> outside of it}}
  %a = croq.alloc : !croq.tile<8x64xf16, register>
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op a global buffer must be in the body of the kernel, got it inside croq.parallel}}
    %a = croq.alloc : !croq.tile<8x64xf16, global>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op type must use parameters of the kernel, got [M] (declared: S)}}
    %a = croq.alloc : !croq.tile<[M]x64xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) () {
  // expected-error@+1 {{'croq.alloc' op type must use dims of the kernel, got [S] (declared: M)}}
  %a = croq.alloc : !croq.tile<[S]x64xf16, global>
  croq.return %a : !croq.tile<[S]x64xf16, global>
}

// -----

croq.kernel @not_returned dims(M) () {
  // expected-error@+1 {{'croq.alloc' op a global buffer must be returned: it is an output of the kernel}}
  %c = croq.alloc : !croq.tile<[M]x64xf16, global>
  croq.parallel (%b) in (1) : block {
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) () {
  // expected-error@+1 {{'croq.alloc' op a global buffer must have named or constant extents, got !croq.tile<?x64xf16, global>}}
  %a = croq.alloc : !croq.tile<?x64xf16, global>
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.event' op type must use parameters of the kernel, got [Q] (declared: S)}}
    %e = croq.event : !croq.event<[Q]>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.event' op arrivals must be positive, got 0}}
    %e = croq.event arrivals 0 : !croq.event<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %f = croq.alloc : !croq.tile<64x64xf32, shared>
    %s = croq.subspan %t [64, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op source and destination must have one element type, got f16 and f32}}
    croq.copy %s => %f
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %f = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %s = croq.subspan %t [64, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op source and destination must have one rank, got 2 and 3}}
    croq.copy %s => %f
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %t [32, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op source and destination must have one shape, got 32 and 64 in dim 0}}
    croq.copy %s => %a
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %s = croq.subspan %t [32, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op transpose must name each dim of the source once, 0 to 1, got [0, 2]}}
    croq.copy %s => %s transpose(0, 2)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %s = croq.subspan %t [32, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy_async' op source and destination must have one shape, got 32 and 64 in dim 0}}
    %f = croq.copy_async %s => %a engine(tma)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %p = croq.pointer %t : !croq.tile<[M]x64xf16, global> -> !llvm.ptr<1>
    // expected-error@+1 {{'croq.copy_async' op completes must be an mbarrier in shared memory (!llvm.ptr<3>), got !llvm.ptr<1>}}
    %f = croq.copy_async %a => %a engine(tma) completes %p : !llvm.ptr<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op result type must be !croq.future<!croq.tile<64x64xf16, shared>>, got !croq.future<!croq.tile<64x64xf32, shared>>}}
    %f = "croq.copy_async"(%a, %a) <{engine = #croq<engine tma>}> : (!croq.tile<64x64xf16, shared>, !croq.tile<64x64xf16, shared>) -> !croq.future<!croq.tile<64x64xf32, shared>>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %a => %a
    // expected-error@+1 {{'croq.await' op read must be on a store to global memory, got a copy to shared memory}}
    croq.await %f read
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %a => %a
    // expected-error@+1 {{'croq.data' op result type must be !croq.tile<64x64xf16, shared>, got !croq.tile<64x64xf32, shared>}}
    %d = "croq.data"(%f) : (!croq.future<!croq.tile<64x64xf16, shared>>) -> !croq.tile<64x64xf32, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.wait' op slot must be below 4, got 4}}
    croq.wait %e[4]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.trigger' op slot must be below 4, got -1}}
    croq.trigger %e[-1]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.wait' op order must be >= 0, got -1}}
    croq.wait %e at -1
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.wait' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    croq.wait %e at Q
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.trigger' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    croq.trigger %e at %i + Q
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %a => %a
    // expected-error@+1 {{'croq.trigger' op must name each future once on !croq.event<4>}}
    croq.trigger %e at 0 after %f, %f
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.wait' op must have one order or slot}}
    "croq.wait"(%e) <{static_order = [0 : index, 1 : index]}> : (!croq.event<4>) -> ()
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.wait' op offset must be one integer or name}}
    "croq.wait"(%e, %i) <{static_order = [unit], offset = [unit]}> : (!croq.event<4>, index) -> ()
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.view' op region must be inside the source: dim 0 has 8 elements, got offset 6 and extent 6}}
    %v = croq.view %c [6, 64] from (6, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.view' op region must be inside the source: dim 1 has 64 elements, got offset -8 and extent 8}}
    %v = croq.view %c [8, 8] from (0, -8)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.view' op extent 16 of dim 0 must fit in the source's 8}}
    %v = croq.view %c [16, 64] from (%i, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op region must be inside the source: dim 0 has 8 elements, got offset 8 and extent 8}}
    %v = croq.subspan %c [8, 64] tile (1, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op extent 16 of dim 0 must fit in the source's 8}}
    %v = croq.subspan %c [16, 64] tile (%i, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op region must be inside the source: dim 1 has 64 elements, got offset 64 and extent 64}}
    %v = croq.subspan %t [8, 64] tile (%i, 1)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op must have 2 extents for a source of rank 2, got 1}}
    %v = croq.subspan %c [8] tile (0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op must have 2 indices for a source of rank 2, got 1}}
    %v = croq.subspan %c [8, 8] tile (0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op extents must be positive, got 0}}
    %v = "croq.subspan"(%c) <{extents = [#builtin.int<8>, #builtin.int<0>], static_at = [0 : index, 0 : index]}> : (!croq.tile<8x64xf16, shared>) -> !croq.tile<8x64xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    %v = croq.subspan %c [8, 8] tile (Q, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op must have one operand for each dynamic index}}
    %v = "croq.subspan"(%c) <{extents = [#builtin.int<8>, #builtin.int<8>], static_at = [unit, 0 : index]}> : (!croq.tile<8x64xf16, shared>) -> !croq.tile<8x8xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.subspan' op result type must be !croq.tile<8x8xf16, shared>, got !croq.tile<8x16xf16, shared>}}
    %v = "croq.subspan"(%c) <{extents = [#builtin.int<8>, #builtin.int<8>], static_at = [0 : index, 0 : index]}> : (!croq.tile<8x64xf16, shared>) -> !croq.tile<8x16xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op dim 0 must be divisible in 3 chunks, got 8}}
    %v = croq.chunkat %c [3, _] at (0, _)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op index of dim 1 must be below its 4 chunks, got 4}}
    %v = croq.chunkat %c [_, 4] at (_, 4)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op dim 1 has 4 chunks but no index}}
    %v = croq.chunkat %c [_, 4] at (_, _)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op must have 2 chunk counts and 2 indices for a source of rank 2, got 2 in all}}
    %v = croq.chunkat %c [2] at (0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op chunk counts must be positive, got 0}}
    %v = croq.chunkat %c [0, _] at (0, _)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    %v = croq.chunkat %c [2, _] at (Q, _)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.chunkat' op must have one operand for each dynamic index}}
    %v = "croq.chunkat"(%c) <{static_at = [unit, "_", 2 : index, 1 : index]}> : (!croq.tile<8x64xf16, shared>) -> !croq.tile<4x64xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.slot' op slot must be below 4, got 4}}
    %v = croq.slot %a[4]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.slot' op order must be >= 0, got -2}}
    %v = croq.slot %a at -2
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %o = croq.alloc : !croq.tile<8xf16, shared>
    // expected-error@+1 {{'croq.slot' op source must have a leading dim of stages, got rank 1}}
    %v = croq.slot %o at 0
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4x8x64xf16, shared>
    %c = croq.slot %a[0]
    // expected-error@+1 {{'croq.slot' op result type must be !croq.tile<8x64xf16, shared>, got !croq.tile<4x64xf16, shared>}}
    %v = "croq.slot"(%a) <{static_order = [0 : index]}> : (!croq.tile<4x8x64xf16, shared>) -> !croq.tile<4x64xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.exec' op M of A must be the accumulator's 64, got 32}}
    %c = croq.mma.exec row.row %z, %w, %w
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.exec' op N of B must be the accumulator's 32, got 64}}
    %c = croq.mma.exec row.row %z, %a, %a
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.exec' op N of B must be the accumulator's 32, got 16}}
    %c = croq.mma.exec row.col %z, %a, %w
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.alloc : !croq.tile<32x8xf16, shared>
    // expected-error@+1 {{'croq.mma.exec' op A and B must have one K, got 16 and 8}}
    %c = croq.mma.exec row.row %z, %a, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.subspan %t [64, 16] tile (0, 0)
    // expected-error@+1 {{'croq.mma.exec' op A must be a 2-D shared tile of constant extents, got !croq.tile<64x16xf16, global>}}
    %c = croq.mma.exec row.row %z, %v, %w
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.alloc : !croq.tile<2x32x16xf16, shared>
    // expected-error@+1 {{'croq.mma.exec' op B must be a 2-D shared tile of constant extents, got !croq.tile<2x32x16xf16, shared>}}
    %c = croq.mma.exec row.row %z, %a, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.alloc : !croq.tile<[S]x16xf16, shared>
    // expected-error@+1 {{'croq.mma.exec' op N of B must be the accumulator's 32, got S}}
    %c = croq.mma.exec row.row %z, %a, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.mma.fill' op type must use parameters of the kernel, got [M] (declared: S)}}
    %z = croq.mma.fill 0.0 : !croq.acc<[M]x32xf32>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.subspan' op type must use parameters of the kernel, got [M] (declared: S)}}
    %w = croq.subspan %t [M, 64] tile (0, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.alloc : !croq.tile<32x16xbf16, shared>
    // expected-error@+1 {{'croq.mma.exec' op A and B must have one element type, got f16 and bf16}}
    %c = croq.mma.exec row.row %z, %a, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %x = croq.alloc : !croq.tile<64x16xi32, shared>
    %v = croq.alloc : !croq.tile<32x16xi32, shared>
    // expected-error@+1 {{'croq.mma.exec' op operands must be f16, bf16, f32 or i8, got i32}}
    %c = croq.mma.exec row.row %z, %x, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %h = croq.mma.fill 0.0 : !croq.acc<64x32xf16>
    %x = croq.alloc : !croq.tile<64x16xbf16, shared>
    %v = croq.alloc : !croq.tile<32x16xbf16, shared>
    // expected-error@+1 {{'croq.mma.exec' op accumulator of bf16 operands must be f32, got f16}}
    %c = croq.mma.exec row.row %h, %x, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %x = croq.alloc : !croq.tile<64x32xi8, shared>
    %v = croq.alloc : !croq.tile<32x32xi8, shared>
    // expected-error@+1 {{'croq.mma.exec' op accumulator of i8 operands must be i32, got f32}}
    %c = croq.mma.exec row.row %z, %x, %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.mma.fill' op value for an accumulator of i32 must be an i32, got 5.000000e-01 : f32}}
    %z = croq.mma.fill 0.5 : !croq.acc<64x32xi32>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %h = croq.mma.fill 0 : !croq.acc<64x32xi32>
    %v = croq.alloc : !croq.tile<64x32xf32, shared>
    // expected-error@+1 {{'croq.mma.store' op tile of an i32 accumulator must be of i32, got f32}}
    croq.mma.store %h => %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.exec' op form must be one of row.row, row.col, col.row, col.col, got row}}
    %c = "croq.mma.exec"(%z, %a, %w) <{form = "row"}> : (!croq.acc<64x32xf32>, !croq.tile<64x16xf16, shared>, !croq.tile<32x16xf16, shared>) -> !croq.acc<64x32xf32>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.exec' op result type must be !croq.acc<64x32xf32>, got !croq.acc<64x32xf16>}}
    %c = "croq.mma.exec"(%z, %a, %w) <{form = "row.row"}> : (!croq.acc<64x32xf32>, !croq.tile<64x16xf16, shared>, !croq.tile<32x16xf16, shared>) -> !croq.acc<64x32xf16>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.commit' op result type must be !croq.acc<64x32xf32>, got !croq.acc<64x32xf16>}}
    %c = "croq.mma.commit"(%z) : (!croq.acc<64x32xf32>) -> !croq.acc<64x32xf16>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.wait' op result type must be !croq.acc<64x32xf32>, got !croq.acc<64x32xf16>}}
    %c = "croq.mma.wait"(%z) <{in_flight = #builtin.int<0>}> : (!croq.acc<64x32xf32>) -> !croq.acc<64x32xf16>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.wait' op in_flight must be in 0..7, got 8}}
    %c = croq.mma.wait %z in_flight 8
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.wait' op in_flight must be in 0..7, got -1}}
    %c = croq.mma.wait %z in_flight -1
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{'croq.mma.store' op tile must be a shared or global tile of shape 64x32, got !croq.tile<64x16xf16, shared>}}
    croq.mma.store %z => %a
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.subspan %t [32, 32] tile (0, 0)
    // expected-error@+1 {{'croq.mma.store' op tile must be a shared or global tile of shape 64x32, got !croq.tile<32x32xf16, global>}}
    croq.mma.store %z => %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %w = croq.alloc : !croq.tile<32x16xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    %v = croq.alloc : !croq.tile<64x32xi32, shared>
    // expected-error@+1 {{'croq.mma.store' op tile of an f32 accumulator must be of f16 or bf16 or f32, got i32}}
    croq.mma.store %z => %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %h = croq.mma.fill 0.0 : !croq.acc<64x32xf16>
    %v = croq.alloc : !croq.tile<64x32xf32, shared>
    // expected-error@+1 {{'croq.mma.store' op tile of an f16 accumulator must be of f16, got f32}}
    croq.mma.store %h => %v
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op must have 2 indices for a tile of rank 2, got 1}}
    %v = croq.load %a[0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op index of dim 1 must be inside the tile !croq.tile<64x64xf16, shared, swizzle<128>>, got 64}}
    %v = croq.load %a[0, 64]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op index of dim 0 must be inside the tile !croq.tile<[M]x64xf16, global>, got -1}}
    %v = croq.load %t[-1, 0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op must use a dim or parameter of the kernel, got Q (declared: M, S)}}
    %v = croq.load %a[Q, 0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op must have one operand for each dynamic index}}
    %v = "croq.load"(%a) <{static_indices = [unit, 0 : index]}> : (!croq.tile<64x64xf16, shared, swizzle<128>>) -> f16
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.load' op result type must be f16, got f32}}
    %v = "croq.load"(%a) <{static_indices = [0 : index, 0 : index]}> : (!croq.tile<64x64xf16, shared, swizzle<128>>) -> f32
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.store' op value must have the element type f16, got index}}
    croq.store %i, %a[0, 0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.address' op index of dim 0 must be inside the tile !croq.tile<64x64xf16, shared, swizzle<128>>, got 64}}
    %v = croq.address %a[64, 0] : !llvm.ptr<3>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.address' op pointer type must be !llvm.ptr<3>, got !llvm.ptr<1>}}
    %v = "croq.address"(%a) <{static_indices = [0 : index, 0 : index]}> : (!croq.tile<64x64xf16, shared, swizzle<128>>) -> !llvm.ptr<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.descriptor' op tile must be a 2-D shared tile, got !croq.tile<[M]x64xf16, global>}}
    %v = croq.descriptor %t[0, 0] major(k) : i64
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<8x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.descriptor' op tile must have a swizzle layout (wgmma reads no row-major tile), got !croq.tile<8x64xf16, shared, row_major>}}
    %v = croq.descriptor %r[0, 0] major(k) : i64
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.tensor_map' op tile must be in global memory, got !croq.tile<64x64xf16, shared, swizzle<128>>}}
    %v = croq.tensor_map %a box [64, 64] swizzle<128> : !llvm.ptr
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.tensor_map' op box must have the rank of the tile (1 to 5), got 1 for !croq.tile<[M]x64xf16, global>}}
    %v = croq.tensor_map %t box [64] swizzle<128> : !llvm.ptr
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.tensor_map' op extents of a box must be in 1..256 elements, got 257}}
    %v = croq.tensor_map %t box [257, 64] swizzle<128> : !llvm.ptr
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.tensor_map' op inner extent of a box must be a multiple of 16 bytes, got 8}}
    %v = croq.tensor_map %t box [64, 4] row_major : !llvm.ptr
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.tensor_map' op inner extent of a swizzle<64> box must be at most 64 bytes, got 128}}
    %v = croq.tensor_map %t box [64, 64] swizzle<64> : !llvm.ptr
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.pointer' op tile must be in global memory, got !croq.tile<64x64xf16, shared, swizzle<128>>}}
    %v = croq.pointer %a : !croq.tile<64x64xf16, shared, swizzle<128>> -> !llvm.ptr<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.pointer' op result type must be !llvm.ptr<1>, got !llvm.ptr<3>}}
    %v = croq.pointer %t : !croq.tile<[M]x64xf16, global> -> !llvm.ptr<3>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.stride' op tile must be in global memory, got !croq.tile<64x64xf16, shared, swizzle<128>>}}
    %v = croq.stride %a, 0
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.stride' op dim must be an outer dim of a tile of rank 2 (the inner stride is 1), got 1}}
    %v = croq.stride %t, 1
  }
}

// -----

// expected-error@+1 {{'croq.kernel' op name must be one that PTX takes, of letters, digits, _ and $, and none of _, WARP_SZ, smem, got my kernel-2}}
croq.kernel @"my kernel-2" () {
}

// -----

// expected-error@+1 {{'croq.kernel' op name must be one that PTX takes, of letters, digits, _ and $, and none of _, WARP_SZ, smem, got smem}}
croq.kernel @smem () {
}

// -----

// expected-error@+1 {{'croq.kernel' op name must be one that PTX takes, of letters, digits, _ and $, and none of _, WARP_SZ, smem, got é}}
croq.kernel @"é" () {
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op tile must be a shared or global tile of shape 64x32, got !croq.tile<64x16xf16, shared>}}
    croq.mma.store %z cols [0, 32) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op cols must be multiples of 16, got [8, 24)}}
    croq.mma.store %z cols [8, 24) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op cols must be multiples of 16, got [0, 24)}}
    croq.mma.store %z cols [0, 24) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op cols must be a non-empty range of the 48 columns of the accumulator, got [48, 64)}}
    croq.mma.store %z cols [48, 64) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op cols must be a non-empty range of the 48 columns of the accumulator, got [16, 16)}}
    croq.mma.store %z cols [16, 16) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op cols must be a non-empty range of the 48 columns of the accumulator, got [-16, 0)}}
    croq.mma.store %z cols [-16, 0) => %p
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.mma.store' op must have both ends of a range of columns, or none}}
    "croq.mma.store"(%z, %p) <{first_col = #builtin.int<0>}> : (!croq.acc<64x48xf32>, !croq.tile<64x16xf16, shared>) -> ()
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %p = croq.alloc : !croq.tile<64x16xf16, shared>
    // expected-error@+1 {{'croq.await_stores' op in_flight must be in 0..7, got 8}}
    croq.await_stores in_flight 8
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.await_loads' op in_flight must be in 0..7, got 8}}
    croq.await_loads in_flight 8
  }
}

// -----

// A window of an argument may overhang it, but is not all outside.
croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %v = croq.view %t [18, 64] from (-1, 8)
    // expected-error@+1 {{'croq.view' op region must be inside the source: dim 0 has 16 elements, got offset -4 and extent 4}}
    %w = croq.view %t [4, 64] from (-4, 0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %v = croq.subspan %t [8, 64] tile (1, 0)
    // expected-error@+1 {{'croq.view' op region must be inside the source: dim 0 has 8 elements, got offset -1 and extent 4}}
    %w = croq.view %v [4, 64] from (-1, 0)
  }
}

// -----

croq.kernel @k dims(B) (%t: !croq.tile<[B]x64xf16, global>) {
  croq.parallel (%b) in (B) : block {
    %v = croq.slot %t[%b]
    // expected-error@+1 {{'croq.slot' op order must count a constant number of stages, got B (a launch decides it; [%i] takes a stage by its number)}}
    %w = croq.slot %t at %b
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.load' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    %v = croq.load %r[0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.store' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    croq.store %x, %r[0]
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.fill' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    croq.fill %r, 0.0
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.copy' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    croq.copy %s => %r
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.reduce' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    croq.reduce add %r dim 0 => %r
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.elementwise' op a register tile must be used inside croq.parallel of level thread, got !croq.tile<4xf32, register> outside of it}}
    croq.elementwise (%a = %r) => %s { croq.yield %a : f32 }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.copy_async' op must copy between global and shared memory or inside one of them (croq.copy has registers), got !croq.tile<4xf32, register>}}
    %f = croq.copy_async %s => %r
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.load' op a register tile must be accessed without an order, got relaxed}}
    croq.parallel (%q) in (32) : thread { %v = croq.load %r[0] order(relaxed) scope(cta) }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index) {
  croq.parallel (%b) in (1) : block {
    %r = croq.alloc : !croq.tile<4xf32, register>
    %s = croq.alloc : !croq.tile<4xf32, shared>
    %x = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.alloc' op a register buffer must have constant extents, got !croq.tile<?xf32, register>}}
    %bad = croq.alloc : !croq.tile<?xf32, register>
  }
}

// -----

croq.kernel @k (%p: i1) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<4xf32, shared>
    %c = croq.alloc : !croq.tile<4xf32, shared>
    // expected-error@+1 {{'arith.select' op must choose between numbers, got !croq.tile<4xf32, shared>}}
    %s = arith.select %p, %a, %c : !croq.tile<4xf32, shared>
  }
}

// -----

croq.kernel @k (%p: i1) {
  croq.parallel (%b) in (1) : block {
    %f = croq.alloc : !croq.tile<4xf32, shared>
    // expected-error@+1 {{'scf.while' op must carry numbers and futures, got !croq.tile<4xf32, shared>}}
    %g = scf.while (%t = %f) : (!croq.tile<4xf32, shared>) -> !croq.tile<4xf32, shared> {
      scf.condition(%p) %t : !croq.tile<4xf32, shared>
    } do {
    ^bb0(%t: !croq.tile<4xf32, shared>):
      scf.yield %t : !croq.tile<4xf32, shared>
    }
  }
}
