// RUN: mem-opt %s "--memopt-print-step-graph=prices=- device=flops4=1G,bandwidth=1G file=%t" -o /dev/null | FileCheck %s --check-prefix=PRICES
// RUN: FileCheck %s --input-file=%t --check-prefix=GRAPH
// RUN: not mem-opt %s "--memopt-print-step-graph=prices=- device=abacus" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not mem-opt %s "--memopt-print-step-graph=prices=%t/no/such/folder" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// One price an op: tanh reads 32 bytes at 1 GB/s where it runs again, melted
// into its reader; what the other ops cost in the step's own order.
// PRICES:      32000
// PRICES-NEXT: 32000
// PRICES-NEXT: 64000
// GRAPH:       ops 3 forward 2
// DEVICE: error: memopt-print-step-graph: device=abacus:
// FILE: error: memopt-print-step-graph: cannot open output file
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
