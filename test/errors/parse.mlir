// RUN: croq-opt %s --split-input-file --verify-diagnostics
// RUN: not croq-opt %s --split-input-file 2>&1 | filecheck %s

// The first message as a user sees it: place, rule, source line, caret.
// CHECK:      parse.mlir:9:19: error: use of undefined value %nowhere

func.func @undefined_value_is_reported_at_its_use() -> i32 {
  // expected-error@+1 {{use of undefined value %nowhere}}
  %0 = arith.addi %nowhere, %nowhere : i32
  %1 = arith.addi %0, %0 : i32
  func.return %1 : i32
}

// -----

// expected-error@+1 {{use of undefined value %x}}
%c = croq.cdiv %x, 3

// -----

// expected-error@+1 {{croq.copi}}
croq.copi

// -----

// expected-error@+1 {{nodialect.op}}
nodialect.op

// -----

%n = arith.constant 3 : i32
// expected-error@+1 {{an index operand must have type index, got i32}}
%c = croq.cdiv %n, 3

// -----

// expected-error@+1 {{Expected `global`, `shared`, or `register`.}}
%t = croq.alloc : !croq.tile<64x32xf16, local>

// -----

// expected-error@+1 {{swizzle must be 128, 64, 32 or none, got 48}}
%t = croq.alloc : !croq.tile<64x32xf16, shared, swizzle<48>>

// -----

// expected-error@+1 {{only a shared tile has a layout, got a global tile}}
%t = croq.alloc : !croq.tile<64x32xf16, global, row_major>
