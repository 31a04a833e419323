// RUN: croq-opt %s --convert-to-ptx --split-input-file --verify-diagnostics

gpu.module @m {
  llvm.func @k(%a: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{'arith.ceildivsi' op is not supported by convert-to-ptx}}
    %b = arith.ceildivsi %a, %a : i32
    llvm.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{'llvm.func' op must be a kernel for convert-to-ptx, got one without nvvm.kernel}}
  llvm.func @k() {
    llvm.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{is not supported by convert-to-ptx unless it is an external array in address space 3}}
  llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<64 x i8>
}

// -----

gpu.module @m {
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}
gpu.module @n {
  // expected-error@+1 {{must have a name of its own among all kernels}}
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

// What the target does not have.
builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.mbarrier.try_wait' op must be compiled for a target that has mbarrier_tx, got sm_80}}
      %0 = nvvm.mbarrier.try_wait %p, %i : !llvm.ptr<3>, i32 -> i1
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.mbarrier.arrive.expect_tx' op must be compiled for a target that has mbarrier_tx, got sm_80}}
      nvvm.mbarrier.arrive.expect_tx %p, %i : !llvm.ptr<3>, i32
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.mbarrier.arrive' op must be compiled for a target that has mbarrier_tx, got sm_80}}
      nvvm.mbarrier.arrive %p, %i : !llvm.ptr<3>
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.mbarrier.test.wait' op must be compiled for a target that has mbarrier_tx, got sm_80}}
      %0 = nvvm.mbarrier.test.wait %p, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k() attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.elect.sync' op must be compiled for a target that has elect, got sm_80}}
      %0 = nvvm.elect.sync -> i1
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k() attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.fence.mbarrier.init' op must be compiled for a target that has mbarrier_tx, got sm_80}}
      nvvm.fence.mbarrier.init
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k() attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.fence.proxy' op must be compiled for a target that has tma, got sm_80}}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k() attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.setmaxregister' op must be compiled for a target that has setmaxnreg, got sm_80}}
      nvvm.setmaxregister decrease 40
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
      // expected-error@+1 {{'nvvm.stmatrix' op must be compiled for a target that has stmatrix, got sm_80}}
      nvvm.stmatrix %p, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%f: f32) attributes {nvvm.kernel} {
      // expected-error@+1 {{must round by rna, got rn}}
      %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rn>}
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%f: f32) attributes {nvvm.kernel} {
      // expected-error@+1 {{is not supported by convert-to-ptx with saturation}}
      %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<satfinite>}
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%a: i64) attributes {nvvm.kernel} {
      %z = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
      // expected-error@+1 {{'nvvm.wgmma.mma_async' op must be compiled for a target that has wgmma, got sm_80}}
      %0 = nvvm.wgmma.mma_async %a, %a, %z, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      llvm.return
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    llvm.func @k(%a: bf16) attributes {nvvm.kernel} {
      // expected-error@+1 {{is not supported by convert-to-ptx on type bf16 for target sm_80}}
      %0 = arith.addf %a, %a : bf16
      llvm.return
    }
  }
}

// -----

gpu.module @m {
  llvm.func @k(%a: i8) attributes {nvvm.kernel} {
    // expected-error@+1 {{is not supported by convert-to-ptx on type i8}}
    %0 = arith.addi %a, %a : i8
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @k(%a: f16) attributes {nvvm.kernel} {
    // expected-error@+1 {{is not supported by convert-to-ptx on type f16}}
    %0 = arith.divf %a, %a : f16
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    // expected-error@+1 {{must be aligned to the 16 bytes that are accessed, got 8}}
    %0 = llvm.load %p {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{must not have a parameter of type vector<4xf32>}}
  llvm.func @k(%v: vector<4xf32>) attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
    %v = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
    // expected-error@+1 {{must have a constant index for convert-to-ptx}}
    %0 = llvm.extractelement %v[%i : i32] : vector<4xf32>
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{is not supported by convert-to-ptx with a time limit}}
    %0 = nvvm.mbarrier.try_wait %p, %i, %i : !llvm.ptr<3>, i32, i32 -> i1
    llvm.return
  }
}

// -----

// expected-error@+1 {{target must be one of sm_80, sm_86, sm_89, sm_90a, got 'sm_70'}}
builtin.module attributes {croq.target = "sm_70"} {
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  gpu.module @m {
    // expected-error@+1 {{'llvm.func' op must be compiled for a target that has cluster, got sm_80}}
    llvm.func @k() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
      llvm.return
    }
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{'llvm.func' op nvvm.cluster_dim must be 1 to 8 blocks on sm_90a, got [4, 4, 1]}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 4, 4>} {
    llvm.return
  }
}
