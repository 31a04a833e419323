// RUN: not croq-opt --pipeline-loop{stages=1\ loads=groups} %s 2>&1 | filecheck %s
// RUN: not croq-opt --pipeline-loop{loads=rings} %s 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not croq-opt --pipeline-loop{stages=2\ in_flight=1\ loads=groups} %s 2>&1 | filecheck %s --check-prefix=FLIGHT

// CHECK: error: stages must be at least 2 with in_flight=0 and loads in groups, got 1
// FLIGHT: error: stages must be at least 3 with in_flight=1 and loads in groups, got 2
// NAME: error: loads must be one of auto, events, groups, got rings
croq.kernel @nothing () {
  croq.parallel (%i) in (1) : block {
  }
}
