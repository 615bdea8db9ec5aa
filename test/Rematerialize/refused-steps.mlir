// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-rematerialize=saved-budget=0

// What may not run twice is kept, and a budget below it is refused.

func.func private @rand_mask() -> tensor<8xf32>
// expected-error@below {{memopt-rematerialize: saved-budget of 0 bytes is too small: smallest feasible budget: 32 bytes}}
func.func @random(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = func.call @rand_mask() : () -> tensor<8xf32>
  // expected-note@below {{the forward ends at this 'arith.mulf'; the smallest plan keeps: %0 func.call (32 bytes)}}
  %y = arith.mulf %x, %m : tensor<8xf32>
  %dx = arith.mulf %g, %m : tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// A step is rematerialized once.

// expected-error@below {{memopt-rematerialize: the step was rematerialized already}}
func.func @twice(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {saved_budget_bytes = 0 : i64}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %late = memopt.fence %x after %loss : tensor<8xf32>, tensor<8xf32>
  %a2 = math.tanh %late : tensor<8xf32>
  %dx = arith.mulf %g, %a2 : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// Sizes must be known.

// expected-error@below {{argument #0 is a 'tensor<?x4xf32>' of unknown size: dimension 0 is dynamic}}
func.func @dynamic(%x: tensor<?x4xf32>, %g: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = math.tanh %x : tensor<?x4xf32>
  %loss = math.exp %a : tensor<?x4xf32>
  %dx = arith.mulf %g, %a : tensor<?x4xf32>
  return %loss, %dx : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// One result of this op is its operand: the planner's graph cannot say so.

func.func @handed_on(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = math.tanh %x : tensor<8xf32>
  // expected-error@below {{cannot reorder this op: one of its results is an operand unchanged; run canonicalize first}}
  %both:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e, %x : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%p: f32, %out0: f32, %out1: f32):
      linalg.yield %p, %out1 : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
  %loss = math.exp %both#0 : tensor<8xf32>
  %dx = arith.mulf %g, %both#1 : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
