// RUN: not mem-opt %s -memopt-pipeline=report-after=- -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: mem-opt %s -memopt-pipeline='approximate=true' -o /dev/null

// A size that is needed and not known is an error that names value and dimension; the
// rewrites need none.
// SIZE: dynamic.mlir:[[# @LINE + 4]]:8: error: 'math.sin' makes a 'tensor<128x?xf32>'
// SIZE-SAME: of unknown size: dimension 1 is dynamic
func.func @step(%x: tensor<128x?xf32>) -> (tensor<128x?xf32>, tensor<128x?xf32>) {
  // Kept by the product.
  %h = math.sin %x : tensor<128x?xf32>
  %loss = math.exp %h : tensor<128x?xf32>
  %d = arith.mulf %loss, %h : tensor<128x?xf32>
  return %loss, %d : tensor<128x?xf32>, tensor<128x?xf32>
}
