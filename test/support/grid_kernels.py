"""Kernels whose blocks wait for each other."""

ROUNDS = """
croq.kernel @rounds dims(B, R) (%x: !croq.tile<[B]xi32, global>,
    %y: !croq.tile<[R]x[B]xi32, global>, %count: !croq.tile<1xi32, global>) {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 64 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %size = croq.dim B
    croq.foreach %r in R {
      croq.parallel (%t) in (1) : thread {
        %first = arith.cmpi eq, %r, %zero : index
        %next = arith.addi %b, %one : index
        %at = arith.remui %next, %size : index
        %v = scf.if %first -> (i32) {
          %own = croq.load %x[%b]
          scf.yield %own : i32
        } else {
          %before = arith.subi %r, %one : index
          %other = croq.load %y[%before, %at]
          scf.yield %other : i32
        }
        croq.store %v, %y[%r, %b]
      }
      BARRIER
    }
  }
}
"""
"""In each round a block takes what its neighbour had in the round before."""

PHASES = (
    ROUNDS.replace(", %count: !croq.tile<1xi32, global>", "")
    .replace(
        "    croq.foreach %r",
        "    %phase = croq.event : !croq.event<2, grid>\n    croq.foreach %r",
    )
    .replace(
        "      BARRIER", "      croq.trigger %phase at %r\n      croq.wait %phase at %r"
    )
)
"""The same with an event at which all blocks arrive."""

FEED = """
croq.kernel @feed dims(P, N) params(S = 2) (
    %x: !croq.tile<[N]x[P]x64xi32, global>, %ring: !croq.tile<2x[P]x64xi32, global>,
    %y: !croq.tile<[N]x64xi32, global>) {
  %producers = croq.dim P
  %c1 = arith.constant 1 : index
  %all = arith.addi %producers, %c1 : index
  croq.parallel (%b) in (%all) : block threads 128 {
    %full = croq.event arrivals %producers : !croq.event<[S], grid>
    %empty = croq.event ready arrivals 1 : !croq.event<[S], grid>
    %is_producer = arith.cmpi slt, %b, %producers : index
    croq.foreach %i in N {
      %slots = arith.constant 2 : index
      %slot = arith.remui %i, %slots : index
      scf.if %is_producer {
        croq.wait %empty at %i
        croq.parallel (%t) in (64) : thread {
          %v = croq.load %x[%i, %b, %t]
          croq.store %v, %ring[%slot, %b, %t]
        }
        croq.trigger %full at %i
      } else {
        croq.wait %full at %i
        croq.parallel (%t) in (64) : thread {
          %zero = arith.constant 0 : i32
          %sum = croq.foreach %p in P iter(%so_far = %zero) {
            %v = croq.load %ring[%slot, %p, %t]
            %more = arith.addi %so_far, %v : i32
            croq.yield %more : i32
          }
          croq.store %sum, %y[%i, %t]
        }
        croq.trigger %empty at %i
      }
    }
  }
}
"""
"""P blocks fill a ring in global memory, one more adds up what is in it."""

DOUBLED = """
croq.kernel @doubled dims(N) (
    %x: !croq.tile<[N]x128xf32, global>, %mid: !croq.tile<[N]x128xf32, global>,
    %y: !croq.tile<[N]x128xf32, global>) {
  %n = croq.dim N
  croq.parallel (%b) in (%n) : block threads 128 {
    %done = croq.event : !croq.event<1, grid>
    %buf = croq.alloc : !croq.tile<1x128xf32, shared>
    croq.parallel (%t) in (128) : thread {
      %v = croq.load %x[%b, %t]
      %w = arith.addf %v, %v : f32
      croq.store %w, %mid[%b, %t]
    }
    croq.trigger %done at 0
    croq.wait %done at 0
    %one = arith.constant 1 : index
    %next = arith.addi %b, %one : index
    %peer = arith.remui %next, %n : index
    %src = croq.subspan %mid [1, 128] tile (%peer, 0)
    croq.copy %src => %buf engine(tma)
    %dst = croq.subspan %y [1, 128] tile (%b, 0)
    croq.copy %buf => %dst engine(tma)
  }
}
"""
"""Each block loads by TMA what the threads of another one have written."""

RELAYED = """
croq.kernel @relayed dims(B, N) (
    %x: !croq.tile<[N]x[B]x64xf32, global>, %m: !croq.tile<[N]x[B]x64xf32, global>,
    %y: !croq.tile<[N]x[B]x64xf32, global>) {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block {
    %sent = croq.event : !croq.event<4, grid>
    %full = croq.event : !croq.event<2>
    %empty = croq.event ready : !croq.event<2>
    %buf = croq.alloc : !croq.tile<2x1x1x64xf32, shared>
    croq.role "writer" warps [0, 2) {
      croq.foreach %i in N {
        croq.parallel (%t) in (64) : thread {
          %v = croq.load %x[%i, %b, %t]
          %w = arith.addf %v, %v : f32
          croq.store %w, %m[%i, %b, %t]
        }
        croq.trigger %sent at %i
      }
    }
    croq.role "loader" warps [2, 3) {
      %one = arith.constant 1 : index
      %next = arith.addi %b, %one : index
      %peer = arith.remui %next, %blocks : index
      croq.foreach %i in N {
        croq.wait %sent at %i
        croq.wait %empty at %i
        %slot = croq.slot %buf at %i
        %src = croq.subspan %m [1, 1, 64] tile (%i, %peer, 0)
        %f = croq.copy_async %src => %slot engine(tma)
        croq.trigger %full at %i after %f
      }
    }
    croq.role "reader" warps [3, 5) {
      croq.foreach %i in N {
        croq.wait %full at %i
        %slot = croq.slot %buf at %i
        croq.parallel (%t) in (64) : thread {
          %v = croq.load %slot[0, 0, %t]
          croq.store %v, %y[%i, %b, %t]
        }
        croq.trigger %empty at %i
      }
    }
  }
}
"""
"""A role loads, through a ring, what a role of another block writes."""
