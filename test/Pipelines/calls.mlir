// RUN: mem-opt %s -memopt-pipeline=function=step -allow-unregistered-dialect | FileCheck %s --enable-var-scope

// A call to a function with a body is inlined; one to a declaration is carried, and
// so is an op of a dialect that nobody knows. Nested regions stay.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[H:.*]] = math.tanh %[[X]]
// CHECK: %[[M:.*]] = call @mask() : () -> tensor<8xf32>
// CHECK: %[[Y:.*]] = arith.mulf %[[H]], %[[M]]
// CHECK: %[[A:.*]] = "alien.op"(%[[Y]]) ({
// CHECK: %[[FOR:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[A]])
// CHECK: arith.mulf %[[ACC]], %[[H]]
// CHECK: return %[[Y]], %[[FOR]]
func.func @step(%x: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = call @half(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %m = call @mask() : () -> tensor<8xf32>
  %y = arith.mulf %h, %m : tensor<8xf32>
  %a = "alien.op"(%y) ({
    "alien.inner"(%h) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> tensor<8xf32> {
    %p = arith.mulf %acc, %h : tensor<8xf32>
    scf.yield %p : tensor<8xf32>
  }
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

func.func private @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.tanh %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @mask() -> tensor<8xf32>

// A step behind a wrapper is found once it is inlined.
// RUN: mem-opt %s -memopt-pipeline='function=wrapper report-after=-' -allow-unregistered-dialect -o /dev/null | FileCheck %s --check-prefix=WRAPPER
// WRAPPER: training step @wrapper
// WRAPPER: saved activations 32 bytes 32 B in 1 storage
func.func @wrapper(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = call @wrapped(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @wrapped(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %h = math.tanh %x : tensor<8xf32>
  %loss = math.sin %h : tensor<8xf32>
  %d = math.cos %h : tensor<8xf32>
  return %loss, %d : tensor<8xf32>, tensor<8xf32>
}
