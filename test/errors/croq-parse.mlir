// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the parsers of the croq dialect refuse.

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{use of undefined value %nowhere}}
    %a = croq.subspan %nowhere [64, 64] tile (0, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{use of undefined value %nowhere}}
    %a = croq.subspan %t [64, 64] tile (%nowhere, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{an index operand must have type index, got f32}}
    %a = croq.subspan %t [64, 64] tile (%x, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be a tile, got index}}
    %a = croq.subspan %i [64, 64] tile (0, 0)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be a tile, got f32}}
    croq.copy %x => %t
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{Expected `auto`, `tma`, `cp_async`, or `threads`.}}
    croq.copy %t => %t engine(dma)
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be a future, got index}}
    croq.await %i
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be a future, got index}}
    %d = croq.data %i
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be an event, got index}}
    croq.wait %i at 0
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be an event, got f32}}
    croq.trigger %x at 0
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{operands of after must be futures, got index}}
    croq.trigger %e at 0 after %i
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{an offset of an order must be an integer or a name}}
    croq.wait %e at %i + %i
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{expected an event type, got !croq.tile<8xf16, shared>}}
    %e = croq.event : !croq.tile<8xf16, shared>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{expected an accumulator type, got f32}}
    %c = croq.mma.fill 0.0 : f32
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be an accumulator, got index}}
    %c = croq.mma.commit %i
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{form must be one of row.row, row.col, col.row, col.col, got row}}
    %c = croq.mma.exec row %z, %t, %t
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %z = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // expected-error@+1 {{operand must be a tile, got index}}
    %c = croq.mma.exec row.row %z, %i, %t
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{operand must have type !llvm.ptr<3>, got f32}}
    %f = croq.copy_async %a => %a completes %x : !llvm.ptr<3>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{pointer type must be !llvm.ptr<3>, got !llvm.ptr<1>}}
    %p = croq.address %a[0, 0] : !llvm.ptr<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{result type must be !llvm.ptr, got !llvm.ptr<1>}}
    %m = croq.tensor_map %t box [64, 64] swizzle<128> : !llvm.ptr<1>
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{Expected `k`, or `mn`.}}
    %m = croq.descriptor %a[0, 0] major(n) : i64
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{Expected `cluster`, `block`, `warpgroup`, `warp`, or `thread`.}}
    croq.parallel (%j) in (1) : lane {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{Expected one of 'warpgroups', 'warps'}}
    croq.role "a" threads [0, 1) {
    }
  }
}

// -----

croq.kernel @k dims(M) params(S = 4) (%t: !croq.tile<[M]x64xf16, global>, %i: index, %x: f32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be an}}
    croq.wait %t at 0
  }
}

// -----

// expected-error@+1 {{swizzle must be 128, 64, 32 or none, got 96}}
%a = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<96>>

// -----

// expected-error@+1 {{a dim must be positive, got 0}}
%a = croq.alloc : !croq.tile<0x64xf16, shared>

// -----

// expected-error@+1 {{element type of a tile must be f16, bf16, f32, f64 or an integer of whole bytes, got i1}}
%a = croq.alloc : !croq.tile<8x64xi1, shared>

// -----

// expected-error@+1 {{element type of a tile must be f16, bf16, f32, f64 or an integer of whole bytes, got index}}
%a = croq.alloc : !croq.tile<8x64xindex, shared>

// -----

// expected-error@+1 {{before the memory space}}
%a = croq.alloc : !croq.tile<8x64xf16>

// -----

// expected-error@+1 {{Expected `global`, `shared`, or `register`.}}
%a = croq.alloc : !croq.tile<8x64xf16, local>

// -----

// expected-error@+1 {{only a shared tile has a layout, got a global tile}}
%a = croq.alloc : !croq.tile<8x64xf16, global, row_major>

// -----

// expected-error@+1 {{Expected either integer literal or '?' in shape dimension, got BARE_IDENT!}}
%a = croq.alloc : !croq.tile<8xhalf, shared>

// -----

// expected-error@+1 {{an event must have at least one slot, got 0}}
%a = croq.event : !croq.event<0>

// -----

// expected-error@+1 {{an accumulator must be <rows x columns x f32|f16|i32>}}
%a = croq.mma.fill 0.0 : !croq.acc<64xf32>

// -----

// expected-error@+1 {{an accumulator must be <rows x columns x f32|f16|i32>}}
%a = croq.mma.fill 0.0 : !croq.acc<64x32xbf16>

// -----

// expected-error@+1 {{a dim must be positive, got 0}}
%a = croq.mma.fill 0.0 : !croq.acc<64x0xf32>

// -----

// expected-error@+1 {{value must fit 32 bits, got 2147483648}}
%a = croq.mma.fill 2147483648 : !croq.acc<64x8xi32>

// -----

// expected-error@+1 {{an accumulator must be <rows x columns x f32|f16|i32>}}
%a = croq.mma.fill 0.0 : !croq.acc<64x?xf32>

// -----

// expected-error@+1 {{Operation croq.loop is not registered}}
"croq.loop"() : () -> ()

// -----

// expected-error@+1 {{ as the name of a dim}}
croq.kernel @k dims(3) () {
}

// -----

// expected-error@+1 {{ as the name of a parameter}}
croq.kernel @k params(3 = 4) () {
}
