// RUN: croq-opt --promote-registers --verify-diagnostics %s

gpu.module @m {
  llvm.func @undefined(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c2 = arith.constant 2 : i32
    // expected-note@+1 {{the register tile is here}}
    %r = llvm.alloca %c2 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    %second = llvm.getelementptr %r[4] : (!llvm.ptr<5>) -> !llvm.ptr<5>, i8
    llvm.store %x, %r : f32, !llvm.ptr<5>
    // expected-error@+1 {{'llvm.load' op must load an element that was stored to before, got one of a register tile without a value}}
    %a = llvm.load %second : !llvm.ptr<5> -> f32
    llvm.store %a, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}
