// REQUIRES: stock-plugin
// A stock mlir-opt reads the dialect from the plugin and runs its passes by name.
// RUN: %llvm_bin/mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s --check-prefix=DIALECT
// RUN: %llvm_bin/mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(memopt-to-linalg)' %s | FileCheck %s --check-prefix=PASS
// RUN: %llvm_bin/mlir-opt --load-pass-plugin=%plugin --help | FileCheck %s --check-prefix=HELP

// HELP-DAG: --memopt-raise
// HELP-DAG: --memopt-pipeline

// DIALECT-LABEL: @step
// PASS-LABEL: @step
func.func @step(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // DIALECT: memopt.activation gelu_erf
  // PASS: math.erf
  // PASS-NOT: memopt.
  %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // DIALECT: memopt.activation_grad gelu_erf
  %dx = memopt.activation_grad gelu_erf %g, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}
