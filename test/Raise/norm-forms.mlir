// RUN: mem-opt %s --memopt-raise --split-input-file | FileCheck %s --enable-var-scope

// A norm of a norm, in f64: the second is in all that the first's input determines,
// and is found none the less.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xf64>, %[[V:.*]]: tensor<8xf64>, %[[W:.*]]: tensor<8xf64>
// CHECK-NEXT:  %[[INNER:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[X]] gamma(%[[V]]) epsilon 9.9999999999999995E-7
// CHECK:       %[[OUTER:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[INNER]] gamma(%[[W]]) epsilon 9.9999999999999995E-7
// CHECK:       return %[[OUTER]]
func.func @twice(%x: tensor<4x8xf64>, %v: tensor<8xf64>, %w: tensor<8xf64>) -> tensor<4x8xf64> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant dense<8.0> : tensor<4xf64>
  %eps = arith.constant dense<1.0e-6> : tensor<4xf64>
  %er = tensor.empty() : tensor<4xf64>
  %ef = tensor.empty() : tensor<4x8xf64>
  %init = linalg.fill ins(%zero : f64) outs(%er : tensor<4xf64>) -> tensor<4xf64>
  %asq = arith.mulf %x, %x : tensor<4x8xf64>
  %ass = linalg.reduce { arith.addf } ins(%asq : tensor<4x8xf64>) outs(%init : tensor<4xf64>) dimensions = [1]
  %ams = arith.divf %ass, %n : tensor<4xf64>
  %ame = arith.addf %ams, %eps : tensor<4xf64>
  %ar = math.rsqrt %ame : tensor<4xf64>
  %arb = linalg.broadcast ins(%ar : tensor<4xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [1]
  %axhat = arith.mulf %x, %arb : tensor<4x8xf64>
  %awb = linalg.broadcast ins(%v : tensor<8xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [0]
  %inner = arith.mulf %axhat, %awb : tensor<4x8xf64>
  %bsq = arith.mulf %inner, %inner : tensor<4x8xf64>
  %bss = linalg.reduce { arith.addf } ins(%bsq : tensor<4x8xf64>) outs(%init : tensor<4xf64>) dimensions = [1]
  %bms = arith.divf %bss, %n : tensor<4xf64>
  %bme = arith.addf %bms, %eps : tensor<4xf64>
  %br = math.rsqrt %bme : tensor<4xf64>
  %brb = linalg.broadcast ins(%br : tensor<4xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [1]
  %bxhat = arith.mulf %inner, %brb : tensor<4x8xf64>
  %bwb = linalg.broadcast ins(%w : tensor<8xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [0]
  %outer = arith.mulf %bxhat, %bwb : tensor<4x8xf64>
  return %outer : tensor<4x8xf64>
}

// -----

// Over the last two dimensions, from division by the standard deviation: the body
// has no 1/std, so that the definition gives it.
#full = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func.func @two_dimensions
// CHECK-SAME:  %[[X:.*]]: tensor<4x2x3xf32>
// CHECK-NEXT:  %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[X]] epsilon 1.000000e-05
// CHECK-SAME:  (tensor<4x2x3xf32>) -> (tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<4xf32>)
// CHECK-SAME:  normalized_rank = 2
// CHECK:       %{{.*}}, %{{.*}}, %[[RSTD:.*]] = memopt.norm rms
// CHECK:       memopt.yield %[[BODY:.*]], %[[BODY]], %[[RSTD]]
// CHECK:       return %[[Y]]
func.func @two_dimensions(%x: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %er = tensor.empty() : tensor<4xf32>
  %ef = tensor.empty() : tensor<4x2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %ss = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x2x3xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %s = arith.addf %sq, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %ss : tensor<4x2x3xf32>, tensor<4xf32>) outs(%ef : tensor<4x2x3xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %ms = arith.divf %s, %n : f32
    %me = arith.addf %ms, %eps : f32
    %std = math.sqrt %me : f32
    %q = arith.divf %a, %std : f32
    linalg.yield %q : f32
  } -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// -----

// A gain that is no tensor, 1 + w inside the body: w is what the body captures.
#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @captured
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>
// CHECK-NEXT:  memopt.norm rms %[[X]] captures(%[[W]]) epsilon 1.000000e-05
func.func @captured(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %er = tensor.empty() : tensor<4xf32>
  %ef = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %ss = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %s = arith.addf %sq, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %ss, %w : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %s: f32, %g: f32, %out: f32):
    %ms = arith.divf %s, %n : f32
    %me = arith.addf %ms, %eps : f32
    %r = math.rsqrt %me : f32
    %xhat = arith.mulf %a, %r : f32
    %gain = arith.addf %g, %one : f32
    %q = arith.mulf %xhat, %gain : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// xhat = (x - mean) / std as jax.numpy has it, on bfloat16 through float32: the body
// has std, so that one division gives 1/std.
// CHECK-LABEL: func.func @by_std
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xbf16>
// CHECK-NEXT:  %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm layer %[[X]] epsilon 1.000000e-05
// CHECK-SAME:  (tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4xf32>)
// CHECK:       %[[STD:.*]] = math.sqrt
// CHECK:       %[[XHAT:.*]] = arith.divf
// CHECK:       %[[ROUNDED:.*]] = arith.truncf
// CHECK:       %[[RSTD:.*]] = linalg.generic {{.*}} ins(%[[STD]] : tensor<4xf32>)
// CHECK-NOT:   memopt.norm
// CHECK:       memopt.yield %[[ROUNDED]], %[[XHAT]], %[[RSTD]]
// CHECK:       return %[[Y]]
func.func @by_std(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %er = tensor.empty() : tensor<4xf32>
  %ef = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %w = arith.extf %x : tensor<4x8xbf16> to tensor<4x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<4xf32>
  %mb = linalg.broadcast ins(%mean : tensor<4xf32>) outs(%ef : tensor<4x8xf32>) dimensions = [1]
  %c = arith.subf %w, %mb : tensor<4x8xf32>
  %sq = arith.mulf %c, %c : tensor<4x8xf32>
  %ss = linalg.reduce { arith.addf } ins(%sq : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %var = arith.divf %ss, %n : tensor<4xf32>
  %ve = arith.addf %var, %eps : tensor<4xf32>
  %std = math.sqrt %ve : tensor<4xf32>
  %sb = linalg.broadcast ins(%std : tensor<4xf32>) outs(%ef : tensor<4x8xf32>) dimensions = [1]
  %xhat = arith.divf %c, %sb : tensor<4x8xf32>
  %y = arith.truncf %xhat : tensor<4x8xf32> to tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}
