// RUN: not mem-opt %s -memopt-verify-stage=stage=raised 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: mem-opt %s -memopt-raise -memopt-verify-stage=stage=raised | FileCheck %s --check-prefix=MARK
// RUN: not mem-opt %s -memopt-raise -memopt-to-linalg -memopt-verify-stage=stage=raised 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not mem-opt %s -memopt-raise -memopt-verify-stage=stage=upstream 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: mem-opt %s -memopt-raise -memopt-to-linalg -memopt-verify-stage=stage=upstream | FileCheck %s
// RUN: not mem-opt %s -memopt-approximate-activation-grad -memopt-raise 2>&1 | FileCheck %s --check-prefix=APPROXIMATE
// RUN: not mem-opt %s -memopt-share-norm-output -memopt-raise 2>&1 | FileCheck %s --check-prefix=SHARE

// Nothing is recognised here, so that only the mark tells whether the step was raised.
// EARLY: error: what follows expects the stage 'raised', and @step did not go through memopt-raise: put it before
// APPROXIMATE: error: memopt-approximate-activation-grad expects the stage 'raised', and @step did not go through memopt-raise: put it before
// SHARE: error: memopt-share-norm-output expects the stage 'raised', and @step did not go through memopt-raise: put it before
// MARK: attributes {memopt.raised}
// LEFT: error: the stage 'upstream' expects nothing of the memopt dialect, and 'func.func' has an attribute of it: put memopt-to-linalg before
// CHECK-NOT: memopt
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %y : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
