// RUN: croq-opt --widen-integers %s | filecheck %s

// Bytes and 16-bit integers are extended, computed with in 32 bits, and truncated where
// they are used; with zeros where the op takes them for unsigned.
// CHECK: croq.kernel @narrow
croq.kernel @narrow (%x: !croq.tile<64xi8, global>, %y: !croq.tile<64xi16, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // CHECK: [[A:%.*]] = croq.load %x[%t]
      %a = croq.load %x[%t]
      // CHECK-NEXT: [[W:%.*]] = arith.extsi [[A]] : i8 to i32
      // CHECK-NEXT: [[V:%.*]] = arith.extsi [[A]] : i8 to i32
      // CHECK-NEXT: [[S:%.*]] = arith.addi [[W]], [[V]] : i32
      // CHECK-NEXT: [[C:%.*]] = arith.trunci [[S]] : i32 to i8
      %c = arith.addi %a, %a : i8
      // CHECK-NEXT: croq.store [[C]], %x[%t]
      croq.store %c, %x[%t]
      // CHECK-NEXT: [[D:%.*]] = croq.load %y[%t]
      %d = croq.load %y[%t]
      // CHECK-NEXT: arith.extui [[D]] : i16 to i32
      // CHECK-NEXT: arith.extui [[D]] : i16 to i32
      // CHECK-NEXT: arith.divui {{.*}} : i32
      // CHECK-NEXT: arith.trunci {{.*}} : i32 to i16
      %e = arith.divui %d, %d : i16
      // CHECK-NEXT: arith.extui
      // CHECK-NEXT: arith.extui
      // CHECK-NEXT: arith.cmpi ult, {{.*}} : i32
      %f = arith.cmpi ult, %e, %d : i16
      // CHECK-NEXT: arith.extsi
      // CHECK-NEXT: arith.extsi
      // CHECK-NEXT: [[Z:%.*]] = arith.select {{.*}} : i32
      // CHECK-NEXT: arith.trunci [[Z]] : i32 to i16
      %g = arith.select %f, %d, %e : i16
      // CHECK-NEXT: croq.store
      croq.store %g, %y[%t]
      // CHECK: [[K:%.*]] = arith.constant 7 : i32
      // CHECK-NEXT: arith.trunci [[K]] : i32 to i8
      %seven = arith.constant 7 : i8
      croq.store %seven, %x[%t]
      // CHECK: [[E:%.*]] = arith.extsi {{.*}} : i16 to i32
      // CHECK-NEXT: arith.sitofp [[E]] : i32 to f32
      %h = arith.sitofp %d : i16 to f32
      // CHECK-NEXT: [[I:%.*]] = arith.fptosi {{.*}} : f32 to i32
      // CHECK-NEXT: arith.trunci [[I]] : i32 to i8
      %i = arith.fptosi %h : f32 to i8
      croq.store %i, %x[%t]
      // CHECK: [[F:%.*]] = arith.extui {{.*}} : i1 to i32
      // CHECK-NEXT: arith.trunci [[F]] : i32 to i16
      %j = arith.extui %f : i1 to i16
      croq.store %j, %y[%t]
      // Wider ones are as they were.
      // CHECK: arith.addi %{{.*}}, %{{.*}} : index
      %n = arith.addi %t, %t : index
    }
  }
}
