// RUN: mem-opt %s --memopt-mark-captured | FileCheck %s --check-prefix=MARK
// RUN: mem-opt %s --memopt-mark-captured --memopt-rematerialize=saved-budget=0.5 | FileCheck %s

// A share is one of what was marked, and the mark is gone afterwards.

// MARK:      func.func @step(
// MARK-SAME: memopt.captured_saved_bytes = 64 : i64
// CHECK:      func.func @step(
// CHECK-NOT:  memopt.captured_saved_bytes
// CHECK-SAME: saved_budget_bytes = 32 : i64
func.func @step(%x: tensor<8xf32>, %y: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %b = math.tanh %y : tensor<8xf32>
  %loss = arith.addf %a, %b : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  %dy = arith.mulf %g, %b : tensor<8xf32>
  return %loss, %dx, %dy : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
