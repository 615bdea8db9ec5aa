// RUN: mem-opt %s --memopt-form-kernels --memopt-inline-kernels | FileCheck %s

// Kernels and back: the ops in the order of the kernels, and nothing else.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %[[A:.*]] = math.tanh %[[X]]
// CHECK-NEXT:    %[[LOSS:.*]] = math.exp %[[A]]
// CHECK-NEXT:    %[[DX:.*]] = arith.mulf %[[G]], %[[A]]
// CHECK-NEXT:    return %[[LOSS]], %[[DX]]
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
