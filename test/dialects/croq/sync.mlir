// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Events, waits, triggers, barriers.

// CHECK:       croq.kernel @sync params(S = 4) (%t: !croq.tile<64x64xf16, global>, %k: index) {
croq.kernel @sync params(S = 4) (%t: !croq.tile<64x64xf16, global>, %k: index) {
  croq.parallel (%b) in (1) : block {
    // CHECK:       [[E:%.*]] = croq.event : !croq.event<[S]>
    // GENERIC:     "croq.event"() : () -> !croq.event<[S]>
    %e = croq.event : !croq.event<[S]>
    // CHECK-NEXT:  [[R:%.*]] = croq.event ready : !croq.event<3>
    // GENERIC:     "croq.event"() <{ready}> : () -> !croq.event<3>
    %r = croq.event ready : !croq.event<3>
    // CHECK-NEXT:  croq.event arrivals 8 : !croq.event<1>
    // GENERIC:     "croq.event"() <{arrivals = #builtin.int<8>}> : () -> !croq.event<1>
    %n = croq.event arrivals 8 : !croq.event<1>
    // A scalar event; a wait for it needs no slot.
    // CHECK-NEXT:  [[ONE:%.*]] = croq.event : !croq.event<1>
    // CHECK-NEXT:  croq.wait [[ONE]][0]
    %one = croq.event : !croq.event
    croq.wait %one
    // CHECK-NEXT:  croq.event ready arrivals 8 {note} : !croq.event<1>
    %m = croq.event ready arrivals 8 {note} : !croq.event<1>
    // CHECK-NEXT:  croq.wait [[E]] at %k{{$}}
    // GENERIC:     "croq.wait"({{%.*}}, {{%.*}}) <{static_order = [unit]}> : (!croq.event<[S]>, index) -> ()
    croq.wait %e at %k
    // CHECK-NEXT:  croq.wait [[E]] at %k + S{{$}}
    // GENERIC:     "croq.wait"({{%.*}}, {{%.*}}) <{static_order = [unit], offset = ["S"]}>
    croq.wait %e at %k + S
    // CHECK-NEXT:  croq.wait [[E]] at S + 2 {note}
    croq.wait %e at S + 2 {note}
    // CHECK-NEXT:  croq.wait [[E]] at %k{{$}}
    croq.wait %e at %k + 0
    // CHECK-NEXT:  croq.wait [[R]][2]
    // GENERIC:     "croq.wait"({{%.*}}) <{static_order = [2 : index], by_slot}> : (!croq.event<3>) -> ()
    croq.wait %r[2]
    // CHECK-NEXT:  croq.wait [[R]][%k]
    croq.wait %r[%k]
    // Of an event of several slots it needs one, or means all.
    // CHECK-NEXT:  croq.wait [[R]] all{{$}}
    // GENERIC:     "croq.wait"({{%.*}}) <{static_order = [], by_slot}> : (!croq.event<3>) -> ()
    croq.wait %r
    // CHECK-NEXT:  croq.wait [[R]] all {note}
    croq.wait %r all {note}
    // CHECK-NEXT:  [[A:%.*]] = croq.alloc
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-NEXT:  [[F:%.*]] = croq.copy_async
    %f = croq.copy_async %t => %a engine(tma)
    // CHECK-NEXT:  [[G:%.*]] = croq.copy_async
    %g = croq.copy_async %t => %a engine(tma)
    // CHECK-NEXT:  croq.trigger [[E]] at %k after [[F]], [[G]] {note}
    // GENERIC:     "croq.trigger"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{static_order = [unit], operandSegmentSizes = array<i32: 1, 1, 2>}>
    croq.trigger %e at %k after %f, %g {note}
    // CHECK-NEXT:  croq.trigger [[E]] at %k + S{{$}}
    // GENERIC:     "croq.trigger"({{%.*}}, {{%.*}}) <{static_order = [unit], offset = ["S"], operandSegmentSizes = array<i32: 1, 1, 0>}>
    croq.trigger %e at %k + S
    // CHECK-NEXT:  croq.trigger [[R]][1] after [[F]]
    croq.trigger %r[1] after %f
    // CHECK-NEXT:  croq.trigger [[R]][0]
    // GENERIC:     "croq.trigger"({{%.*}}) <{static_order = [0 : index], by_slot, operandSegmentSizes = array<i32: 1, 0, 0>}>
    croq.trigger %r[0]
    // CHECK-NEXT:  croq.trigger [[R]] all
    // GENERIC:     "croq.trigger"({{%.*}}) <{static_order = [], by_slot, operandSegmentSizes = array<i32: 1, 0, 0>}>
    croq.trigger %r
    // An array of two dims.
    // CHECK-NEXT:  [[ARRAY:%.*]] = croq.event : !croq.event<2x3>
    %array = croq.event : !croq.event<2x3>
    // CHECK-NEXT:  croq.wait [[ARRAY]][%k, 2]
    // GENERIC:     "croq.wait"({{%.*}}, {{%.*}}) <{static_order = [unit, 2 : index], by_slot}> : (!croq.event<2x3>, index) -> ()
    croq.wait %array[%k, 2]
    // CHECK-NEXT:  croq.trigger [[ARRAY]][1, %k] after [[F]]
    croq.trigger %array[1, %k] after %f
    // CHECK-NEXT:  croq.trigger [[ARRAY]] at 5
    croq.trigger %array at 5
    // CHECK-NEXT:  croq.wait [[ARRAY]] all
    croq.wait %array
    // CHECK-NEXT:  croq.event : !croq.event<[S]x4>
    %named = croq.event : !croq.event<[S]x4>
    // Events of the grid.
    // CHECK-NEXT:  croq.event : !croq.event<1, grid>
    %grid = croq.event : !croq.event<grid>
    // CHECK-NEXT:  [[GRID:%.*]] = croq.event ready arrivals 2 : !croq.event<[S], grid>
    %parts = croq.event ready arrivals 2 : !croq.event<[S], grid>
    // CHECK-NEXT:  croq.event arrivals %k : !croq.event<2x2, grid>
    // GENERIC:     "croq.event"({{%.*}}) : (index) -> !croq.event<2x2, grid>
    %blocks = croq.event arrivals %k : !croq.event<2x2, grid>
    // CHECK-NEXT:  croq.wait [[GRID]] at %k + 1
    croq.wait %parts at %k + 1
    // CHECK-NEXT:  croq.trigger [[GRID]] all
    croq.trigger %parts all
    // CHECK-NEXT:  croq.barrier{{$}}
    // GENERIC:     "croq.barrier"() : () -> ()
    croq.barrier
    // CHECK-NEXT:  croq.barrier {note}
    croq.barrier {note}
    // CHECK-NEXT:  croq.barrier grid{{$}}
    // GENERIC:     "croq.barrier"() <{grid}> : () -> ()
    croq.barrier grid
    // CHECK-NEXT:  [[W:%.*]] = croq.workspace : !croq.tile<1xi32, global>
    // GENERIC:     "croq.workspace"() : () -> !croq.tile<1xi32, global>
    %w = croq.workspace : !croq.tile<1xi32, global>
    // CHECK-NEXT:  croq.barrier grid count [[W]] : !croq.tile<1xi32, global>
    // GENERIC:     "croq.barrier"({{%.*}}) <{grid}> : (!croq.tile<1xi32, global>) -> ()
    croq.barrier grid count %w : !croq.tile<1xi32, global>
    // CHECK-NEXT:  croq.workspace : !croq.tile<6xi32, global>
    %more = croq.workspace : !croq.tile<6xi32, global>
  }
}
