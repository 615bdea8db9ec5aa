// A step on tensors: compiled as it is, rewritten, within a budget.

// RUN: mem-run %s --no-cache --save=%t.npz | FileCheck %s --check-prefix=MEASURED
// RUN: mem-run %s --no-cache --expect=%t.npz --pipeline= | FileCheck %s --check-prefix=MEASURED
// RUN: mem-run %s --no-cache --expect=%t.npz --pipeline='saved-budget=0.5' | FileCheck %s --check-prefix=MEASURED

// With a donated argument the gradient takes its place.
// RUN: mem-run %s --no-cache --expect=%t.npz --rtol=0 --pipeline='donate=1' | FileCheck %s --check-prefix=DONATED

// MEASURED: "allocations":0
// MEASURED-SAME: "ok":true
// MEASURED-SAME: "peak_bytes":[[BYTES:[0-9]+]],"planned_bytes":[[BYTES]],"repeatable":true
// DONATED: "ok":true
func.func @step(%x: tensor<8x16xf32>, %w: tensor<8x16xf32>) -> (tensor<f32>, tensor<8x16xf32>) {
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %zero = arith.constant 0.0 : f32
  %u = arith.mulf %x, %w : tensor<8x16xf32>
  %y = math.exp %u : tensor<8x16xf32>
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce ins(%y : tensor<8x16xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
      (%in: f32, %sum: f32) {
        %next = arith.addf %in, %sum : f32
        linalg.yield %next : f32
      }
  %du = arith.mulf %y, %one : tensor<8x16xf32>
  %dw = arith.mulf %du, %x : tensor<8x16xf32>
  return %loss, %dw : tensor<f32>, tensor<8x16xf32>
}
