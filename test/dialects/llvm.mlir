// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// The llvm dialect of the hardware level.

// CHECK: llvm.mlir.global internal @ring() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8192 x i8>
// GENERIC: "llvm.mlir.global"() <{
// GENERIC-SAME: linkage = #llvm.linkage<"internal">
// GENERIC-SAME: sym_name = "ring"
llvm.mlir.global internal @ring() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8192 x i8>
// CHECK: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.mlir.global internal constant @one(1 : i32) : i32
llvm.mlir.global internal constant @one(1 : i32) : i32
// CHECK: llvm.mlir.global private unnamed_addr constant @two(2 : i32) {addr_space = 4 : i32, section = "x"} : i32
llvm.mlir.global private unnamed_addr constant @two(2 : i32) {addr_space = 4 : i32, section = "x"} : i32

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1> {llvm.noalias},
// CHECK-SAME: %{{[^:]*}}: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 168 : i32, nvvm.cluster_dim = array<i32: 2, 1, 1>, croq.launch = {block = 384 : i64}} {
// GENERIC: "llvm.func"() <{
// GENERIC-SAME: sym_name = "kernel"
// GENERIC-SAME: arg_attrs = [{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, {llvm.noalias}, {}]
llvm.func @kernel(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>,
                                   llvm.align = 64 : i64, nvvm.grid_constant},
                  %out: !llvm.ptr<1> {llvm.noalias}, %n: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>,
                nvvm.minctasm = 1 : i32, nvvm.maxnreg = 168 : i32,
                nvvm.cluster_dim = array<i32: 2, 1, 1>, croq.launch = {block = 384 : i64}} {
  // CHECK: %{{.*}} = llvm.mlir.addressof @smem : !llvm.ptr<3>
  // GENERIC: %{{.*}} = "llvm.mlir.addressof"() <{global_name = @smem}> : () -> !llvm.ptr<3>
  %p = llvm.mlir.addressof @smem : !llvm.ptr<3>
  llvm.return
}
// GENERIC: }) {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 168 : i32, nvvm.cluster_dim = array<i32: 2, 1, 1>, croq.launch = {block = 384 : i64}}

// CHECK: llvm.func @declared(i32, !llvm.ptr<3>) -> i32
llvm.func @declared(i32, !llvm.ptr<3>) -> i32

// CHECK: llvm.func internal @callee(%{{.*}}: i32) -> (i32 {llvm.zeroext}) attributes {no_inline} {
llvm.func internal @callee(%a: i32) -> (i32 {llvm.zeroext}) attributes {no_inline} {
  llvm.return %a : i32
}

// CHECK: llvm.func @dictionary() attributes {target_cpu = "sm_90a"} {
llvm.func @dictionary() attributes {target_cpu = "sm_90a"} {
  llvm.return
}

// CHECK-LABEL: llvm.func @literals()
// GENERIC: sym_name = "literals"
llvm.func @literals() {
  // CHECK: %{{.*}} = llvm.mlir.undef : !llvm.struct<(f32, f32)>
  // GENERIC: %{{.*}} = "llvm.mlir.undef"() : () -> !llvm.struct<(f32, f32)>
  %r0 = llvm.mlir.undef : !llvm.struct<(f32, f32)>
  // CHECK: %{{.*}} = llvm.mlir.poison : !llvm.struct<(f32, f32)>
  // GENERIC: %{{.*}} = "llvm.mlir.poison"() : () -> !llvm.struct<(f32, f32)>
  %r1 = llvm.mlir.poison : !llvm.struct<(f32, f32)>
  // CHECK: %{{.*}} = llvm.mlir.zero : !llvm.struct<(f32, f32)>
  // GENERIC: %{{.*}} = "llvm.mlir.zero"() : () -> !llvm.struct<(f32, f32)>
  %r2 = llvm.mlir.zero : !llvm.struct<(f32, f32)>
  // CHECK: %{{.*}} = llvm.mlir.zero : !llvm.ptr
  // GENERIC: %{{.*}} = "llvm.mlir.zero"() : () -> !llvm.ptr
  %r3 = llvm.mlir.zero : !llvm.ptr
  // CHECK: %{{.*}} = llvm.mlir.constant(7 : i32) : i32
  // GENERIC: %{{.*}} = "llvm.mlir.constant"() <{value = 7 : i32}> : () -> i32
  %r4 = llvm.mlir.constant(7 : i32) : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @casts(
// CHECK-SAME: [[P:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[G:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[I:%[^:]*]]: i32,
// CHECK-SAME: [[X:%[^:]*]]: f32,
// CHECK-SAME: [[H:%[^:]*]]: vector<2xf16>)
// GENERIC: sym_name = "casts"
// GENERIC: ^bb0([[P:%[^:]*]]: !llvm.ptr<3>, [[G:%[^:]*]]: !llvm.ptr<1>, [[I:%[^:]*]]: i32, [[X:%[^:]*]]: f32, [[H:%[^:]*]]: vector<2xf16>):
llvm.func @casts(%p: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32, %x: f32,
    %h: vector<2xf16>) {
  // CHECK: %{{.*}} = llvm.bitcast [[X]] : f32 to i32
  // GENERIC: %{{.*}} = "llvm.bitcast"([[X]]) : (f32) -> i32
  %r0 = llvm.bitcast %x : f32 to i32
  // CHECK: %{{.*}} = llvm.bitcast [[H]] : vector<2xf16> to i32
  // GENERIC: %{{.*}} = "llvm.bitcast"([[H]]) : (vector<2xf16>) -> i32
  %r1 = llvm.bitcast %h : vector<2xf16> to i32
  // CHECK: %{{.*}} = llvm.addrspacecast [[P]] : !llvm.ptr<3> to !llvm.ptr<7>
  // GENERIC: %{{.*}} = "llvm.addrspacecast"([[P]]) : (!llvm.ptr<3>) -> !llvm.ptr<7>
  %r2 = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: %{{.*}} = llvm.addrspacecast [[P]] : !llvm.ptr<3> to !llvm.ptr
  // GENERIC: %{{.*}} = "llvm.addrspacecast"([[P]]) : (!llvm.ptr<3>) -> !llvm.ptr
  %r3 = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
  // CHECK: %{{.*}} = llvm.ptrtoint [[P]] : !llvm.ptr<3> to i32
  // GENERIC: %{{.*}} = "llvm.ptrtoint"([[P]]) : (!llvm.ptr<3>) -> i32
  %r4 = llvm.ptrtoint %p : !llvm.ptr<3> to i32
  // CHECK: %{{.*}} = llvm.ptrtoint [[G]] : !llvm.ptr<1> to i64
  // GENERIC: %{{.*}} = "llvm.ptrtoint"([[G]]) : (!llvm.ptr<1>) -> i64
  %r5 = llvm.ptrtoint %g : !llvm.ptr<1> to i64
  // CHECK: %{{.*}} = llvm.inttoptr [[I]] : i32 to !llvm.ptr<3>
  // GENERIC: %{{.*}} = "llvm.inttoptr"([[I]]) : (i32) -> !llvm.ptr<3>
  %r6 = llvm.inttoptr %i : i32 to !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @members(
// CHECK-SAME: [[I:%[^:]*]]: i32,
// CHECK-SAME: [[X:%[^:]*]]: f32,
// CHECK-SAME: [[S:%[^:]*]]: !llvm.struct<(f32, f32)>,
// CHECK-SAME: [[N:%[^:]*]]: !llvm.struct<(f32, !llvm.array<2 x i32>)>,
// CHECK-SAME: [[V:%[^:]*]]: vector<4xf32>)
// GENERIC: sym_name = "members"
// GENERIC: ^bb0([[I:%[^:]*]]: i32, [[X:%[^:]*]]: f32, [[S:%[^:]*]]: !llvm.struct<(f32, f32)>, [[N:%[^:]*]]: !llvm.struct<(f32, !llvm.array<2 x i32>)>, [[V:%[^:]*]]: vector<4xf32>):
llvm.func @members(%i: i32, %x: f32, %s: !llvm.struct<(f32, f32)>,
    %n: !llvm.struct<(f32, !llvm.array<2 x i32>)>, %v: vector<4xf32>) {
  // CHECK: %{{.*}} = llvm.extractvalue [[S]][1] : !llvm.struct<(f32, f32)>
  // GENERIC: %{{.*}} = "llvm.extractvalue"([[S]]) <{position = array<i64: 1>}> : (!llvm.struct<(f32, f32)>) -> f32
  %r0 = llvm.extractvalue %s[1] : !llvm.struct<(f32, f32)>
  // CHECK: %{{.*}} = llvm.extractvalue [[N]][1, 0] : !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // GENERIC: %{{.*}} = "llvm.extractvalue"([[N]]) <{position = array<i64: 1, 0>}> : (!llvm.struct<(f32, !llvm.array<2 x i32>)>) -> i32
  %r1 = llvm.extractvalue %n[1, 0] : !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // CHECK: %{{.*}} = llvm.insertvalue [[X]], [[S]][0] : !llvm.struct<(f32, f32)>
  // GENERIC: %{{.*}} = "llvm.insertvalue"([[S]], [[X]]) <{position = array<i64: 0>}> : (!llvm.struct<(f32, f32)>, f32) -> !llvm.struct<(f32, f32)>
  %r2 = llvm.insertvalue %x, %s[0] : !llvm.struct<(f32, f32)>
  // CHECK: %{{.*}} = llvm.insertvalue [[I]], [[N]][1, 1] : !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // GENERIC: %{{.*}} = "llvm.insertvalue"([[N]], [[I]]) <{position = array<i64: 1, 1>}> : (!llvm.struct<(f32, !llvm.array<2 x i32>)>, i32) -> !llvm.struct<(f32, !llvm.array<2 x i32>)>
  %r3 = llvm.insertvalue %i, %n[1, 1] : !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // CHECK: %{{.*}} = llvm.extractelement [[V]]{{\[}}[[I]] : i32] : vector<4xf32>
  // GENERIC: %{{.*}} = "llvm.extractelement"([[V]], [[I]]) : (vector<4xf32>, i32) -> f32
  %r4 = llvm.extractelement %v[%i : i32] : vector<4xf32>
  // CHECK: %{{.*}} = llvm.insertelement [[X]], [[V]]{{\[}}[[I]] : i32] : vector<4xf32>
  // GENERIC: %{{.*}} = "llvm.insertelement"([[V]], [[X]], [[I]]) : (vector<4xf32>, f32, i32) -> vector<4xf32>
  %r5 = llvm.insertelement %x, %v[%i : i32] : vector<4xf32>
  llvm.return
}

// CHECK-LABEL: llvm.func @addresses(
// CHECK-SAME: [[P:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[G:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[ANY:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[I:%[^:]*]]: i32,
// CHECK-SAME: [[L:%[^:]*]]: i64)
// GENERIC: sym_name = "addresses"
// GENERIC: ^bb0([[P:%[^:]*]]: !llvm.ptr<3>, [[G:%[^:]*]]: !llvm.ptr<1>, [[ANY:%[^:]*]]: !llvm.ptr, [[I:%[^:]*]]: i32, [[L:%[^:]*]]: i64):
llvm.func @addresses(%p: !llvm.ptr<3>, %g: !llvm.ptr<1>, %any: !llvm.ptr, %i: i32,
    %l: i64) {
  // CHECK: %{{.*}} = llvm.getelementptr [[P]]{{\[}}[[I]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[P]], [[I]]) <{rawConstantIndices = array<i32: -2147483648>, elem_type = i8, noWrapFlags = 0 : i32}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r0 = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: %{{.*}} = llvm.getelementptr [[G]]{{\[}}[[L]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[G]], [[L]]) <{rawConstantIndices = array<i32: -2147483648>, elem_type = i8, noWrapFlags = 0 : i32}> : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>
  %r1 = llvm.getelementptr %g[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK: %{{.*}} = llvm.getelementptr inbounds [[P]][1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[P]]) <{rawConstantIndices = array<i32: 1024>, elem_type = i8, noWrapFlags = 3 : i32}> : (!llvm.ptr<3>) -> !llvm.ptr<3>
  %r2 = llvm.getelementptr inbounds %p[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: %{{.*}} = llvm.getelementptr inbounds|nuw [[P]]{{\[}}[[I]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[P]], [[I]]) <{rawConstantIndices = array<i32: -2147483648>, elem_type = f32, noWrapFlags = 7 : i32}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r3 = llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // CHECK: %{{.*}} = llvm.getelementptr nusw|nuw [[P]]{{\[}}[[I]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[P]], [[I]]) <{rawConstantIndices = array<i32: -2147483648>, elem_type = f32, noWrapFlags = 6 : i32}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r4 = llvm.getelementptr nusw|nuw %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // CHECK: %{{.*}} = llvm.getelementptr [[ANY]]{{\[}}[[I]], 1, 0] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[ANY]], [[I]]) <{rawConstantIndices = array<i32: -2147483648, 1, 0>, elem_type = !llvm.struct<(f32, !llvm.array<2 x i32>)>, noWrapFlags = 0 : i32}> : (!llvm.ptr, i32) -> !llvm.ptr
  %r5 = llvm.getelementptr %any[%i, 1, 0] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // CHECK: %{{.*}} = llvm.getelementptr [[ANY]][0, 1, [[I]]] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(f32, !llvm.array<2 x i32>)>
  // GENERIC: %{{.*}} = "llvm.getelementptr"([[ANY]], [[I]]) <{rawConstantIndices = array<i32: 0, 1, -2147483648>, elem_type = !llvm.struct<(f32, !llvm.array<2 x i32>)>, noWrapFlags = 0 : i32}> : (!llvm.ptr, i32) -> !llvm.ptr
  %r6 = llvm.getelementptr %any[0, 1, %i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(f32, !llvm.array<2 x i32>)>
  llvm.return
}

// CHECK-LABEL: llvm.func @accesses(
// CHECK-SAME: [[P:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[G:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[I:%[^:]*]]: i32,
// CHECK-SAME: [[X:%[^:]*]]: f32,
// CHECK-SAME: [[S:%[^:]*]]: !llvm.struct<(f32, f32)>,
// CHECK-SAME: [[V:%[^:]*]]: vector<4xf32>)
// GENERIC: sym_name = "accesses"
// GENERIC: ^bb0([[P:%[^:]*]]: !llvm.ptr<3>, [[G:%[^:]*]]: !llvm.ptr<1>, [[I:%[^:]*]]: i32, [[X:%[^:]*]]: f32, [[S:%[^:]*]]: !llvm.struct<(f32, f32)>, [[V:%[^:]*]]: vector<4xf32>):
llvm.func @accesses(%p: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32, %x: f32,
    %s: !llvm.struct<(f32, f32)>, %v: vector<4xf32>) {
  // CHECK: %{{.*}} = llvm.load [[G]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // GENERIC: %{{.*}} = "llvm.load"([[G]]) <{ordering = 0 : i64, alignment = 16 : i64}> : (!llvm.ptr<1>) -> vector<4xf32>
  %r0 = llvm.load %g {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %{{.*}} = llvm.load [[P]] : !llvm.ptr<3> -> f16
  // GENERIC: %{{.*}} = "llvm.load"([[P]]) <{ordering = 0 : i64}> : (!llvm.ptr<3>) -> f16
  %r1 = llvm.load %p : !llvm.ptr<3> -> f16
  // CHECK: %{{.*}} = llvm.load volatile [[P]] : !llvm.ptr<3> -> i32
  // GENERIC: %{{.*}} = "llvm.load"([[P]]) <{ordering = 0 : i64, volatile_}> : (!llvm.ptr<3>) -> i32
  %r2 = llvm.load volatile %p : !llvm.ptr<3> -> i32
  // CHECK: %{{.*}} = llvm.load [[G]] invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> i32
  // GENERIC: %{{.*}} = "llvm.load"([[G]]) <{ordering = 0 : i64, invariant, alignment = 4 : i64, nontemporal}> : (!llvm.ptr<1>) -> i32
  %r3 = llvm.load %g invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> i32
  // CHECK: %{{.*}} = llvm.load [[G]] atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // GENERIC: %{{.*}} = "llvm.load"([[G]]) <{ordering = 4 : i64, syncscope = "device", alignment = 4 : i64}> : (!llvm.ptr<1>) -> i32
  %r4 = llvm.load %g atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: llvm.store [[V]], [[P]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // GENERIC: "llvm.store"([[V]], [[P]]) <{ordering = 0 : i64, alignment = 16 : i64}> : (vector<4xf32>, !llvm.ptr<3>) -> ()
  llvm.store %v, %p {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: llvm.store [[S]], [[G]] : !llvm.struct<(f32, f32)>, !llvm.ptr<1>
  // GENERIC: "llvm.store"([[S]], [[G]]) <{ordering = 0 : i64}> : (!llvm.struct<(f32, f32)>, !llvm.ptr<1>) -> ()
  llvm.store %s, %g : !llvm.struct<(f32, f32)>, !llvm.ptr<1>
  // CHECK: llvm.store volatile [[X]], [[P]] : f32, !llvm.ptr<3>
  // GENERIC: "llvm.store"([[X]], [[P]]) <{ordering = 0 : i64, volatile_}> : (f32, !llvm.ptr<3>) -> ()
  llvm.store volatile %x, %p : f32, !llvm.ptr<3>
  // CHECK: llvm.store [[I]], [[G]] atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // GENERIC: "llvm.store"([[I]], [[G]]) <{ordering = 5 : i64, alignment = 4 : i64}> : (i32, !llvm.ptr<1>) -> ()
  llvm.store %i, %g atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK: llvm.store [[X]], [[G]] {nontemporal} : f32, !llvm.ptr<1>
  // GENERIC: "llvm.store"([[X]], [[G]]) <{ordering = 0 : i64, nontemporal}> : (f32, !llvm.ptr<1>) -> ()
  llvm.store %x, %g {nontemporal} : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @atomics(
// GENERIC: sym_name = "atomics"
llvm.func @atomics(%p: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32, %l: i64, %x: f32) {
  // CHECK: %{{.*}} = llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // GENERIC: "llvm.atomicrmw"(%{{.*}}, %{{.*}}) <{bin_op = 1 : i64, ordering = 2 : i64, syncscope = "device"}> : (!llvm.ptr<1>, i32) -> i32
  %r0 = llvm.atomicrmw add %g, %i syncscope("device") monotonic : !llvm.ptr<1>, i32
  %halves = llvm.mlir.undef : vector<2xf16>
  // CHECK: %{{.*}} = llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, vector<2xf16>
  %r00 = llvm.atomicrmw fadd %g, %halves syncscope("device") monotonic : !llvm.ptr<1>, vector<2xf16>
  // CHECK: %{{.*}} = llvm.atomicrmw _and %{{.*}}, %{{.*}} syncscope("block") acq_rel : !llvm.ptr<3>, i32
  // GENERIC: "llvm.atomicrmw"(%{{.*}}, %{{.*}}) <{bin_op = 3 : i64, ordering = 6 : i64, syncscope = "block"}>
  %r1 = llvm.atomicrmw _and %p, %i syncscope("block") acq_rel : !llvm.ptr<3>, i32
  // CHECK: %{{.*}} = llvm.atomicrmw umax %{{.*}}, %{{.*}} acquire {alignment = 8 : i64} : !llvm.ptr<1>, i64
  // GENERIC: "llvm.atomicrmw"(%{{.*}}, %{{.*}}) <{bin_op = 9 : i64, ordering = 4 : i64, alignment = 8 : i64}>
  %r2 = llvm.atomicrmw umax %g, %l acquire {alignment = 8 : i64} : !llvm.ptr<1>, i64
  // CHECK: %{{.*}} = llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("cluster") release : !llvm.ptr<1>, f32
  // GENERIC: "llvm.atomicrmw"(%{{.*}}, %{{.*}}) <{bin_op = 11 : i64, ordering = 5 : i64, syncscope = "cluster"}>
  %r3 = llvm.atomicrmw fadd %g, %x syncscope("cluster") release : !llvm.ptr<1>, f32
  // CHECK: %{{.*}} = llvm.atomicrmw volatile xchg %{{.*}}, %{{.*}} monotonic : !llvm.ptr<1>, f32
  // GENERIC: "llvm.atomicrmw"(%{{.*}}, %{{.*}}) <{bin_op = 0 : i64, ordering = 2 : i64, volatile_}>
  %r4 = llvm.atomicrmw volatile xchg %g, %x monotonic : !llvm.ptr<1>, f32
  // CHECK: %{{.*}} = llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32
  // GENERIC: "llvm.cmpxchg"(%{{.*}}, %{{.*}}, %{{.*}}) <{success_ordering = 6 : i64, failure_ordering = 2 : i64, syncscope = "device"}> : (!llvm.ptr<1>, i32, i32) -> !llvm.struct<(i32, i1)>
  %r5 = llvm.cmpxchg %g, %i, %i syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32
  // CHECK: %{{.*}} = llvm.cmpxchg weak %{{.*}}, %{{.*}}, %{{.*}} acquire acquire : !llvm.ptr<3>, i32
  // GENERIC: "llvm.cmpxchg"(%{{.*}}, %{{.*}}, %{{.*}}) <{success_ordering = 4 : i64, failure_ordering = 4 : i64, weak}>
  %r6 = llvm.cmpxchg weak %p, %i, %i acquire acquire : !llvm.ptr<3>, i32
  // CHECK: llvm.fence syncscope("device") acq_rel
  // GENERIC: "llvm.fence"() <{ordering = 6 : i64, syncscope = "device"}> : () -> ()
  llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.fence seq_cst
  // GENERIC: "llvm.fence"() <{ordering = 7 : i64}> : () -> ()
  llvm.fence seq_cst
  // CHECK: %{{.*}} = llvm.alloca %{{.*}} x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
  // GENERIC: "llvm.alloca"(%{{.*}}) <{elem_type = f32, alignment = 16 : i64}> : (i32) -> !llvm.ptr<5>
  %local = llvm.alloca %i x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
  // CHECK: %{{.*}} = llvm.alloca %{{.*}} x i8 : (i32) -> !llvm.ptr
  %generic = llvm.alloca %i x i8 : (i32) -> !llvm.ptr
  // CHECK: llvm.intr.trap
  // GENERIC: "llvm.intr.trap"() : () -> ()
  llvm.intr.trap
  llvm.return
}
