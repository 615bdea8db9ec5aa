// RUN: mem-opt %s -split-input-file --memopt-schedule | FileCheck %s -enable-var-scope

// Each sum frees what it reads: it moves before the next wide value is made.

// CHECK-LABEL: func.func @sums(
// CHECK:       math.exp
// CHECK:       [[P:%.+]] = tensor.concat
// CHECK:       [[DP:%.+]] = linalg.reduce {{.*}} ins([[P]]
// CHECK:       [[Q:%.+]] = tensor.concat
// CHECK:       [[DQ:%.+]] = linalg.reduce {{.*}} ins([[Q]]
// CHECK:       return %{{.+}}, [[DP]], [[DQ]]
func.func @sums(%x: tensor<64xf32>, %g: tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = math.exp %x : tensor<64xf32>
  %p = tensor.concat dim(0) %g, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %q = tensor.concat dim(0) %x, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %dp = linalg.reduce {arith.addf} ins(%p : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %dq = linalg.reduce {arith.addf} ins(%q : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %dp, %dq : tensor<64xf32>, tensor<f32>, tensor<f32>
}

// -----

// Calls keep their order, and a good order stays.

// CHECK-LABEL: func.func @calls(
// CHECK:       call @draw
// CHECK-NEXT:  arith.mulf
// CHECK-NEXT:  call @draw
// CHECK-NEXT:  arith.mulf
func.func private @draw() -> tensor<8xf32>
func.func @calls(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = func.call @draw() : () -> tensor<8xf32>
  %loss = arith.mulf %x, %a : tensor<8xf32>
  %b = func.call @draw() : () -> tensor<8xf32>
  %dx = arith.mulf %g, %b : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// An input that the body does not read is nothing to wait for: its shape alone is
// used, and the maker's other readers decide what becomes of it.

// CHECK-LABEL: func.func @unread_input(
// CHECK-SAME:    %[[X:.*]]: tensor<8x8xf32>, %[[G:.*]]: tensor<8x8xf32>
// CHECK:         linalg.matmul
// CHECK:         %[[SHAPE:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} ins(%[[SHAPE]], %[[G]] :
func.func @unread_input(%x: tensor<8x8xf32>, %g: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %loss = math.exp %x : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %loss : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %dp = math.absf %p : tensor<8x8xf32>
  %square = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%unread: f32, %in: f32, %out: f32):
    %y = arith.mulf %in, %in : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %dg = arith.mulf %square, %loss : tensor<8x8xf32>
  return %loss, %dp, %dg : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// What ends the forward stays behind all that stood before it, though it frees %y:
// else %w would count as made in the backward.

// CHECK-LABEL: func.func @forward_end(
// CHECK:       [[Y:%.+]] = tensor.concat
// CHECK:       [[W:%.+]] = tensor.concat
// CHECK:       [[LOSS:%.+]] = linalg.reduce {{.*}} ins([[Y]]
// CHECK:       [[D:%.+]] = linalg.reduce {{.*}} ins([[W]]
// CHECK:       return [[LOSS]], [[D]]
func.func @forward_end(%x: tensor<64xf32>, %g: tensor<64xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %y = tensor.concat dim(0) %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %w = tensor.concat dim(0) %g, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %loss = linalg.reduce {arith.addf} ins(%y : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %d = linalg.reduce {arith.addf} ins(%w : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %d : tensor<f32>, tensor<f32>
}

// -----

// What nothing but such an input uses is computed for nobody.

// CHECK-LABEL: func.func @dead_shape(
// CHECK-NOT:   math.absf
// CHECK-NOT:   math.sqrt
// CHECK:       %[[SHAPE:.*]] = tensor.empty
// CHECK:       linalg.generic {{.*}} ins(%[[SHAPE]], %
func.func @dead_shape(%x: tensor<8x8xf32>, %g: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %loss = math.exp %x : tensor<8x8xf32>
  %dead = math.absf %g : tensor<8x8xf32>
  %root = math.sqrt %dead : tensor<8x8xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%root, %loss : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%unread: f32, %in: f32, %out: f32):
    %y = arith.mulf %in, %in : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %loss, %dx : tensor<8x8xf32>, tensor<8x8xf32>
}
