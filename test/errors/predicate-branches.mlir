// RUN: not croq-opt %s --predicate-branches{limit=-1} 2>&1 | filecheck %s

// CHECK: error: limit must be 0 or more, got -1

builtin.module {
}
