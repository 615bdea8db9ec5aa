// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-schedule

// expected-error@below {{memopt-schedule: the step was rematerialized already}}
func.func @planned(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {memopt.plan = {saved_budget_bytes = 0 : i64}} {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %late = memopt.fence %x after %loss : tensor<8xf32>, tensor<8xf32>
  %a2 = math.tanh %late : tensor<8xf32>
  %dx = arith.mulf %g, %a2 : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error@below {{argument #0 is a 'tensor<?xf32>' of unknown size: dimension 0 is dynamic}}
func.func @dynamic(%x: tensor<?xf32>, %g: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = math.tanh %x : tensor<?xf32>
  %loss = math.exp %a : tensor<?xf32>
  %dx = arith.mulf %g, %a : tensor<?xf32>
  return %loss, %dx : tensor<?xf32>, tensor<?xf32>
}
