// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=1:0=4' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=0:0' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=0:0=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=2:0=4' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=0:2=4' 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not mem-opt %s --memopt-rematerialize='function=step saved-budget=0 dim-bounds=0:1=4' 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not mem-opt %s --memopt-rematerialize='function=malformed saved-budget=0' 2>&1 | FileCheck %s --check-prefix=MALFORMED
// RUN: not mem-opt %s --memopt-rematerialize='function=negative saved-budget=0' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mem-opt %s --memopt-rematerialize='function=measured saved-budget=0' 2>&1 | FileCheck %s --check-prefix=MEASURED
// RUN: not mem-opt %s --memopt-rematerialize='function=borrowed saved-budget=0' 2>&1 | FileCheck %s --check-prefix=BORROWED

// A dimension without a bound is named by the first value that has it.
// NONE: error: argument #0 is a 'tensor<?x8xf32>' of unknown size: dimension 0 is dynamic
// WORD: error: dim-bounds=0:0: expected ARGUMENT:DIMENSION=BOUND, a bound of at least 1
// ZERO: error: dim-bounds=0:0=0: expected ARGUMENT:DIMENSION=BOUND, a bound of at least 1
// COUNT: error: dim-bounds=2:0=4: the step has 2 arguments
// DIMENSION: error: dim-bounds=0:2=4: the argument has no such dimension
// STATIC: error: dim-bounds=0:1=4: the dimension is 8
func.func @step(%x: tensor<?x8xf32>, %g: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = math.tanh %x : tensor<?x8xf32>
  %loss = math.exp %a : tensor<?x8xf32>
  %d = arith.mulf %loss, %a : tensor<?x8xf32>
  %e = arith.mulf %d, %g : tensor<?x8xf32>
  return %loss, %e : tensor<?x8xf32>, tensor<?x8xf32>
}

// MALFORMED: error: argument #0 of type 'tensor<?x8xf32>': 'memopt.dim_bounds' is not an array of one i64 a dimension
func.func @malformed(%x: tensor<?x8xf32> {memopt.dim_bounds = array<i64: 4>}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %loss = math.tanh %x : tensor<?x8xf32>
  %d = math.exp %loss : tensor<?x8xf32>
  return %loss, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// NEGATIVE: error: argument #0: 'memopt.dim_bounds' has the bound -4, not at least 1
func.func @negative(%x: tensor<?x8xf32> {memopt.dim_bounds = array<i64: -4, 8>}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %loss = math.tanh %x : tensor<?x8xf32>
  %d = math.exp %loss : tensor<?x8xf32>
  return %loss, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// MEASURED: error: 'tensor.dim' op measures a tensor that the step computes: run resolve-shaped-type-result-dims and cse before
func.func @measured(%x: tensor<?x8xf32> {memopt.dim_bounds = array<i64: 4, 8>}) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %loss = math.tanh %x : tensor<?x8xf32>
  %rows = tensor.dim %loss, %c0 : tensor<?x8xf32>
  %none = tensor.empty(%rows) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<?xf32>) -> tensor<?xf32>
  %d = linalg.reduce { arith.addf } ins(%loss : tensor<?x8xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  return %loss, %d : tensor<?x8xf32>, tensor<?xf32>
}

// BORROWED: error: 'linalg.exp' op has its dynamic shape from a tensor that the step computes, operand #1: give it a tensor.empty or an argument
func.func @borrowed(%x: tensor<?x8xf32> {memopt.dim_bounds = array<i64: 4, 8>}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %loss = math.tanh %x : tensor<?x8xf32>
  %d = linalg.exp ins(%x : tensor<?x8xf32>) outs(%loss : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %loss, %d : tensor<?x8xf32>, tensor<?x8xf32>
}
