// A step of dynamic shapes is compiled for the sizes of its inputs, once for each.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as n; r = n.random.default_rng(0); w = r.normal(size=(8, 4)).astype('f4'); \
// RUN:   [n.savez('%t/%%d.npz' %% s, arg0=x, arg1=w, res0=n.tanh(x @ w).sum(dtype='f4'), res1=1 - n.tanh(x @ w)**2) \
// RUN:    for s in (1, 5, 33) for x in [r.normal(size=(s, 8)).astype('f4')]]"
// RUN: mem-run %s --cache-dir=%t --inputs=%t/5.npz --expect=%t/5.npz | FileCheck %s --check-prefix=FIVE
// RUN: mem-run %s --cache-dir=%t --inputs=%t/5.npz --expect=%t/5.npz | FileCheck %s --check-prefix=AGAIN
// RUN: mem-run %s --cache-dir=%t --inputs=%t/33.npz --expect=%t/33.npz | FileCheck %s --check-prefix=MORE
// RUN: mem-run %s --cache-dir=%t --inputs=%t/1.npz --expect=%t/1.npz | FileCheck %s --check-prefix=ONE
// RUN: mem-run %s --no-cache --sizes=0:0=5 | FileCheck %s --check-prefix=FIVE

// With a budget the plan is made for the bounds, without one for the sizes: either way
// what is above a bound is refused.
// RUN: mem-run %s --no-cache --inputs=%t/5.npz --expect=%t/5.npz --pipeline='dim-bounds=0:0=32 saved-budget=0' \
// RUN:   | FileCheck %s --check-prefix=FIVE
// RUN: not mem-run %s --no-cache --inputs=%t/33.npz --pipeline='dim-bounds=0:0=32 saved-budget=0' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUND
// RUN: not mem-run %s --no-cache --inputs=%t/33.npz --pipeline='dim-bounds=0:0=32' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUND
// RUN: not mem-run %s --no-cache 2>&1 | FileCheck %s --check-prefix=NONE

// FIVE: "cached":false
// FIVE-SAME: "peak_bytes":[[BYTES:[0-9]+]],"planned_bytes":[[BYTES]]
// AGAIN: "cached":true
// MORE: "cached":false
// MORE-SAME: "peak_bytes":[[BYTES:[0-9]+]],"planned_bytes":[[BYTES]]
// ONE: "cached":false
// BOUND: error: memopt-specialize-shapes: sizes=0:0=33: the dimension is at most 32, the bound that the step was planned for
// NONE: error: memopt-specialize-shapes: argument #0 is a 'tensor<?x8xf32>': dimension 0 has no size; give it one, as sizes=0:0=128
func.func @step(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> (tensor<f32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%start : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = math.tanh %h : tensor<?x4xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<?x4xf32>) outs(%none : tensor<f32>) dimensions = [0, 1]
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %square = arith.mulf %a, %a : f32
    %rest = arith.subf %one, %square : f32
    linalg.yield %rest : f32
  } -> tensor<?x4xf32>
  return %loss, %d : tensor<f32>, tensor<?x4xf32>
}
