// RUN: mem-opt %s -memopt-report -o /dev/null | FileCheck %s

// The backward reads nothing of what the norm makes, so that its normalised output
// would have to be kept in place of the input: nothing is saved.
// CHECK: left alone:
// CHECK-NEXT: 1 x memopt.norm_grad rms: what it would keep is no smaller than what it keeps
func.func @step(%a: tensor<4x8xf32>, %g: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %loss = arith.addf %y, %a : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %loss, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}
