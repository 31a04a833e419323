// RUN: croq-opt %s --split-input-file --verify-diagnostics

func.func @before() -> i32 {
  // expected-error@+2 {{operand %b must be defined before its use}}
  // expected-note@+2 {{it is defined here}}
  %a = "arith.addi"(%b, %b) : (i32, i32) -> i32
  %b = arith.constant 1 : i32
  func.return %a : i32
}

// -----

func.func @other_branch(%c: i1) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  // expected-note@+1 {{it is defined here}}
  %a = arith.constant 1 : i32
  cf.br ^two
^two:
  // expected-error@+1 {{operand %a must be defined before its use}}
  func.return %a : i32
}

// -----

// Fine: the definition dominates through the entry block and into regions.
func.func @fine(%c: i1) -> i32 {
  %a = arith.constant 1 : i32
  cf.cond_br %c, ^one, ^two
^one:
  scf.if %c {
    %b = arith.addi %a, %a : i32
  }
  cf.br ^two
^two:
  func.return %a : i32
}
