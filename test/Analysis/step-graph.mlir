// RUN: mem-opt %s -split-input-file -allow-unregistered-dialect --memopt-print-step-graph -o /dev/null | FileCheck %s -enable-var-scope

// What stands in the planner's graph: views, broadcasts and splats do not.

// Values: arguments (a), then each op's results; r is returned.
// CHECK:       memopt-step 1
// CHECK-NEXT:  values 10
// CHECK-NEXT:  v 2048 a %arg0
// CHECK-NEXT:  v 1024 a %arg1
// CHECK-NEXT:  v 64 a %arg2
// CHECK-NEXT:  v 2048 a %arg3
// CHECK-NEXT:  v 2048 - %{{.*}} linalg.matmul
// CHECK-NEXT:  v 128 - %{{.*}} linalg.generic
// CHECK-NEXT:  v 2048 - %{{.*}} linalg.generic
// CHECK-NEXT:  v 4 r loss linalg.generic
// CHECK-NEXT:  v 64 r %{{.*}} linalg.generic
// CHECK-NEXT:  v 1024 r %{{.*}} linalg.matmul
// CHECK-NEXT:  ops 6 forward 4
// A matrix product: 2 x 32 x 16 x 16 FLOPs.
// CHECK-NEXT:  o contraction 8192 1 16384 4 - : 0 1 : 4
// Row sums, read through a reshape.
// CHECK-NEXT:  o row 512 16 512 4 - : 4a : 5
// Each row divided by its sum, in the same rows; the bias is broadcast over them.
// CHECK-NEXT:  o elementwise 512 16 1024 4 - : 4a 5a 2 : 6
// Everything summed: one row.
// CHECK-NEXT:  o row 512 512 512 4 - : 6a : 7
// A bias gradient sums columns.
// CHECK-NEXT:  o column 512 1 512 4 - : 3a : 8
// A weight gradient reads through a transpose.
// CHECK-NEXT:  o contraction 8192 1 16384 4 - : 6 3 : 9
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#point = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
func.func @step(%x: tensor<32x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>, %g: tensor<32x16xf32>)
    -> (tensor<f32>, tensor<16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
  %er = tensor.empty() : tensor<32xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<32xf32>) -> tensor<32xf32>
  %ec = tensor.empty() : tensor<16xf32>
  %zc = linalg.fill ins(%zero : f32) outs(%ec : tensor<16xf32>) -> tensor<16xf32>
  %ew = tensor.empty() : tensor<16x16xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<16x16xf32>) -> tensor<16x16xf32>
  %es = tensor.empty() : tensor<f32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %h = linalg.matmul ins(%x, %w : tensor<32x16xf32>, tensor<16x16xf32>) outs(%z : tensor<32x16xf32>) -> tensor<32x16xf32>
  %flat = tensor.collapse_shape %h [[0, 1]] : tensor<32x16xf32> into tensor<512xf32>
  %back = tensor.expand_shape %flat [[0, 1]] output_shape [32, 16] : tensor<512xf32> into tensor<32x16xf32>
  %sum = linalg.generic {indexing_maps = [#point, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%back : tensor<32x16xf32>) outs(%zr : tensor<32xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %a, %acc : f32
      linalg.yield %s : f32
    } -> tensor<32xf32>
  %y = linalg.generic {indexing_maps = [#point, #rows, #columns, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h, %sum, %b : tensor<32x16xf32>, tensor<32xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
    ^bb0(%a: f32, %s: f32, %bias: f32, %out: f32):
      %q = arith.divf %a, %s : f32
      %r = arith.addf %q, %bias : f32
      linalg.yield %r : f32
    } -> tensor<32x16xf32>
  %loss = linalg.generic {indexing_maps = [#point, #all], iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<32x16xf32>) outs(%zs : tensor<f32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %a, %acc : f32
      linalg.yield %s : f32
    } -> tensor<f32> loc("loss")
  %db = linalg.generic {indexing_maps = [#point, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%g : tensor<32x16xf32>) outs(%zc : tensor<16xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %a, %acc : f32
      linalg.yield %s : f32
    } -> tensor<16xf32>
  %et = tensor.empty() : tensor<16x32xf32>
  %yt = linalg.transpose ins(%y : tensor<32x16xf32>) outs(%et : tensor<16x32xf32>) permutation = [1, 0]
  %dw = linalg.matmul ins(%yt, %g : tensor<16x32xf32>, tensor<32x16xf32>) outs(%zw : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %loss, %db, %dw : tensor<f32>, tensor<16xf32>, tensor<16x16xf32>
}

// -----

// What may not run twice (n) or change its place (f): calls, globals, assertions
// in a body, ops nobody knows; random numbers from a seed may.
// CHECK:      o opaque 8 1 0 4 nf : : [[MASK:[0-9]+]]
// CHECK-NEXT: o opaque 1 1 0 8 nf : : [[SEED:[0-9]+]]
// CHECK-NEXT: o elementwise 8 1 0 4 nf : 0a : [[CHECKED:[0-9]+]]
// CHECK-NEXT: o elementwise 16 1 {{[0-9]+}} 4 - : : [[RANDOM:[0-9]+]]
// CHECK-NEXT: o opaque {{[0-9]+}} 1 0 4 nf : [[CHECKED]] : [[UNKNOWN:[0-9]+]]
// CHECK-NEXT: o elementwise 8 1 8 4 - : [[CHECKED]]a [[MASK]]a : [[Y:[0-9]+]]
// CHECK-NEXT: o elementwise 8 1 8 4 - : 1a [[MASK]]a
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func private @rand_mask() -> tensor<8xf32>
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<4x4xf32>, tensor<8xf32>) {
  %m = func.call @rand_mask() : () -> tensor<8xf32>
  %seed = ml_program.global_load @seed : tensor<i64>
  %e = tensor.empty() : tensor<8xf32>
  %checked = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %out: f32):
      %positive = arith.constant true
      cf.assert %positive, "is positive"
      linalg.yield %a : f32
    } -> tensor<8xf32>
  %er = tensor.empty() : tensor<4x4xf32>
  %low = arith.constant 0.0 : f64
  %high = arith.constant 1.0 : f64
  %key = arith.constant 7 : i32
  %random = linalg.fill_rng_2d ins(%low, %high, %key : f64, f64, i32) outs(%er : tensor<4x4xf32>) -> tensor<4x4xf32>
  %unknown = "other.op"(%checked) : (tensor<8xf32>) -> tensor<8xf32>
  %y = arith.mulf %checked, %m : tensor<8xf32>
  %dx = arith.mulf %g, %m : tensor<8xf32>
  return %y, %dx, %seed, %random, %unknown
    : tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<4x4xf32>, tensor<8xf32>
}
