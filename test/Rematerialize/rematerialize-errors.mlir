// RUN: not mem-opt %s --memopt-rematerialize 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: memopt-rematerialize: give one of peak-budget=, saved-budget=, max-overhead= and keep=; 0 are given
// RUN: not mem-opt %s "--memopt-rematerialize=peak-budget=1 saved-budget=1" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: memopt-rematerialize: give one of peak-budget=, saved-budget=, max-overhead= and keep=; 2 are given
// RUN: not mem-opt %s --memopt-rematerialize=peak-budget=12GG 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not mem-opt %s --memopt-rematerialize=peak-budget=-1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not mem-opt %s --memopt-rematerialize=peak-budget=0.5 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not mem-opt %s --memopt-rematerialize=peak-budget=9223372036854775808 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: memopt-rematerialize: peak-budget={{.*}} is no size: write bytes, or a number with a unit, as 1500MB or 12GiB
// RUN: not mem-opt %s --memopt-rematerialize=saved-budget=half 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: error: memopt-rematerialize: saved-budget=half is neither a size, as 12GiB, nor a share, as 0.5 or 50%
// RUN: not mem-opt %s --memopt-rematerialize=max-overhead=3 2>&1 | FileCheck %s --check-prefix=OVERHEAD
// OVERHEAD: error: memopt-rematerialize: max-overhead=3 is no share: write 0.03 or 3%
// RUN: not mem-opt %s "--memopt-rematerialize=saved-budget=0 device=abacus" 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: memopt-rematerialize: device=abacus: {{.+}}
// RUN: not mem-opt %s "--memopt-rematerialize=saved-budget=0 fence=wood" 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: memopt-rematerialize: fence=wood is unknown: memopt or none
// RUN: not mem-opt %s "--memopt-rematerialize=saved-budget=0 dry-run plan-file=%t/none/plan" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: memopt-rematerialize: cannot open output file

// One byte less than the smallest budget is refused, with what needs it; that
// one works. RUN lines in pairs.
// RUN: not mem-opt %s --memopt-rematerialize=peak-budget=127 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: mem-opt %s --memopt-rematerialize=peak-budget=128 --memopt-verify-plan -o /dev/null
// PEAK: error: memopt-rematerialize: peak-budget of 127 bytes is too small: smallest feasible budget: 128 bytes
// PEAK: note: the peak of the smallest plan is at this 'math.tanh', run again; alive there: %{{[0-9]+}} math.exp (64 bytes), %{{[0-9]+}} arith.mulf (64 bytes)
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
