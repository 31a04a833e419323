// RUN: croq-opt %s --check-level --split-input-file --verify-diagnostics
// RUN: not croq-opt %s --check-level --split-input-file 2>&1 | filecheck %s

// The pass that lowers what is left is named.
// CHECK: error: 'croq.kernel' op is not legal at level nvvm
// CHECK: hint: --lower-parallel lowers it
// CHECK: error: 'arith.index_cast' op must not use type index at level nvvm
// CHECK: hint: --narrow-index lowers it

// expected-error@+1 {{'croq.kernel' op is not legal at level nvvm}}
croq.kernel @k () {
  croq.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error@+1 {{'croq.cdiv' op is not legal at level nvvm}}
  %c = croq.cdiv 7, 3
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error@+1 {{'arith.index_cast' op must not use type index at level nvvm}}
  %i = arith.index_cast %a : i32 to index
  llvm.return
}

// -----

// Arithmetic on i16 is no hardware level arithmetic; values in memory may be, and the masks
// of multicast copies.
llvm.func @f(%a: i16, %p: !llvm.ptr, %n: i32) {
  llvm.store %a, %p : i16, !llvm.ptr
  %one = arith.constant 3 : i16
  %mask = arith.trunci %n : i32 to i16
  // expected-error@+1 {{'arith.addi' op must not use type i16 at level nvvm}}
  %b = arith.addi %a, %a : i16
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error@+1 {{'llvm.load' op must not use type vector<8xf32> at level nvvm}}
  %v = llvm.load %p : !llvm.ptr -> vector<8xf32>
  llvm.return
}

// -----

// expected-error@+1 {{'func.func' op is not legal at level nvvm}}
func.func private @f()

// -----

// expected-error@+1 {{'llvm.func' op must not have attribute 'croq.left' at level nvvm}}
llvm.func @f() attributes {croq.left} {
  llvm.return
}

// -----

// The launch plan and the target stay.
builtin.module attributes {croq.target = "sm_90a"} {
  llvm.func @f() attributes {croq.launch = {dims = ["M"], grid = [1 : index]}} {
    llvm.return
  }
}

// -----

// expected-error@+1 {{'llvm.func' op must not use type index in attribute 'sizes' at level nvvm}}
llvm.func @f() attributes {sizes = [4 : index]} {
  llvm.return
}
