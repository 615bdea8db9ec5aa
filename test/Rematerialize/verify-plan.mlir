// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-verify-plan
// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-verify-plan=remove | FileCheck %s

// A promise that holds: %a and %loss, 64 bytes each once aligned, then %dx
// beside the loss and %a.

// CHECK:      func.func @kept(
// CHECK-NOT:  memopt.plan
// CHECK:      math.tanh
func.func @kept(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {peak_budget_bytes = 192 : i64}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the plan's promise is broken: peak_budget_bytes is 191, and the step needs 192 bytes}}
func.func @peak(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {peak_budget_bytes = 191 : i64}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  // expected-note@below {{the peak is at this 'arith.mulf'}}
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the plan's promise is broken: saved_budget_bytes is 31, and the step keeps 32 bytes}}
func.func @saved(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {saved_budget_bytes = 31 : i64}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the step has no attribute 'memopt.plan': put memopt-rematerialize before}}
func.func @unplanned(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the attribute 'memopt.plan' promises nothing}}
func.func @empty(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// A step whose kernels are formed: %loss and %dx at the second kernel.

func.func @formed(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.kernels = {peak_bytes = 128 : i64, saved_bytes = 0 : i64}} {
  %e = tensor.empty() : tensor<8xf32>
  %loss = memopt.kernel elementwise ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%in: tensor<8xf32>):
    %r = math.exp %in : tensor<8xf32>
    memopt.yield %r : tensor<8xf32>
  }
  %dx = memopt.kernel elementwise ins(%loss : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%in: tensor<8xf32>):
    %r = math.tanh %in : tensor<8xf32>
    memopt.yield %r : tensor<8xf32>
  }
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the kernels need 128 bytes at once, and 'memopt.kernels' says 64}}
func.func @changed(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.kernels = {peak_bytes = 64 : i64}} {
  %loss = math.exp %x : tensor<8xf32>
  %dx = math.tanh %loss : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{memopt-verify-plan: the attribute 'memopt.kernels' promises nothing}}
func.func @nothing(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.kernels = {}} {
  %loss = math.exp %x : tensor<8xf32>
  %dx = math.tanh %loss : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// Where the forward ends is lost on formed steps: what counts is what the pass wrote.

// expected-error@below {{memopt-verify-plan: the plan's promise is broken: saved_budget_bytes is 31, and the step keeps 32 bytes}}
func.func @formed_saved(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {saved_budget_bytes = 31 : i64},
                memopt.kernels = {peak_bytes = 128 : i64, saved_bytes = 32 : i64}} {
  %loss = math.exp %x : tensor<8xf32>
  %dx = math.tanh %loss : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
