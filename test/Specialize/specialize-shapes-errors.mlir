// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:0' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:0=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=2:0=4' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:2=4' 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:1=4' 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:0=4' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not mem-opt %s --memopt-specialize-shapes='function=step sizes=0:0=4,1:0=9 dim-bounds=1:0=8' 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not mem-opt %s --memopt-specialize-shapes='function=computed sizes=0:0=4' 2>&1 | FileCheck %s --check-prefix=COMPUTED

// WORD: error: memopt-specialize-shapes: sizes=0:0: expected ARGUMENT:DIMENSION=SIZE, a size of at least 1
// ZERO: error: memopt-specialize-shapes: sizes=0:0=0: expected ARGUMENT:DIMENSION=SIZE, a size of at least 1
// COUNT: error: memopt-specialize-shapes: sizes=2:0=4: the step has 2 arguments
// DIMENSION: error: memopt-specialize-shapes: sizes=0:2=4: the argument has no such dimension
// KNOWN: error: memopt-specialize-shapes: sizes=0:1=4: the dimension is 8
// MISSING: error: memopt-specialize-shapes: argument #1 is a 'tensor<?x8xf32>': dimension 0 has no size; give it one, as sizes=1:0=128
// BOUND: error: memopt-specialize-shapes: sizes=1:0=9: the dimension is at most 8, the bound that the step was planned for
func.func @step(%x: tensor<?x8xf32>, %g: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %loss = math.tanh %x : tensor<?x8xf32>
  %d = arith.mulf %loss, %g : tensor<?x8xf32>
  return %loss, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// How long a result is may not depend on what a tensor holds.
// COMPUTED: [[# @LINE + 5]]:11: error: memopt-specialize-shapes: 'tensor.empty' makes a 'tensor<?xf32>', whose sizes do not follow from those of the arguments
func.func @computed(%x: tensor<?xf32>, %n: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %loss = math.tanh %x : tensor<?xf32>
  %length = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %length : i64 to index
  %long = tensor.empty(%size) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %d = linalg.fill ins(%zero : f32) outs(%long : tensor<?xf32>) -> tensor<?xf32>
  return %loss, %d : tensor<?xf32>, tensor<?xf32>
}
