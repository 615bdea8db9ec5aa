// REQUIRES: shared
// Steps on which other systems fail, as the README beside them says.

// One call of the mask at any budget; its 32 bytes are kept.
// RUN: mem-opt %shared/cases/rng.mlir --memopt-rematerialize=saved-budget=32 | FileCheck %s --check-prefix=RNG
// RUN: not mem-opt %shared/cases/rng.mlir --memopt-rematerialize=saved-budget=31 2>&1 | FileCheck %s --check-prefix=RNG31
// RNG: call @rand_mask
// RNG-NOT: call @rand_mask
// RNG31: smallest feasible budget: 32 bytes

// A step on buffers is refused.
// RUN: not mem-opt %shared/cases/mutation.mlir --memopt-rematerialize=saved-budget=0 2>&1 | FileCheck %s --check-prefix=MUTATION
// MUTATION: error: @step is no training step: it works on buffers

// RUN: not mem-opt %shared/cases/dynamic.mlir --memopt-rematerialize=saved-budget=0 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: argument #0 is a 'tensor<?x1024xf32>' of unknown size: dimension 0 is dynamic

// RUN: not mem-opt %shared/cases/huge.mlir --memopt-rematerialize=saved-budget=0 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: {{.*}}its bytes pass 2^63 - 1

// A returned value weighs nothing and runs once.
// RUN: mem-opt %shared/cases/returned_and_saved.mlir --memopt-rematerialize=saved-budget=0 --memopt-verify-plan | FileCheck %s --check-prefix=RETURNED
// RUN: mem-opt %shared/cases/empty_scalar.mlir --memopt-rematerialize=saved-budget=0 --memopt-verify-plan | FileCheck %s --check-prefix=RETURNED
// RETURNED: recomputed = 0
// RETURNED-NOT: memopt.fence

// Two names of one buffer are one item, and a broadcast weighs what it shows.
// RUN: mem-opt %shared/cases/alias.mlir --memopt-rematerialize=saved-budget=16384 | FileCheck %s --check-prefix=ALIAS
// RUN: mem-opt %shared/cases/alias.mlir --memopt-rematerialize=saved-budget=16383 | FileCheck %s --check-prefix=ALIAS1
// ALIAS: recomputed = 0
// ALIAS1: recomputed = 1
// ALIAS1-SAME: saved_bytes = 0
// RUN: mem-opt %shared/cases/broadcast.mlir --memopt-rematerialize=saved-budget=4096 | FileCheck %s --check-prefix=ALIAS

// The rounding of a recomputed chain is repeated, and one of both is kept.
// RUN: mem-opt %shared/cases/dtypes.mlir "--memopt-rematerialize=saved-budget=0 function=f64" | FileCheck %s --check-prefix=DTYPES
// RUN: mem-opt %shared/cases/dtypes.mlir "--memopt-rematerialize=saved-budget=0 function=bf16" | FileCheck %s --check-prefix=DTYPES
// DTYPES: recomputed = 1

// Both copies survive.
// RUN: mem-opt %shared/cases/cse_undoes_remat.mlir --memopt-rematerialize=saved-budget=0 --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=CSE
// RUN: mem-opt %shared/cases/cse_undoes_remat.mlir --memopt-rematerialize=saved-budget=0 --memopt-to-linalg --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=CSE
// CSE-COUNT-2: math.tanh
