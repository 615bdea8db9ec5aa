// RUN: not mem-opt %s -memopt-report=format=xml -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not mem-opt %s -memopt-report=file=%t/no/such/folder -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not mem-opt %s -memopt-report=forward-results=loss -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not mem-opt %s -memopt-report=colour=red -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION

// FORMAT: error: unknown format 'xml' for memopt-report: table, json or svg
// FILE: error: memopt-report: cannot open output file
// NUMBER: for the --forward-results option: 'loss' value invalid for long argument
// OPTION: no such option colour
func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %d = arith.mulf %y, %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
