// RUN: not mem-opt %s -memopt-verify-stage=stage=raised 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: not mem-opt %s -memopt-verify-stage='stage=raised function=none' 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: mem-opt %s -memopt-verify-stage='stage=raised function=op'
// RUN: mem-opt %s -memopt-verify-stage='stage=raised function=mark'
// RUN: not mem-opt %s -memopt-verify-stage=stage=upstream 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// RUN: mem-opt %s -memopt-verify-stage='stage=captured function=none'

// RAISED: error: more than one function could be the training step
// EARLY: error: what follows expects the stage 'raised', and @none did not go through memopt-raise: put it before
// UPSTREAM: error: the stage 'upstream' expects nothing of the memopt dialect, and 'memopt.activation' is of it: put memopt-to-linalg before

func.func @none(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %y : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

// An op of the dialect shows that the step was raised.
func.func @op(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %d = arith.mulf %y, %y : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

// Where nothing was recognised, the mark does.
func.func @mark(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {memopt.raised} {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %y : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
