// RUN: mem-opt %s -split-input-file -memopt-report -o /dev/null | FileCheck %s

// A chain holds two neighbours at a time; what is returned stays to the end.
// CHECK-LABEL: training step @chain
// CHECK: peak as written 256 bytes 256 B at %1 (math.exp)
func.func @chain(%x: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32>) {
  %a = math.tanh %x : tensor<32xf32>
  %b = math.exp %a : tensor<32xf32>
  %c = math.sin %b : tensor<32xf32>
  %loss = tensor.from_elements : tensor<0xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = math.cos %c : tensor<32xf32>
  return %zero, %d : tensor<f32>, tensor<32xf32>
}

// -----

// A view makes nothing and keeps its base alive: three tensors of 128 bytes.
// CHECK-LABEL: training step @view
// CHECK: peak as written 384 bytes 384 B at %2 (arith.mulf)
func.func @view(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %a = math.tanh %x : tensor<4x8xf32>
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %y = math.exp %flat : tensor<32xf32>
  %d = arith.mulf %y, %flat : tensor<32xf32>
  return %y, %d : tensor<32xf32>, tensor<32xf32>
}

// -----

// A result that nobody uses is made all the same, but not by a memopt op, and an op
// that leads nowhere is not there. An iota is in memory from its making to its use.
// CHECK-LABEL: training step @unused
// CHECK: peak as written 64 bytes 64 B at %7 (arith.sitofp)
// CHECK: 1 x memopt.norm rms
#vec = affine_map<(d0) -> (d0)>
func.func @unused(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %e8 = tensor.empty() : tensor<4xf64>
  %two:2 = linalg.generic {indexing_maps = [#vec, #vec, #vec], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %e8 : tensor<4xf32>, tensor<4xf64>) {
  ^bb0(%in: f32, %o0: f32, %o1: f64):
    %s = math.sin %in : f32
    %c = arith.extf %in : f32 to f64
    linalg.yield %s, %c : f32, f64
  } -> (tensor<4xf32>, tensor<4xf64>)
  %y = math.exp %two#0 : tensor<4xf32>
  %nobody = math.exp2 %y : tensor<4xf32>
  %ie = tensor.empty() : tensor<4xi64>
  %iota = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]}
      outs(%ie : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i64
    linalg.yield %c : i64
  } -> tensor<4xi64>
  %f = arith.sitofp %iota : tensor<4xi64> to tensor<4xf32>
  %yn, %xhat, %rstd = memopt.norm rms %f epsilon 1.0e-6
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  return %y, %yn : tensor<4xf32>, tensor<4xf32>
}
