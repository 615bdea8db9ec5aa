// RUN: mem-opt %s -memopt-inline-calls | FileCheck %s
// RUN: mem-opt %s -memopt-inline-calls=function=other | FileCheck %s --check-prefix=NAMED

// Bodies go in whole, also those of calls in them, and again at the second call.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[A:.*]] = math.tanh %[[X]]
// CHECK-NEXT: %[[B:.*]] = math.tanh %[[A]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[B]]
// CHECK-NEXT: return %[[E]], %[[X]]
// NAMED-LABEL: func.func @step
// NAMED-COUNT-2: call @half
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = call @half(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = call @half(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %e:2 = call @two(%b, %x) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %e#0, %e#1 : tensor<8xf32>, tensor<8xf32>
}

// What nobody calls any more goes.
// CHECK-NOT: @half
// CHECK-NOT: @inner
// NAMED: @half
// NAMED: @inner
func.func private @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.tanh %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// One that others may call stays; results may be arguments.
// CHECK-LABEL: func.func @two
func.func @two(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  return %y, %g : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @other
// CHECK-NEXT: scf.if
// CHECK-NEXT: math.exp
// CHECK-NOT: call
// NAMED-LABEL: func.func @other
// NAMED-NEXT: scf.if
// NAMED-NEXT: math.exp
func.func @other(%x: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %r = scf.if %p -> tensor<8xf32> {
    %e:2 = func.call @two(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    scf.yield %e#0 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
