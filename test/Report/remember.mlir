// RUN: mem-opt %s --memopt-remember=ops | FileCheck %s
// RUN: mem-opt %s --memopt-remember=ops --memopt-to-linalg --memopt-report -o /dev/null | FileCheck %s --check-prefix=LATER
// RUN: mem-opt %s --memopt-to-linalg --memopt-report -o /dev/null | FileCheck %s --check-prefix=LOST
// RUN: mem-opt %s --memopt-remember=ops --memopt-remember=forget | FileCheck %s --check-prefix=GONE
// RUN: mem-opt %s "--memopt-pipeline=saved-budget=1000 report-after=-" -o %t | FileCheck %s --check-prefix=LATER
// RUN: FileCheck %s --input-file=%t --check-prefix=GONE
// RUN: mem-opt %s "--memopt-pipeline=saved-budget=1000 report-after=- report-format=json" -o /dev/null | FileCheck %s --check-prefix=JSON

// CHECK:      memopt.report = {
// CHECK-SAME: left_alone = ["memopt.activation_grad silu", "%{{[0-9]+}}", "its input is an argument, which is there anyway"]
// CHECK-SAME: memopt_ops = {"memopt.activation silu" = 1 : i64, "memopt.activation_grad silu" = 1 : i64}

// After lowering nobody can count them.
// LATER:      1 x memopt.activation silu
// LATER-NEXT: 1 x memopt.activation_grad silu
// LATER:      left alone:
// LATER-NEXT: 1 x memopt.activation_grad silu: its input is an argument, which is there anyway
// LOST-NOT:   memopt.activation
// GONE-NOT:   memopt.report
// JSON:       "left_alone": [
// JSON-NEXT:    {
// JSON-NEXT:      "op": "memopt.activation_grad silu",
// JSON-NEXT:      "reason": "its input is an argument, which is there anyway",
// JSON:       "memopt.activation silu": 1
// JSON:       "saved_budget_bytes": 1000
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %loss = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
