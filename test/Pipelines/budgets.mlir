// RUN: mem-opt %s "--memopt-pipeline=saved-budget=0.5" | FileCheck %s
// RUN: mem-opt %s "--memopt-pipeline=saved-budget=32B" | FileCheck %s
// RUN: mem-opt %s "--memopt-pipeline=saved-budget=32B fence=keep" | FileCheck %s --check-prefix=KEEP
// RUN: mem-opt %s "--memopt-pipeline=max-overhead=100%% device=a100 fence=none" | FileCheck %s --check-prefix=NONE
// RUN: not mem-opt %s "--memopt-pipeline=peak-budget=1" 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not mem-opt %s "--memopt-pipeline=peak-budget=1 max-overhead=1%%" 2>&1 | FileCheck %s --check-prefix=TWO

// One of two saved activations fits; the other runs again, and what leaves the
// pipeline says so in upstream dialects.

// CHECK-LABEL: func.func @step(
// CHECK-NOT:   memopt.
// CHECK-COUNT-3: math.tanh
// CHECK-NOT:   math.tanh

// KEEP:        memopt.plan = {
// KEEP:        memopt.fence
// NONE-NOT:    arith.select
// NONE-COUNT-3: math.tanh
// SMALL:       error: memopt-rematerialize: peak-budget of 1 bytes is too small: smallest feasible budget: {{[0-9]+}} bytes
// TWO:         error: memopt-rematerialize: give one of peak-budget=, saved-budget=, max-overhead= and keep=; 2 are given
func.func @step(%x: tensor<8xf32>, %y: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %b = math.tanh %y : tensor<8xf32>
  %loss = arith.addf %a, %b : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  %dy = arith.mulf %g, %b : tensor<8xf32>
  return %loss, %dx, %dy : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
