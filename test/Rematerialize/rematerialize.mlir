// RUN: mem-opt %s -split-input-file --memopt-rematerialize=saved-budget=0 --memopt-verify-plan --canonicalize --cse --canonicalize --memopt-verify-plan | FileCheck %s -enable-var-scope
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=saved-budget=0 fence=none" | FileCheck %s --check-prefix=BARE
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=saved-budget=100%%" | FileCheck %s --check-prefix=ALL
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=max-overhead=0.0" | FileCheck %s --check-prefix=ALL
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=peak-budget=1MB" | FileCheck %s --check-prefix=ALL
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=saved-budget=0 dry-run" -o /dev/null | FileCheck %s --check-prefix=DRY
// RUN: mem-opt %s -split-input-file "--memopt-rematerialize=saved-budget=0 dry-run plan-file=%t ladder=-" -o /dev/null | FileCheck %s --check-prefix=LADDER

// A chain runs again behind one fence, after the loss; what it reads on the way
// is its own.

// CHECK-LABEL: func.func @chain(
// CHECK-SAME:  [[X:%.+]]: tensor<8xf32>, [[G:%.+]]: tensor<8xf32>)
// CHECK-SAME:  memopt.plan = {
// CHECK-SAME:  recomputed = 2
// CHECK-SAME:  saved_budget_bytes = 0
// CHECK-SAME:  saved_bytes = 0
// CHECK-SAME:  saved_bytes_before = 32
// CHECK-NEXT:  [[A:%.+]] = math.tanh [[X]]
// CHECK-NEXT:  [[B:%.+]] = math.sin [[A]]
// CHECK-NEXT:  [[LOSS:%.+]] = math.exp [[B]]
// CHECK-NEXT:  [[LATE:%.+]] = memopt.fence [[X]] after [[LOSS]]
// CHECK-NEXT:  [[A2:%.+]] = math.tanh [[LATE]]
// CHECK-NEXT:  [[B2:%.+]] = math.sin [[A2]]
// CHECK-NEXT:  [[DX:%.+]] = arith.mulf [[G]], [[B2]]
// CHECK-NEXT:  return [[LOSS]], [[DX]]

// BARE-LABEL:  func.func @chain(
// BARE-NOT:    memopt.fence
// BARE:        math.exp
// BARE-NEXT:   math.tanh %{{.+}}
// BARE-NEXT:   math.sin

// ALL-LABEL:   func.func @chain(
// ALL-SAME:    recompute_picoseconds = 0 :

// DRY:         saved 0 bytes, recomputed 2 runs

// LADDER:      saved_bytes,peak_bytes,cost_picoseconds,saved_bound_picoseconds,peak_bound_picoseconds
// LADDER-NEXT: 32,{{[0-9]+}},0,0,0
// LADDER-NEXT: 0,{{[0-9]+,[0-9]+,[0-9]+,[0-9]+$}}
func.func @chain(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %b = math.sin %a : tensor<8xf32>
  %loss = math.exp %b : tensor<8xf32>
  %dx = arith.mulf %g, %b : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// A view of what runs again is made again; the constant is shared. Of a product
// the smaller operand is fenced.

// CHECK-LABEL: func.func @views(
// CHECK-SAME:  [[X:%.+]]: tensor<32x8xf32>, [[W:%.+]]: tensor<8x8xf32>, [[G:%.+]]: tensor<256xf32>)
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK-NEXT:  [[LATE:%.+]] = memopt.fence [[W]] after [[LOSS]] : tensor<8x8xf32>, tensor<256xf32>
// CHECK-NEXT:  [[AGAIN:%.+]] = linalg.matmul ins([[X]], [[LATE]]
// CHECK-NEXT:  [[VIEW:%.+]] = tensor.collapse_shape [[AGAIN]]
// CHECK-NEXT:  [[DX:%.+]] = arith.mulf [[G]], [[VIEW]]
// CHECK-NEXT:  return [[LOSS]], [[DX]]
func.func @views(%x: tensor<32x8xf32>, %w: tensor<8x8xf32>, %g: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %a = linalg.matmul ins(%x, %w : tensor<32x8xf32>, tensor<8x8xf32>) outs(%z : tensor<32x8xf32>) -> tensor<32x8xf32>
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<32x8xf32> into tensor<256xf32>
  %loss = math.exp %v : tensor<256xf32>
  %dx = arith.mulf %g, %v : tensor<256xf32>
  return %loss, %dx : tensor<256xf32>, tensor<256xf32>
}

// -----

// A norm that runs again, and a norm's gradient, read their input behind a
// fence: both are lowered to statistics that the forward has, too.

// CHECK-LABEL: func.func @norm(
// CHECK:       memopt.norm
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK:       [[LATE:%.+]] = memopt.fence [[X:%.+]] after
// CHECK:       memopt.norm layer [[LATE]]
// CHECK:       [[LATER:%.+]] = memopt.fence [[X]] after
// CHECK:       memopt.norm_grad layer %{{.+}}, [[LATER]]
func.func @norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %loss = math.exp %y : tensor<4x8xf32>
  %dy = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %dy, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %loss, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What the front end recomputes already stays apart from the forward's.

// CHECK-LABEL: func.func @repeats(
// CHECK-SAME:  [[X:%.+]]: tensor<8xf32>, [[G:%.+]]: tensor<8xf32>)
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK-NEXT:  [[LATE:%.+]] = memopt.fence [[X]] after [[LOSS]]
// CHECK-NEXT:  [[A2:%.+]] = math.tanh [[LATE]]
// CHECK-NEXT:  [[B2:%.+]] = math.sin [[A2]]
// CHECK-NEXT:  arith.mulf [[G]], [[B2]]
func.func @repeats(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %b = math.sin %a : tensor<8xf32>
  %loss = math.exp %b : tensor<8xf32>
  %a2 = math.tanh %x : tensor<8xf32>
  %b2 = math.sin %a2 : tensor<8xf32>
  %dx = arith.mulf %g, %b2 : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// Random numbers from a seed run again with it; they read nothing but an init,
// which the fence stands before.

// CHECK-LABEL: func.func @seeded(
// CHECK:       linalg.fill_rng_2d
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK:       [[INIT:%.+]] = memopt.fence %{{.+}} after [[LOSS]]
// CHECK:       linalg.fill_rng_2d ins({{.*}}) outs([[INIT]]
func.func @seeded(%x: tensor<4x4xf32>, %g: tensor<4x4xf32>, %seed: i32) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %low = arith.constant 0.0 : f64
  %high = arith.constant 1.0 : f64
  %mask = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = arith.mulf %x, %mask : tensor<4x4xf32>
  %loss = math.exp %y : tensor<4x4xf32>
  %dx = arith.mulf %g, %mask : tensor<4x4xf32>
  return %loss, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// An init of which nothing is read is no reason to wait: it becomes an empty.

// CHECK-LABEL: func.func @inits(
// CHECK:       memopt.fence
// CHECK-NEXT:  [[A:%.+]] = math.tanh
// CHECK-NEXT:  [[E:%.+]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT:  linalg.generic
// CHECK-SAME:  outs([[E]] : tensor<8xf32>)
func.func @inits(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%g, %a : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %m = arith.mulf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// A fence that was there (sharing a norm's output makes some) stays, and waits for
// what stands before its reader now.

// CHECK-LABEL: func.func @fenced(
// CHECK-SAME:  [[X:%.+]]: tensor<8xf32>, [[G:%.+]]: tensor<8xf32>)
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK:       [[P:%.+]] = tensor.concat
// CHECK:       [[LATE:%.+]] = memopt.fence [[X]] after [[P]]
// CHECK:       [[A2:%.+]] = math.sin [[LATE]]
// CHECK:       arith.mulf [[G]], [[A2]]
func.func @fenced(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<16xf32>) {
  %a = math.sin %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %p = tensor.concat dim(0) %g, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %late = memopt.fence %x after %p : tensor<8xf32>, tensor<16xf32>
  %a2 = math.sin %late : tensor<8xf32>
  %dx = arith.mulf %g, %a2 : tensor<8xf32>
  return %loss, %dx, %p : tensor<8xf32>, tensor<8xf32>, tensor<16xf32>
}

// -----

// The norm's input has a fence although its weight runs again beside it: what is
// lowered from the input alone must differ from the forward's, too.

// CHECK-LABEL: func.func @norm_weight(
// CHECK-SAME:  [[X:%.+]]: tensor<4x8xf32>, [[W:%.+]]: tensor<8xf32>, [[G:%.+]]: tensor<4x8xf32>)
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK-DAG:   [[LATEW:%.+]] = memopt.fence [[W]] after [[LOSS]]
// CHECK-DAG:   [[W2:%.+]] = math.sin [[LATEW]]
// CHECK-DAG:   [[LATEX:%.+]] = memopt.fence [[X]] after [[LOSS]]
// CHECK:       memopt.norm layer [[LATEX]] gamma([[W2]])
func.func @norm_weight(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w1 = math.sin %w : tensor<8xf32>
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w1) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %loss = math.exp %y : tensor<4x8xf32>
  %dx = arith.mulf %g, %y : tensor<4x8xf32>
  return %loss, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}
