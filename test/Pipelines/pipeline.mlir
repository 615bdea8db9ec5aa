// RUN: mem-opt %s -memopt-pipeline='report-before=- report-after=-' -o %t.exact.mlir | FileCheck %s --check-prefix=EXACT
// RUN: FileCheck %s --check-prefix=FORWARD --input-file=%t.exact.mlir
// RUN: mem-opt %s -memopt-pipeline='approximate=true report-after=-' -o %t.codes.mlir | FileCheck %s --check-prefix=CODES
// RUN: FileCheck %s --check-prefixes=FORWARD,PACKED --input-file=%t.codes.mlir
// RUN: mem-opt %s -memopt-pipeline='approximate=true bits=4 report-after=-' -o /dev/null | FileCheck %s --check-prefix=FOUR
// RUN: mem-opt %s -memopt-pipeline='approximate=true coefficients=paper report-after=-' -o /dev/null | FileCheck %s --check-prefix=CODES
// RUN: %llvm_bin/mlir-opt %t.codes.mlir -o /dev/null

// SiLU between two products, as autodiff writes it: the sigmoid is kept beside the
// input. Raised, the gradient is a function of the input alone; approximate, of 2 bits
// an element.
// EXACT: saved activations 1,024 bytes 1.02 kB in 2 storages
// EXACT: saved activations 512 bytes 512 B in 1 storage
// EXACT: 1 x memopt.activation silu
// EXACT: 1 x memopt.activation_grad silu
// CODES: saved activations 32 bytes 32 B in 1 storage
// CODES: 32 1 x tensor<8x4xi8>, memopt.encode, memopt.step_grad
// FOUR: saved activations 64 bytes

// The forward is what it was, op by op.
// FORWARD-LABEL: func.func @step
// FORWARD: %[[U:.*]] = arith.mulf
// FORWARD: %[[N:.*]] = arith.negf %[[U]]
// FORWARD: %[[E:.*]] = math.exp %[[N]]
// FORWARD: %[[P:.*]] = arith.addf %[[E]], %{{.*}}
// FORWARD: %[[S:.*]] = arith.divf %{{.*}}, %[[P]]
// FORWARD: %[[Y:.*]] = arith.mulf %[[U]], %[[S]]
// FORWARD: %[[LOSS:.*]] = arith.addf %[[Y]], %{{.*}}
// FORWARD: return %[[LOSS]]
// PACKED-NOT: memopt
func.func @step(%x: tensor<8x16xf32>, %w: tensor<8x16xf32>, %g: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %u = arith.mulf %x, %w : tensor<8x16xf32>
  %n = arith.negf %u : tensor<8x16xf32>
  %e = math.exp %n : tensor<8x16xf32>
  %p = arith.addf %e, %one : tensor<8x16xf32>
  %s = arith.divf %one, %p : tensor<8x16xf32>
  %y = arith.mulf %u, %s : tensor<8x16xf32>
  %loss = arith.addf %y, %x : tensor<8x16xf32>
  %rest = arith.subf %one, %s : tensor<8x16xf32>
  %slope = arith.mulf %u, %rest : tensor<8x16xf32>
  %plus = arith.addf %slope, %one : tensor<8x16xf32>
  %h = arith.mulf %s, %plus : tensor<8x16xf32>
  %du = arith.mulf %g, %h : tensor<8x16xf32>
  %dw = arith.mulf %du, %x : tensor<8x16xf32>
  return %loss, %dw : tensor<8x16xf32>, tensor<8x16xf32>
}
