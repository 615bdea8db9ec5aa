// RUN: mem-opt %s --memopt-raise --split-input-file | FileCheck %s --enable-var-scope

// LayerNorm with gain and shift, its statistics by linalg.reduce, epsilon in f64
// truncated in a body: the op has the number that was written.
#row = affine_map<(d0, d1) -> (d0)>
#full = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT:  %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm layer %[[X]] gamma(%[[W]]) beta(%[[B]]) epsilon 9.9999999999999998E-13
// CHECK-NEXT:  ^bb0(%[[XI:.*]]: tensor<4x8xf32>, %[[WI:.*]]: tensor<8xf32>, %[[BI:.*]]: tensor<8xf32>):
// CHECK:       %[[RSTD:.*]] = math.rsqrt
// CHECK:       %[[XHAT:.*]] = arith.mulf
// CHECK:       memopt.yield %{{.*}}, %[[XHAT]], %[[RSTD]] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[Y]]
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-12 : f64
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %er = tensor.empty() : tensor<4xf32>
  %ef = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<4xf32>
  %meanb = linalg.broadcast ins(%mean : tensor<4xf32>) outs(%ef : tensor<4x8xf32>) dimensions = [1]
  %c = arith.subf %x, %meanb : tensor<4x8xf32>
  %sq = arith.mulf %c, %c : tensor<4x8xf32>
  %ssum = linalg.reduce { arith.addf } ins(%sq : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %var = arith.divf %ssum, %n : tensor<4xf32>
  %vareps = linalg.map ins(%var : tensor<4xf32>) outs(%er : tensor<4xf32>) (%in: f32, %out: f32) {
    %e = arith.truncf %eps : f64 to f32
    %s = arith.addf %in, %e : f32
    linalg.yield %s : f32
  }
  %r = math.rsqrt %vareps : tensor<4xf32>
  %rb = linalg.broadcast ins(%r : tensor<4xf32>) outs(%ef : tensor<4x8xf32>) dimensions = [1]
  %xhat = arith.mulf %c, %rb : tensor<4x8xf32>
  %scaled = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xhat, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %g: f32, %out: f32):
    %m = arith.mulf %a, %g : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %g: f32, %out: f32):
    %m = arith.addf %a, %g : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// RMSNorm whose gradient arrives as two terms that are added, one by one, to the
// gradient of the residual; with the gradient of the gain.
#column1 = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0)>
#full = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @rms_norm_sum
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<4x8xf32>, %[[RES:.*]]: tensor<4x8xf32>
// CHECK:       %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[X]] gamma(%[[W]]) epsilon 1.000000e-05
// CHECK:       %[[DX:.*]], %[[DW:.*]], %{{.*}} = memopt.norm_grad rms %[[G]], %[[X]] gamma(%[[W]]) epsilon 1.000000e-05
// CHECK:       %[[TOTAL:.*]] = linalg.generic {{.*}} ins(%[[RES]], %[[DX]]
// CHECK:       return %[[Y]], %[[TOTAL]], %[[DW]]
func.func @rms_norm_sum(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %g: tensor<4x8xf32>, %res: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 8.0 : f32
  %minus = arith.constant -0.125 : f32
  %er = tensor.empty() : tensor<4xf32>
  %ec = tensor.empty() : tensor<8xf32>
  %ef = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %initc = linalg.fill ins(%zero : f32) outs(%ec : tensor<8xf32>) -> tensor<8xf32>
  %ss = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %sq : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#column1, #column1], iterator_types = ["parallel"]}
      ins(%ss : tensor<4xf32>) outs(%er : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ms = arith.divf %a, %n : f32
    %me = arith.addf %ms, %eps : f32
    %root = math.rsqrt %me : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %xhat = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xhat, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  // dw = sum of g xhat
  %dw = linalg.generic {indexing_maps = [#full, #full, #column], iterator_types = ["reduction", "parallel"]}
      ins(%g, %xhat : tensor<4x8xf32>, tensor<4x8xf32>) outs(%initc : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %gw = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  // Through x: g w r
  %direct = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%gw, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  // Through r: -1/n r^3 x sum(g w x)
  %gx = linalg.generic {indexing_maps = [#full, #full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%gw, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %through = linalg.generic {indexing_maps = [#full, #row, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %gx : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%ef : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %r2 = arith.mulf %b, %b : f32
    %r3 = arith.mulf %r2, %b : f32
    %m = arith.mulf %r3, %c : f32
    %k = arith.mulf %m, %minus : f32
    %p = arith.mulf %k, %a : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %t0 = arith.addf %res, %direct : tensor<4x8xf32>
  %t1 = arith.addf %t0, %through : tensor<4x8xf32>
  return %y, %t1, %dw : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>
}
