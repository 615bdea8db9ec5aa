// RUN: mem-opt %s -memopt-report -o /dev/null | FileCheck %s

// Storages that differ in their names only share a line, the largest sum first; one
// that is kept by more readers has a line of its own.
// CHECK: saved activations 4,128 bytes 4.13 kB in 5 storages
// CHECK: 2,048 2 x tensor<256xf32>, math.tanh, arith.mulf
// CHECK: 2,048 1 x tensor<512xf32>, math.tanh, 2 x arith.addf, arith.mulf
// CHECK: 32 2 x tensor<4xf32>, math.tanh, arith.mulf
func.func @step(%x: tensor<256xf32>, %s: tensor<4xf32>, %b: tensor<512xf32>)
    -> (tensor<f32>, tensor<256xf32>, tensor<256xf32>, tensor<4xf32>, tensor<4xf32>, tensor<512xf32>) {
  %s1 = math.tanh %s : tensor<4xf32>
  %a = math.tanh %x : tensor<256xf32>
  %c = math.tanh %a : tensor<256xf32>
  %s2 = math.tanh %s1 : tensor<4xf32>
  %big = math.tanh %b : tensor<512xf32>
  %loss = arith.constant dense<1.0> : tensor<f32>
  %d1 = arith.mulf %a, %a : tensor<256xf32>
  %d2 = arith.mulf %c, %c : tensor<256xf32>
  %d3 = arith.mulf %s1, %s1 : tensor<4xf32>
  %d4 = arith.mulf %s2, %s2 : tensor<4xf32>
  %e1 = arith.addf %big, %b : tensor<512xf32>
  %e2 = arith.addf %e1, %big : tensor<512xf32>
  %e3 = arith.mulf %e2, %big : tensor<512xf32>
  return %loss, %d1, %d2, %d3, %d4, %e3
      : tensor<f32>, tensor<256xf32>, tensor<256xf32>, tensor<4xf32>, tensor<4xf32>, tensor<512xf32>
}
