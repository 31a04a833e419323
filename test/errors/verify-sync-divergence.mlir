// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// A barrier that some threads of its scope do not come to, and why they do not.
croq.kernel @condition () {
  croq.parallel (%b) in (4) : block threads 128 {
    // expected-note@+1 {{which differs between threads}}
    %t = croq.thread_id
    %limit = arith.constant 40 : index
    // expected-note@+1 {{because of this}}
    %few = arith.cmpi ult, %t, %limit : index
    // expected-note@+1 {{threads part here}}
    scf.if %few {
      // expected-error@+1 {{barrier participation: must be executed by all threads of its scope, got it under a condition that may differ between them}}
      croq.barrier
    }
  }
}

// -----

croq.kernel @trips () {
  croq.parallel (%b) in (4) : block threads 128 {
    // expected-note@+1 {{which differs between threads}}
    %t = croq.thread_id
    // expected-note@+1 {{threads part here}}
    croq.foreach %k in %t {
      // expected-error@+1 {{barrier participation: must be executed by all threads of its scope, got it in a loop whose end may differ between them}}
      croq.barrier
    }
  }
}

// -----

// In a role it is the threads of the role that have to come.
croq.kernel @role () {
  croq.parallel (%b) in (4) : block {
    croq.role "all" warps [0, 2) {
      // expected-note@+2 {{which differs between threads}}
      // expected-note@+2 {{threads part here}}
      %one = croq.elect
      scf.if %one {
        // expected-error@+1 {{barrier participation: must be executed by all threads of its scope}}
        croq.barrier
      }
    }
  }
}

// -----

croq.kernel @await dims(N) (%x: !croq.tile<[N]x64xf16, global>) {
  croq.parallel (%b) in (4) : block threads 128 {
    %s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %from = croq.subspan %x [64, 64] tile (%b, 0)
    %f = croq.copy_async %from => %s engine(tma)
    // expected-note@+1 {{which differs between threads}}
    %one = croq.elect
    // expected-note@+1 {{threads part here}}
    scf.if %one {
      // expected-error@+1 {{barrier participation: must be executed by all threads of its scope}}
      croq.await %f
    }
  }
}

// -----

// The threads that do not wait would read what is not there yet.
croq.kernel @wait dims(N) (%x: !croq.tile<[N]x64xf16, global>, %y: !croq.tile<[N]x64xf16, global>) {
  croq.parallel (%b) in (4) : block threads 128 {
    %s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %full = croq.event : !croq.event<1>
    %from = croq.subspan %x [64, 64] tile (%b, 0)
    %to = croq.subspan %y [64, 64] tile (%b, 0)
    // expected-note@+1 {{which differs between threads}}
    %t = croq.thread_id
    %limit = arith.constant 40 : index
    // expected-note@+1 {{because of this}}
    %few = arith.cmpi ult, %t, %limit : index
    %f = croq.copy_async %from => %s engine(tma)
    croq.trigger %full[0] after %f
    // expected-note@+1 {{threads part here}}
    scf.if %few {
      // expected-error@+1 {{barrier participation: must be executed by all threads of its scope}}
      croq.wait %full[0]
    }
    croq.copy %s => %to engine(threads)
  }
}

// -----

// A condition that all threads of the block share is none of it.
croq.kernel @shared dims(N) () {
  %n = croq.cdiv N, 64
  croq.parallel (%b) in (%n) : block threads 128 {
    %limit = arith.constant 40 : index
    %few = arith.cmpi ult, %b, %limit : index
    scf.if %few {
      croq.barrier
    }
    croq.foreach %k in %n {
      croq.barrier
    }
  }
}

// -----

// At hardware level: what lanes load may differ.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @data(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  // expected-note@+1 {{which differs between lanes}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // expected-note@+1 {{because of this}}
  %at = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  // expected-note@+1 {{because of this}}
  %v = llvm.load %at : !llvm.ptr<1> -> i32
  // expected-note@+1 {{because of this}}
  %c = arith.cmpi ult, %v, %n : i32
  // expected-note@+1 {{lanes part here}}
  scf.if %c {
    // expected-error@+1 {{barrier participation: must be executed by all lanes of a warp, got it under a condition that may differ between them}}
    nvvm.barrier
  }
  llvm.return
}
}
}

// -----

// The number of the thread decides in which lanes: it is said which, and why.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @lanes(%p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  // expected-note@+1 {{which differs between lanes}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %five = arith.constant 5 : i32
  // expected-note@+1 {{because of this}}
  %c = arith.cmpi ult, %tid, %five : i32
  // expected-note@+1 {{lanes part here}}
  scf.if %c {
    // expected-error@+1 {{barrier participation: must be executed by all lanes of a warp, got 5 of them in warp 0}}
    nvvm.barrier
  }
  llvm.return
}
}
}

// -----

// So do shuffles and votes: their masks name the lanes that have to come.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @shuffle(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  // expected-note@+1 {{which differs between lanes}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 31 : i32
  %five = arith.constant 5 : i32
  %all = arith.constant -1 : i32
  // expected-note@+1 {{because of this}}
  %c = arith.cmpi ult, %tid, %five : i32
  // expected-note@+1 {{lanes part here}}
  scf.if %c {
    // expected-error@+1 {{barrier participation: must be executed by all lanes of a warp, got 5 of them in warp 0}}
    %v = nvvm.shfl.sync idx %all, %tid, %one, %last : i32 -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  llvm.return
}
}
}

// -----

// Of a mask these lanes only.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @masked(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 31 : i32
  %five = arith.constant 5 : i32
  %some = arith.constant 31 : i32
  %c = arith.cmpi ult, %lane, %five : i32
  scf.if %c {
    %v = nvvm.shfl.sync idx %some, %tid, %one, %last : i32 -> i32
    %x = nvvm.redux.sync add %v, %some : i32 -> i32
    llvm.store %x, %p : i32, !llvm.ptr<1>
  }
  llvm.return
}
}
}

// -----

// So do matches; who is there at all may be asked anywhere.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @matches(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  // expected-note@+1 {{which differs between lanes}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %five = arith.constant 5 : i32
  %all = arith.constant -1 : i32
  // expected-note@+1 {{because of this}}
  %c = arith.cmpi ult, %tid, %five : i32
  // expected-note@+1 {{lanes part here}}
  scf.if %c {
    %here = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
    // expected-error@+1 {{barrier participation: must be executed by all lanes of a warp, got 5 of them in warp 0}}
    %v = nvvm.match.sync any %all, %here : i32 -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  llvm.return
}
}
}

// -----

// The loop goes on for some lanes when others have done their part.
builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
llvm.func @trips(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  // expected-note@+1 {{which differs between lanes}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // expected-note@+1 {{because of this}}
  %at = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  // expected-note@+1 {{because of this}}
  %v = llvm.load %at : !llvm.ptr<1> -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = arith.constant -1 : i32
  // expected-note@+1 {{lanes part here}}
  scf.for %k = %zero to %v step %one : i32 {
    %c = arith.cmpi ult, %k, %n : i32
    // expected-error@+1 {{barrier participation: must be executed by all lanes of a warp, got it in a loop whose end may differ between them}}
    %some = nvvm.vote.sync any %all, %c -> i1
    nvvm.bar.warp.sync %all : i32
  }
  llvm.return
}
}
}
