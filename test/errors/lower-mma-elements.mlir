// RUN: croq-opt --lower-mma --split-input-file --verify-diagnostics %s

croq.kernel @in_flight () {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %acc1 = croq.mma.exec row.row %acc, %a, %a
    %acc2 = croq.mma.commit %acc1
    // expected-error@+1 {{'croq.elementwise' op must compute with an accumulator that is complete, got one with products in flight}}
    %acc3 = croq.elementwise (%x = %acc2) -> !croq.acc<64x64xf32> {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @reduced_in_flight () {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %v = croq.alloc : !croq.tile<64xf32, shared, row_major>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %acc1 = croq.mma.exec row.row %acc, %a, %a
    // expected-error@+1 {{'croq.reduce' op must reduce an accumulator that is complete, got one with products in flight}}
    croq.reduce max %acc1 dim 1 => %v
  }
}

// -----

croq.kernel @rows_of_four_warps () attributes {warp_products} {
  croq.parallel (%b) in (1) : block {
    %v = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %acc = croq.mma.fill 0.0 : !croq.acc<16x64xf32>
    // expected-error@+1 {{'croq.reduce' op must reduce an accumulator whose rows are each in one warp, got one divided along its rows}}
    croq.reduce add %acc dim 1 => %v
  }
}
