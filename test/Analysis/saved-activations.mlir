// RUN: mem-opt %s -split-input-file -memopt-report -o /dev/null | FileCheck %s

// Two names of one buffer count once, and both keep it.
// CHECK-LABEL: training step @alias: the forward ends at %1 (math.exp)
// CHECK: saved activations 16,384 bytes
// CHECK: 16,384 1 x tensor<64x64xf32>, math.tanh, 2 x arith.mulf
func.func @alias(%x: tensor<64x64xf32>, %g: tensor<4096xf32>, %g2: tensor<64x64xf32>)
    -> (tensor<4096xf32>, tensor<4096xf32>, tensor<64x64xf32>) {
  %a = math.tanh %x : tensor<64x64xf32>
  %view = tensor.collapse_shape %a [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  %y = math.exp %view : tensor<4096xf32>
  %d1 = arith.mulf %g, %view : tensor<4096xf32>
  %d2 = arith.mulf %g2, %a : tensor<64x64xf32>
  return %y, %d1, %d2 : tensor<4096xf32>, tensor<4096xf32>, tensor<64x64xf32>
}

// -----

// A broadcast is rebuilt from what it spreads.
// CHECK-LABEL: training step @broadcast
// CHECK: saved activations 4,096 bytes
// CHECK: 4,096 1 x tensor<1024xf32>, math.tanh, arith.mulf
func.func @broadcast(%b: tensor<1024xf32>, %x: tensor<1024x1024xf32>,
    %g: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %t = math.tanh %b : tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x1024xf32>
  %wide = linalg.broadcast ins(%t : tensor<1024xf32>) outs(%e : tensor<1024x1024xf32>)
      dimensions = [0]
  %y = arith.mulf %x, %wide : tensor<1024x1024xf32>
  %dx = arith.mulf %g, %wide : tensor<1024x1024xf32>
  return %y, %dx : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// -----

// A transpose, an identity copy and a generic that only broadcasts are seen through;
// a generic that computes is not.
// CHECK-LABEL: training step @seen_through
// CHECK: saved activations 96 bytes
// CHECK: 64 1 x tensor<4x4xf32>, linalg.generic, arith.mulf
// CHECK: 32 1 x tensor<4x2xf32>, math.tanh, linalg.matmul
#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @seen_through(%x: tensor<4x2xf32>, %r: tensor<4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) {
  %cst = arith.constant 0.0 : f32
  %h = math.tanh %x : tensor<4x2xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %swapped = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4xf32>
  %copy = linalg.copy ins(%swapped : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %scaled = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<4xf32>) outs(%e2 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%h, %copy : tensor<4x2xf32>, tensor<2x4xf32>)
      outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %zero2 = linalg.fill ins(%cst : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %dx = linalg.matmul ins(%copy, %g : tensor<2x4xf32>, tensor<4x4xf32>)
      outs(%zero2 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = arith.mulf %g, %scaled : tensor<4x4xf32>
  return %y, %dx, %d : tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>
}

// -----

// A slice that crosses holds all of its base.
// CHECK-LABEL: training step @slice
// CHECK: saved activations 4,096 bytes
func.func @slice(%x: tensor<64x16xf32>, %g: tensor<1x16xf32>)
    -> (tensor<64x16xf32>, tensor<1x16xf32>) {
  %h = math.tanh %x : tensor<64x16xf32>
  %row = tensor.extract_slice %h[0, 0] [1, 16] [1, 1] : tensor<64x16xf32> to tensor<1x16xf32>
  %y = math.exp %h : tensor<64x16xf32>
  %d = arith.mulf %g, %row : tensor<1x16xf32>
  return %y, %d : tensor<64x16xf32>, tensor<1x16xf32>
}

// -----

// What the caller gets anyway weighs nothing, and arguments are the caller's.
// CHECK-LABEL: training step @returned
// CHECK: saved activations 0 bytes
// CHECK: (returned) 0 1 x tensor<8xf32>, math.tanh, arith.mulf
func.func @returned(%x: tensor<8xf32>, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %h = math.tanh %x : tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %d = arith.mulf %g, %h : tensor<8xf32>
  %e = arith.mulf %g, %x : tensor<8xf32>
  return %y, %h, %d, %e : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// What depends on constants only can be had again: no storage. A mask from data is one.
// CHECK-LABEL: training step @constants
// CHECK: saved activations 8 bytes
// CHECK: 8 1 x tensor<8xi1>, arith.cmpf, arith.select
func.func @constants(%x: tensor<8xf32>, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %iota = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %int = arith.index_cast %i : index to i64
    %float = arith.sitofp %int : i64 to f32
    linalg.yield %float : f32
  } -> tensor<8xf32>
  %table = math.cos %iota : tensor<8xf32>
  %mask = arith.cmpf ogt, %x, %zero : tensor<8xf32>
  %y = arith.mulf %x, %table : tensor<8xf32>
  %d = arith.mulf %g, %table : tensor<8xf32>
  %m = arith.select %mask, %d, %zero : tensor<8xi1>, tensor<8xf32>
  return %y, %d, %m : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Each result of an op is a storage of its own, a read from inside a region is a
// read, and an init that the op overwrites is not.
// CHECK-LABEL: training step @regions
// CHECK: saved activations 16 bytes
// CHECK: 16 1 x tensor<4xf32>, linalg.generic, linalg.generic
#vec = affine_map<(d0) -> (d0)>
func.func @regions(%x: tensor<4xf32>, %at: tensor<4xindex>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %two:2 = linalg.generic {indexing_maps = [#vec, #vec, #vec], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %o0: f32, %o1: f32):
    %s = math.sin %in : f32
    %c = math.cos %in : f32
    linalg.yield %s, %c : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %y = math.exp %two#0 : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]}
      ins(%at : tensor<4xindex>) outs(%two#0 : tensor<4xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %two#1[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// An op that leads nowhere keeps nothing.
// CHECK-LABEL: training step @dead
// CHECK: saved activations 0 bytes
func.func @dead(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %h = math.tanh %x : tensor<4xf32>
  %y = math.exp %h : tensor<4xf32>
  %d = arith.mulf %g, %g : tensor<4xf32>
  %nobody = arith.mulf %d, %h : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Element sizes are whole bytes; 2^34 bytes are exact.
// CHECK-LABEL: training step @sizes
// CHECK: saved activations 17,179,869,211 bytes
// CHECK: 17,179,869,184 1 x tensor<65536x65536xf32>
// CHECK: 16 1 x tensor<2xf64>
// CHECK: 8 1 x tensor<4xf16>
// CHECK: 3 1 x tensor<3xi1>
func.func @sizes(%a: tensor<65536x65536xf32>, %b: tensor<2xf64>, %c: tensor<4xf16>,
    %p: tensor<3xi1>, %q: tensor<3xf32>)
    -> (tensor<f32>, tensor<65536x65536xf32>, tensor<2xf64>, tensor<4xf16>, tensor<3xf32>) {
  %ta = math.tanh %a : tensor<65536x65536xf32>
  %tb = math.tanh %b : tensor<2xf64>
  %tc = math.tanh %c : tensor<4xf16>
  %not = arith.xori %p, %p : tensor<3xi1>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %loss = arith.constant dense<0.0> : tensor<f32>
  %da = math.exp %ta : tensor<65536x65536xf32>
  %db = math.exp %tb : tensor<2xf64>
  %dc = math.exp %tc : tensor<4xf16>
  %dq = arith.select %not, %q, %zero : tensor<3xi1>, tensor<3xf32>
  return %loss, %da, %db, %dc, %dq : tensor<f32>, tensor<65536x65536xf32>, tensor<2xf64>,
      tensor<4xf16>, tensor<3xf32>
}

// -----

// Nothing divides by 0 bytes, and a scalar has 4.
// CHECK-LABEL: training step @empty
// CHECK: saved activations 4 bytes 4 B in 2 storages, and 1 returned
func.func @empty(%z: tensor<0x16xf32>, %s: tensor<f32>)
    -> (tensor<f32>, tensor<0x16xf32>, tensor<f32>) {
  %a = math.tanh %z : tensor<0x16xf32>
  %b = math.tanh %s : tensor<f32>
  %y = math.exp %b : tensor<f32>
  %da = math.exp %a : tensor<0x16xf32>
  %db = arith.mulf %y, %b : tensor<f32>
  return %y, %da, %db : tensor<f32>, tensor<0x16xf32>, tensor<f32>
}
