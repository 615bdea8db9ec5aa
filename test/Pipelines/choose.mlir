// RUN: mem-opt %s "--memopt-pipeline=function=codes approximate=true saved-budget=0 choose=none report-after=-" -o /dev/null | FileCheck %s --check-prefix=ASKED
// RUN: mem-opt %s "--memopt-pipeline=function=codes approximate=true saved-budget=0 report-after=-" -o %t | FileCheck %s --check-prefix=EXACT
// RUN: FileCheck %s --input-file=%t --check-prefix=LEFT
// RUN: mem-opt %s "--memopt-pipeline=function=codes approximate=true saved-budget=1KiB report-after=-" -o /dev/null | FileCheck %s --check-prefix=KEPT
// RUN: mem-opt %s "--memopt-pipeline=function=norms saved-budget=0 report-after=-" -o /dev/null | FileCheck %s --check-prefix=SHARED
// RUN: mem-opt %s "--memopt-pipeline=function=norms saved-budget=0 choose=all report-after=-" -o /dev/null | FileCheck %s --check-prefix=UNSHARED
// RUN: not mem-opt %s "--memopt-pipeline=choose=some" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mem-opt %s "--memopt-pipeline=function=codes approximate=true peak-budget=1" 2>&1 | FileCheck %s --check-prefix=SMALL

// No byte may cross, so that the code is made again in the backward: it saves
// nothing, and the gradient stays exact.
// ASKED:      1 x memopt.step_grad
// EXACT:      1 x memopt.activation_grad silu
// EXACT-NOT:  memopt.step_grad
// EXACT:      1 x memopt.activation_grad silu: the plan would not keep its code
// LEFT-NOT:   memopt.

// A code that is kept is what was asked for.
// KEPT:       1 x memopt.step_grad
// KEPT-NOT:   the plan would not

// The same for a normalised output; only where all rewrites are to be chosen.
// SHARED:      1 x memopt.norm_output_grad layer
// SHARED-NOT:  the plan would not
// UNSHARED:     1 x memopt.norm_grad layer
// UNSHARED-NOT: memopt.norm_output_grad
// UNSHARED:     1 x memopt.norm_grad layer: the plan would not keep its normalised output

// UNKNOWN:     memopt-pipeline: choose=some is unknown: choose is one of none, codes, all
// SMALL:       error: memopt-rematerialize: peak-budget of 1 bytes is too small: smallest feasible budget: {{[0-9]+}} bytes
func.func @codes(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>, %g: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %x = math.sin %a : tensor<64x64xf32>
  %loss = memopt.activation silu %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %dx = memopt.activation_grad silu %g, %x
      : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %loss, %dx : tensor<64x64xf32>, tensor<64x64xf32>
}

func.func @norms(%a: tensor<64x64xf32>, %dz: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %x = math.sin %a : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>)
  %z = math.cos %y : tensor<64x64xf32>
  %g = math.sin %dz : tensor<64x64xf32>
  %dw = arith.mulf %g, %y : tensor<64x64xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<64x64xf32>, tensor<64x64xf32>)
      -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %z, %dw, %dx : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
