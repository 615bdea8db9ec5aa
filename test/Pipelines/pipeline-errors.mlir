// Each wrong value names the allowed ones, and the tool exits with 1.
// RUN: not mem-opt %s -memopt-pipeline='bits=0' 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not mem-opt %s -memopt-pipeline='bits=two' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mem-opt %s -memopt-pipeline='coefficients=best' 2>&1 | FileCheck %s --check-prefix=COEFFICIENTS
// RUN: not mem-opt %s -memopt-pipeline='coefficients=paper bits=3' 2>&1 | FileCheck %s --check-prefix=PAPER
// RUN: not mem-opt %s -memopt-pipeline='fence=off' 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: not mem-opt %s -memopt-pipeline='report-format=xml' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not mem-opt %s -memopt-pipeline='approximate=maybe' 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not mem-opt %s -memopt-pipeline='aproximate=true' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mem-opt %s -memopt-pipeline='function=nowhere' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not mem-opt %s -memopt-pipeline='forward-results=2' 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not mem-opt %s -memopt-pipeline='report-after=%t/no/such/folder' 2>&1 | FileCheck %s --check-prefix=FILE

// BITS: error: memopt-pipeline: bits=0 is unknown: bits is one of 1, 2, 3, 4
// WORD: error: memopt-pipeline: bits=two is unknown: bits is one of 1, 2, 3, 4
// COEFFICIENTS: error: memopt-pipeline: coefficients=best is unknown: coefficients is one of optimal, paper
// PAPER: error: memopt-pipeline: coefficients=paper needs bits=2: the paper publishes no others
// FENCE: error: memopt-pipeline: fence=off is unknown: fence is one of scalar, none, keep
// FORMAT: error: memopt-pipeline: report-format=xml is unknown: report-format is one of table, json
// BOOL: for the --approximate option: 'maybe' is invalid value for boolean argument
// NAME: no such option aproximate
// FUNCTION: error: there is no function @nowhere
// RESULT: error: @step is no training step: forward result 2 is out of range: it returns 2 values
// FILE: error: memopt-report: cannot open output file

func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %g : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
