// RUN: mem-opt %s "--memopt-rematerialize=peak-budget=128" --memopt-report -o /dev/null | FileCheck %s --check-prefix=TABLE
// RUN: mem-opt %s "--memopt-rematerialize=saved-budget=0 device=flops4=1G,bandwidth=1G" --memopt-report=format=json -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: mem-opt %s --memopt-report=format=json -o /dev/null | FileCheck %s --check-prefix=NONE

// TABLE:      rematerialized for h200: 1 ops run again
// TABLE-NEXT: peak budget 128 bytes
// TABLE-NEXT: peak as fused 128 bytes {{.*}} before: 192
// TABLE-NEXT: saved as planned 0 bytes {{.*}} before: 32
// TABLE-NEXT: recomputation takes {{.*}} ms of a step of {{.*}} ms, at least {{.*}} ms for any plan within the budget

// 32 bytes at 1 GB/s.
// JSON:      "lower_bound_seconds": {{3.2.*e-08}}
// JSON:      "peak_bytes_before": 192
// JSON:      "planned_peak_bytes": 128
// JSON:      "planned_saved_bytes": 0
// JSON:      "recompute_seconds": {{3.2.*e-08}}
// JSON:      "recomputed": [
// JSON-NEXT:   {
// JSON-NEXT:     "op": "math.tanh"
// JSON-NEXT:     "value": "%{{[0-9]+}}"
// JSON-NEXT:   }
// JSON-NEXT: ]
// JSON:      "saved_budget_bytes": 0
// JSON:      "saved_bytes_before": 32
// JSON:      "step_seconds": 1.{{[0-9]+}}e-07

// NONE-NOT: recomputed
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
