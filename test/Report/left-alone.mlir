// RUN: mem-opt %s -memopt-report -o /dev/null | FileCheck %s
// RUN: mem-opt %s -memopt-report=format=json -o /dev/null | FileCheck %s --check-prefix=JSON

// Gradients that a code would not improve are listed with the reason, alike ones in
// one line; one that it would improve is not.
// CHECK: left alone:
// CHECK-NEXT: 2 x memopt.activation_grad silu: {{.*}}argument
// CHECK-NOT: gelu_erf:
// JSON: "left_alone": [
// JSON-NEXT: {
// JSON-NEXT: "op": "memopt.activation_grad silu",
// JSON-NEXT: "reason": "{{.*}}argument{{.*}}",
// JSON-NEXT: "value": "%{{[0-9]+}}"
// JSON-NEXT: },
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %u = math.sin %y : tensor<8xf32>
  %z = memopt.activation gelu_erf %u : tensor<8xf32> -> tensor<8xf32>
  %loss = math.exp %z : tensor<8xf32>
  %d0 = memopt.activation_grad gelu_erf %g, %u : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %d1 = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %d2 = memopt.activation_grad silu %d0, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %loss, %d0, %d1, %d2
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
