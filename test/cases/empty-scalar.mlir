// RUN: mem-opt %s -memopt-pipeline='approximate=true forward-results=0,1 report-before=- report-after=-' -o /dev/null | FileCheck %s

// No elements, and one: nothing divides by a size, and both go through. The scalar
// that the backward reads is counted; the tensors that are returned are not.
// CHECK-COUNT-2: saved activations 4 bytes 4 B in 1 storage, and 2 returned
func.func @step(%none: tensor<16x0xf32>, %one: tensor<f32>)
    -> (tensor<16x0xf32>, tensor<f32>, tensor<16x0xf32>, tensor<f32>) {
  %a = math.exp %none : tensor<16x0xf32>
  %h = math.exp %one : tensor<f32>
  %b = math.sin %h : tensor<f32>
  %da = arith.addf %a, %none : tensor<16x0xf32>
  %s = arith.mulf %b, %h : tensor<f32>
  %db = arith.addf %s, %one : tensor<f32>
  return %a, %b, %da, %db : tensor<16x0xf32>, tensor<f32>, tensor<16x0xf32>, tensor<f32>
}
