// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of the llvm dialect refuse, one rule each.

llvm.func @f(%x: f32) {
  // expected-error@+1 {{'llvm.bitcast' op value and result must have the same size, got f32 and i64}}
  %q = llvm.bitcast %x : f32 to i64
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.bitcast' op value and result must not be pointers of different spaces, nor a pointer and something else, got !llvm.ptr<3> and !llvm.ptr<7>}}
  %q = llvm.bitcast %s : !llvm.ptr<3> to !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'llvm.addrspacecast' op value must be a pointer, got i32}}
  %q = llvm.addrspacecast %i : i32 to !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.ptrtoint' op result must be an integer, got f32}}
  %q = llvm.ptrtoint %s : !llvm.ptr<3> to f32
  llvm.return
}

// -----

llvm.func @f(%x: f32) {
  // expected-error@+1 {{'llvm.inttoptr' op value must be an integer, got f32}}
  %q = llvm.inttoptr %x : f32 to !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{index into !llvm.struct<(f32, f32)> must be a constant below 2, got 2}}
  %q = llvm.extractvalue %f2[2] : !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{index 0 must go into a struct or an array, got f32}}
  %q = llvm.extractvalue %f2[1, 0] : !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{'llvm.extractvalue' op result must be f32, got i32}}
  %q = "llvm.extractvalue"(%f2) <{position = array<i64: 1>}> : (!llvm.struct<(f32, f32)>) -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32, %f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{'llvm.insertvalue' op value must be f32, got i32}}
  %q = "llvm.insertvalue"(%f2, %i) <{position = array<i64: 1>}> : (!llvm.struct<(f32, f32)>, i32) -> !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.getelementptr' op must have at least one index, got none}}
  %q = llvm.getelementptr %s[] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'llvm.getelementptr' op index 1 must go into a struct or an array, got i8}}
  %q = llvm.getelementptr %s[%i, 1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'llvm.getelementptr' op index into !llvm.struct<(f32, f32)> must be a constant below 2, got an operand}}
  %q = llvm.getelementptr %s[0, %i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'llvm.getelementptr' op base and result must have the same type, got !llvm.ptr<3> and !llvm.ptr}}
  %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr, i8
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'llvm.getelementptr' op must have 0 index operands, as rawConstantIndices says, got 1}}
  %q = "llvm.getelementptr"(%s, %i) <{elem_type = i8, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: 1>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.load' op alignment must be a power of two, got 3}}
  %q = llvm.load %s {alignment = 3 : i64} : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.load' op must have an alignment when it is atomic, got none}}
  %q = llvm.load %s atomic acquire : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'llvm.load' op ordering must be one of LLVM's for such an access, got release}}
  %q = llvm.load %s atomic release {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %x: f32) {
  // expected-error@+1 {{'llvm.store' op ordering must be one of LLVM's for such an access, got acquire}}
  llvm.store %x, %s atomic acquire {alignment = 4 : i64} : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// expected-error@+1 {{'llvm.mlir.global' op alignment must be a power of two, got 12}}
llvm.mlir.global external @a() {addr_space = 3 : i32, alignment = 12 : i64} : !llvm.array<0 x i8>

// -----

// expected-error@+1 {{'llvm.mlir.global' op addr_space must not be negative, got -1}}
llvm.mlir.global external @a() {addr_space = -1 : i32} : !llvm.array<0 x i8>

// -----

// expected-error@+1 {{'llvm.func' op must return no value as a kernel, got i32}}
llvm.func @k(%a: i32) -> i32 attributes {nvvm.kernel} {
  llvm.return %a : i32
}

// -----

// expected-error@+1 {{'llvm.func' op must have a body as a kernel, got none}}
llvm.func @k(i32) attributes {nvvm.kernel}

// -----

// expected-error@+1 {{'llvm.func' op must have one dictionary of attributes for each of 1 arguments, got 2}}
"llvm.func"() <{sym_name = "k", function_type = !llvm.func<void (i32)>, arg_attrs = [{}, {}]}> ({}) : () -> ()

// -----

// expected-error@+1 {{'llvm.func' op entry block must have the arguments of the function type !llvm.func<void (i32)>, got (i64)}}
"llvm.func"() <{sym_name = "k", function_type = !llvm.func<void (i32)>}> ({
^bb0(%a: i64):
  "llvm.return"() : () -> ()
}) : () -> ()

// -----

llvm.func @f(%g: !llvm.ptr<1>, %x: f32) {
  // expected-error@+1 {{'llvm.atomicrmw' op val must be an integer for add, got f32}}
  %r = llvm.atomicrmw add %g, %x monotonic : !llvm.ptr<1>, f32
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{'llvm.atomicrmw' op val must be a float for fadd, got i32}}
  %r = llvm.atomicrmw fadd %g, %i monotonic : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{'llvm.atomicrmw' op ordering must be one of monotonic, acquire, release, acq_rel, seq_cst, got unordered}}
  %r = llvm.atomicrmw add %g, %i unordered : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{'llvm.cmpxchg' op failure_ordering must be one of monotonic, acquire, seq_cst, got release}}
  %r = llvm.cmpxchg %g, %i, %i acq_rel release : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'llvm.fence' op ordering must be one of acquire, release, acq_rel, seq_cst, got monotonic}}
  llvm.fence monotonic
  llvm.return
}

// -----

llvm.func @f(%n: i32) {
  // expected-error@+1 {{'llvm.alloca' op alignment must be a power of two, got 12}}
  %p = llvm.alloca %n x f32 {alignment = 12 : i64} : (i32) -> !llvm.ptr<5>
  llvm.return
}
