// RUN: mem-opt %s -memopt-pipeline='approximate=true report-after=-' | FileCheck %s

// A mask from outside is drawn once and kept, 32 bytes.
// CHECK: saved activations 32 bytes
// CHECK-LABEL: func.func @step
// CHECK: call @draw
// CHECK-NOT: call @draw
func.func private @draw(tensor<2xi64>) -> tensor<8xf32>
func.func @step(%x: tensor<8xf32>, %seed: tensor<2xi64>) -> (tensor<8xf32>, tensor<8xf32>) {
  %mask = call @draw(%seed) : (tensor<2xi64>) -> tensor<8xf32>
  %y = arith.mulf %x, %mask : tensor<8xf32>
  %d = arith.mulf %x, %mask : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
