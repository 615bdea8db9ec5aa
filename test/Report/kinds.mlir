// RUN: mem-opt %s --memopt-remember=memory | FileCheck %s

// Bytes of arguments, results, codes, saved activations, recomputed values and
// transients, a row for each kernel: an 8-bit integer that crosses is a code,
// and what repeats an op of the forward is recomputed.

// CHECK:      memopt.report = {before = array<i64:
// The forward: its result, and the code that crosses.
// CHECK-SAME: 128, 64, 64, 0, 0, 0,
// The backward makes %again anew, and holds it over two products.
// CHECK-SAME: 128, 64, 64, 0, 64, 0,
// CHECK-SAME: 128, 64, 64, 0, 64, 64,
// CHECK-SAME: 128, 64, 64, 0, 64, 128,
// CHECK-SAME: 128, 128, 64, 0, 0, 64>
// CHECK-SAME: before_backward = 1 : i64}
func.func @step(%x: tensor<4x4xf32>, %g: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = math.tanh %x : tensor<4x4xf32>
  %code = arith.fptosi %a : tensor<4x4xf32> to tensor<4x4xi8>
  %loss = math.exp %a : tensor<4x4xf32>
  %late = memopt.fence %x after %loss : tensor<4x4xf32>, tensor<4x4xf32>
  %again = math.tanh %late : tensor<4x4xf32>
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%g, %again : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = linalg.matmul ins(%p, %again : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  %slope = arith.sitofp %code : tensor<4x4xi8> to tensor<4x4xf32>
  %dx = arith.mulf %q, %slope : tensor<4x4xf32>
  return %loss, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}
