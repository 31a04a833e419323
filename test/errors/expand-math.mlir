// RUN: croq-opt --expand-math --split-input-file --verify-diagnostics %s

llvm.func @sine(%x: f32) attributes {nvvm.kernel} {
  // expected-error@+1 {{'math.sin' op must be one of math.absf, math.exp, math.exp2, math.log, math.log2, math.rsqrt, math.sqrt, math.tanh, math.fma, got math.sin}}
  %y = math.sin %x : f32
  llvm.return
}

// -----

llvm.func @double(%x: f64) attributes {nvvm.kernel} {
  // expected-error@+1 {{'math.exp' op must be of f32, f16 or bf16, got f64}}
  %y = math.exp %x : f64
  llvm.return
}
