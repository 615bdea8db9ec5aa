// RUN: mem-opt %s -memopt-report=format=json -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: mem-opt %s -memopt-report -o %t.mlir | FileCheck %s --check-prefix=TABLE
// RUN: mem-opt %s -o %t.same.mlir && diff %t.mlir %t.same.mlir
// RUN: mem-opt %s -memopt-report='format=json file=%t.json' -o /dev/null
// RUN: mem-opt %s -memopt-report=format=json -o /dev/null | diff - %t.json

// JSON:      "argument_bytes": 192,
// JSON-NEXT: "forward_end": {
// JSON-NEXT:   "op": "math.exp",
// JSON-NEXT:   "value": "%2"
// JSON-NEXT: },
// JSON-NEXT: "forward_results": [
// JSON-NEXT:   0
// JSON-NEXT: ],
// JSON-NEXT: "function": "step",
// JSON-NEXT: "left_alone": [],
// JSON-NEXT: "memopt_ops": {
// JSON-NEXT:   "memopt.activation silu": 1,
// JSON-NEXT:   "memopt.activation_grad silu": 1
// JSON-NEXT: },
// JSON-NEXT: "peak_at": {
// JSON-NEXT:   "op": "memopt.activation_grad silu",
// JSON-NEXT:   "value": "%3"
// JSON-NEXT: },
// JSON-NEXT: "peak_bytes": 256,
// JSON-NEXT: "result_bytes": 192,
// JSON-NEXT: "saved": [
// JSON-NEXT:   {
// JSON-NEXT:     "bytes": 64,
// JSON-NEXT:     "kept_by": [
// JSON-NEXT:       {
// JSON-NEXT:         "op": "memopt.activation_grad silu",
// JSON-NEXT:         "value": "%3"
// JSON-NEXT:       }
// JSON-NEXT:     ],
// JSON-NEXT:     "op": "math.tanh",
// JSON-NEXT:     "returned": false,
// JSON-NEXT:     "type": "tensor<4x4xf32>",
// JSON-NEXT:     "value": "hidden"
// JSON-NEXT:   },
// JSON-NEXT:   {
// JSON-NEXT:     "bytes": 64,
// JSON:          "returned": true,
// JSON-NEXT:     "type": "tensor<4x4xf32>",
// JSON-NEXT:     "value": "%1"
// JSON-NEXT:   }
// JSON-NEXT: ],
// JSON-NEXT: "saved_bytes": 64

// TABLE:      training step @step: the forward ends at %2 (math.exp)
// TABLE-NEXT: saved activations 64 bytes 64 B in 1 storage, and 1 returned
// TABLE-NEXT: peak as written 256 bytes 256 B at %3 (memopt.activation_grad silu)
// TABLE-NEXT: arguments 192 bytes 192 B
// TABLE-NEXT: results 192 bytes 192 B
// TABLE-EMPTY:
// TABLE-NEXT: bytes n x type, made by, kept by
// TABLE-NEXT: 64 1 x tensor<4x4xf32>, math.tanh, memopt.activation_grad silu
// TABLE-NEXT: (returned) 0 1 x tensor<4x4xf32>, memopt.activation silu, arith.mulf
// TABLE-EMPTY:
// TABLE-NEXT: 1 x memopt.activation silu
// TABLE-NEXT: 1 x memopt.activation_grad silu
func.func @step(%x: tensor<4x4xf32>, %g: tensor<4x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %h = math.tanh %x : tensor<4x4xf32> loc("hidden")
  %y = memopt.activation silu %h : tensor<4x4xf32> -> tensor<4x4xf32>
  %loss = math.exp %y : tensor<4x4xf32>
  %dh = memopt.activation_grad silu %g, %h : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %d = arith.mulf %dh, %y : tensor<4x4xf32>
  return %loss, %y, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
