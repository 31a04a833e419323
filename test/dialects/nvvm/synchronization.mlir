// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Fences, barriers, clusters, register budgets, dependent launches.

// CHECK-LABEL: llvm.func @fences(
// CHECK-SAME: [[ANY:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[N:%[^:]*]]: i32)
// GENERIC: sym_name = "fences"
// GENERIC: ^bb0([[ANY:%[^:]*]]: !llvm.ptr, [[N:%[^:]*]]: i32):
llvm.func @fences(%any: !llvm.ptr, %n: i32) {
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.global>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<alias>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  // CHECK: nvvm.fence.proxy.acquire <gpu> [[ANY]], [[N]]
  // GENERIC: "nvvm.fence.proxy.acquire"([[ANY]], [[N]]) <{scope = #nvvm.mem_scope<gpu>, fromProxy = #nvvm.proxy_kind<generic>, toProxy = #nvvm.proxy_kind<tensormap>}> : (!llvm.ptr, i32) -> ()
  nvvm.fence.proxy.acquire <gpu> %any, %n
  // CHECK: nvvm.fence.proxy.release <sys>
  // GENERIC: "nvvm.fence.proxy.release"() <{scope = #nvvm.mem_scope<sys>, fromProxy = #nvvm.proxy_kind<generic>, toProxy = #nvvm.proxy_kind<tensormap>}> : () -> ()
  nvvm.fence.proxy.release <sys>
  // CHECK: nvvm.fence.mbarrier.init
  // GENERIC: "nvvm.fence.mbarrier.init"() : () -> ()
  nvvm.fence.mbarrier.init
  // CHECK: nvvm.fence.sc.cluster
  // GENERIC: "nvvm.fence.sc.cluster"() : () -> ()
  nvvm.fence.sc.cluster
  // CHECK: nvvm.memory.barrier <cta>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<cta>}> : () -> ()
  nvvm.memory.barrier <cta>
  // CHECK: nvvm.memory.barrier <gpu>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<gpu>}> : () -> ()
  nvvm.memory.barrier <gpu>
  // CHECK: nvvm.memory.barrier <sys>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<sys>}> : () -> ()
  nvvm.memory.barrier <sys>
  llvm.return
}

// CHECK-LABEL: llvm.func @barriers(
// CHECK-SAME: [[ID:%[^:]*]]: i32,
// CHECK-SAME: [[N:%[^:]*]]: i32,
// CHECK-SAME: [[P:%[^:]*]]: i32)
// GENERIC: sym_name = "barriers"
// GENERIC: ^bb0([[ID:%[^:]*]]: i32, [[N:%[^:]*]]: i32, [[P:%[^:]*]]: i32):
llvm.func @barriers(%id: i32, %n: i32, %p: i32) {
  // CHECK: nvvm.barrier0
  // GENERIC: "nvvm.barrier0"() : () -> ()
  nvvm.barrier0
  // CHECK: nvvm.barrier
  // GENERIC: "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  nvvm.barrier
  // CHECK: nvvm.barrier id = [[ID]]
  // GENERIC: "nvvm.barrier"([[ID]]) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  nvvm.barrier id = %id
  // CHECK: nvvm.barrier id = [[ID]] number_of_threads = [[N]]
  // GENERIC: "nvvm.barrier"([[ID]], [[N]]) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
  nvvm.barrier id = %id number_of_threads = %n
  // CHECK: %{{.*}} = nvvm.barrier #nvvm.reduction<and> [[P]] -> i32
  // GENERIC: %{{.*}} = "nvvm.barrier"([[P]]) <{reductionOp = #nvvm.reduction<and>, operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> i32
  %r0 = nvvm.barrier #nvvm.reduction<and> %p -> i32
  // CHECK: %{{.*}} = nvvm.barrier #nvvm.reduction<popc> [[P]] -> i32
  // GENERIC: %{{.*}} = "nvvm.barrier"([[P]]) <{reductionOp = #nvvm.reduction<popc>, operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> i32
  %r1 = nvvm.barrier #nvvm.reduction<popc> %p -> i32
  // CHECK: nvvm.barrier.arrive id = [[ID]] number_of_threads = [[N]]
  // GENERIC: "nvvm.barrier.arrive"([[ID]], [[N]]) : (i32, i32) -> ()
  nvvm.barrier.arrive id = %id number_of_threads = %n
  // CHECK: nvvm.barrier.arrive number_of_threads = [[N]]
  // GENERIC: "nvvm.barrier.arrive"([[N]]) : (i32) -> ()
  nvvm.barrier.arrive number_of_threads = %n
  // CHECK: nvvm.bar.warp.sync [[ID]] : i32
  // GENERIC: "nvvm.bar.warp.sync"([[ID]]) : (i32) -> ()
  nvvm.bar.warp.sync %id : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @clusters(
// CHECK-SAME: [[ANY:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[OWN:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[ID:%[^:]*]]: i32)
// GENERIC: sym_name = "clusters"
// GENERIC: ^bb0([[ANY:%[^:]*]]: !llvm.ptr, [[OWN:%[^:]*]]: !llvm.ptr<3>, [[ID:%[^:]*]]: i32):
llvm.func @clusters(%any: !llvm.ptr, %own: !llvm.ptr<3>, %id: i32) {
  // CHECK: nvvm.cluster.arrive
  // GENERIC: "nvvm.cluster.arrive"() : () -> ()
  nvvm.cluster.arrive
  // CHECK: nvvm.cluster.arrive {aligned}
  // GENERIC: "nvvm.cluster.arrive"() <{aligned}> : () -> ()
  nvvm.cluster.arrive {aligned}
  // CHECK: nvvm.cluster.arrive.relaxed
  // GENERIC: "nvvm.cluster.arrive.relaxed"() : () -> ()
  nvvm.cluster.arrive.relaxed
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // GENERIC: "nvvm.cluster.arrive.relaxed"() <{aligned}> : () -> ()
  nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.cluster.wait
  // GENERIC: "nvvm.cluster.wait"() : () -> ()
  nvvm.cluster.wait
  // CHECK: nvvm.cluster.wait {aligned}
  // GENERIC: "nvvm.cluster.wait"() <{aligned}> : () -> ()
  nvvm.cluster.wait {aligned}
  // CHECK: %{{.*}} = nvvm.mapa [[OWN]], [[ID]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // GENERIC: %{{.*}} = "nvvm.mapa"([[OWN]], [[ID]]) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
  %r0 = nvvm.mapa %own, %id : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: %{{.*}} = nvvm.mapa [[ANY]], [[ID]] : !llvm.ptr -> !llvm.ptr
  // GENERIC: %{{.*}} = "nvvm.mapa"([[ANY]], [[ID]]) : (!llvm.ptr, i32) -> !llvm.ptr
  %r1 = nvvm.mapa %any, %id : !llvm.ptr -> !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @thread(
// CHECK-SAME: [[N:%[^:]*]]: i32)
// GENERIC: sym_name = "thread"
// GENERIC: ^bb0([[N:%[^:]*]]: i32):
llvm.func @thread(%n: i32) {
  // CHECK: nvvm.setmaxregister increase 232
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action increase>, regCount = 232 : i32}> : () -> ()
  nvvm.setmaxregister increase 232
  // CHECK: nvvm.setmaxregister decrease 40
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action decrease>, regCount = 40 : i32}> : () -> ()
  nvvm.setmaxregister decrease 40
  // CHECK: nvvm.griddepcontrol wait
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action wait>}> : () -> ()
  nvvm.griddepcontrol wait
  // CHECK: nvvm.griddepcontrol launch_dependents
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action launch_dependents>}> : () -> ()
  nvvm.griddepcontrol launch_dependents
  // CHECK: nvvm.nanosleep [[N]]
  // GENERIC: "nvvm.nanosleep"([[N]]) : (i32) -> ()
  nvvm.nanosleep %n
  // CHECK: nvvm.exit
  // GENERIC: "nvvm.exit"() : () -> ()
  nvvm.exit
  llvm.return
}
