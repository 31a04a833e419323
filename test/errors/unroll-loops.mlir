// RUN: croq-opt --unroll-loops --split-input-file --verify-diagnostics %s

croq.kernel @dim dims(K) () {
  %steps = croq.cdiv K, 64
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.foreach' op marked unroll must have constant bounds, got 0 to %steps step 1}}
    croq.foreach %k in %steps unroll {
      croq.trigger %e at %k
    }
  }
}

// -----

croq.kernel @huge () {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<4>
    // expected-error@+1 {{'croq.foreach' op must have at most 1024 iterations to be unrolled, got 2000}}
    croq.foreach %k in 2000 unroll {
      croq.trigger %e at %k
    }
  }
}

// -----

// The inner loop has constant bounds once the outer is unrolled; the other never has.
croq.kernel @inner dims(K) () {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<4>
    croq.foreach %k in 2 unroll {
      croq.foreach %j in %k unroll {
        croq.trigger %e at %j
      }
      // expected-error@+1 {{marked unroll must have constant bounds, got 0 to K step 1}}
      croq.foreach %l in K unroll {
        croq.trigger %e at %l
      }
    }
  }
}

// -----

croq.kernel @nest () {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<4>
    croq.foreach %a in 200 unroll {
      // expected-error@+1 {{'croq.foreach' op must leave at most 65536 ops in the kernel when unrolled, got}}
      croq.foreach %b in 200 unroll {
        croq.foreach %c in 200 unroll {
          croq.trigger %e at %c
        }
      }
    }
  }
}
