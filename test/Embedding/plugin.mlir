// A stock mlir-opt reads the dialect from the plugin.
// RUN: %llvm_bin/mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s

// CHECK-LABEL: @step
func.func @step(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: memopt.activation gelu_erf
  %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: memopt.activation_grad gelu_erf
  %dx = memopt.activation_grad gelu_erf %g, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}
