// RUN: mem-opt %s --memopt-to-linalg --split-input-file | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --memopt-to-linalg --split-input-file | %llvm_bin/mlir-opt --split-input-file -o /dev/null

// A raised op becomes the body it was raised from.
// CHECK-LABEL: @raised
// CHECK-SAME: (%[[X:[^ ]*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = math.tanh %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @raised(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = math.tanh %a : tensor<4xf32>
    memopt.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Of a raised norm only what leads to a used result is left.
// CHECK-LABEL: @raised_norm
// CHECK-SAME: (%[[X:[^ ]*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[Y:.*]] = math.sin %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @raised_norm(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %c: tensor<2xf32>) -> tensor<2x4xf32> {
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) captures(%c) epsilon 1.0e-5
      : (tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %d: tensor<2xf32>):
    %s = math.sin %a : tensor<2x4xf32>
    %t = math.cos %s : tensor<2x4xf32>
    %u = math.exp %d : tensor<2xf32>
    memopt.yield %s, %t, %u : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>
  }
  return %y : tensor<2x4xf32>
}

// -----

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: @silu_bf16
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[IN:.*]]: bf16, %{{.*}}: bf16):
// CHECK: arith.extf %[[IN]] : bf16 to f32
// CHECK-NOT: bf16
// CHECK: math.exp %{{.*}} : f32
// CHECK-NOT: bf16
// CHECK: %[[OUT:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: linalg.yield %[[OUT]]
func.func @silu_bf16(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = memopt.activation silu %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}

// -----

// f64 stays f64.
// CHECK-LABEL: @gelu_f64
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.erfc %{{.*}} : f64
// CHECK-NOT: f32
func.func @gelu_f64(%g: tensor<4xf64>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %dx = memopt.activation_grad gelu_erf %g, %x : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %dx : tensor<4xf64>
}

// -----

// Where the last dimension fills whole bytes, the code is a reduction over the
// elements of a byte, and nothing is read by index.
// CHECK-LABEL: @aligned
// CHECK-SAME: (%[[X:[^ ]*]]: tensor<?x8xf32>
// CHECK: %[[GROUPS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] {{.*}} into tensor<?x2x4xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[GROUPS]]
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: tensor.collapse_shape
// CHECK-NOT: tensor.extract
func.func @aligned(%x: tensor<?x8xf32>, %g: tensor<?x8xf32>) -> (tensor<?x2xi8>, tensor<?x8xf32>) {
  %code = memopt.encode %x thresholds [-1.0, 0.0, 1.0] : tensor<?x8xf32> -> tensor<?x2xi8>
  %dx = memopt.step_grad %g, %code slopes [0.0, -0.5, 1.5, 1.0] : tensor<?x8xf32>, tensor<?x2xi8> -> tensor<?x8xf32>
  return %code, %dx : tensor<?x2xi8>, tensor<?x8xf32>
}

// -----

// Otherwise reads are clamped to the last of the 15 elements.
// CHECK-LABEL: @flat
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} into tensor<15xf32>
// CHECK: arith.constant 14 : index
// CHECK: %[[AT:.*]] = arith.minui
// CHECK-NEXT: tensor.extract %[[FLAT]][%[[AT]]]
func.func @flat(%x: tensor<3x5xf32>) -> tensor<4xi8> {
  %code = memopt.encode %x thresholds [-1.0, 0.0, 1.0] : tensor<3x5xf32> -> tensor<4xi8>
  return %code : tensor<4xi8>
}

// -----

// Only dbeta is used: a column sum of g, and x is not read.
// CHECK-LABEL: @only_dbeta
// CHECK-SAME: (%[[G:[^ ]*]]: tensor<4x8xf32>, %[[X:.*]]: tensor<4x8xf32>)
// CHECK-COUNT-1: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[G]] :
// CHECK-NOT: linalg.generic
func.func @only_dbeta(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>) -> tensor<8xf32> {
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %dbeta : tensor<8xf32>
}

// -----

// The mean first, then the variance of what is left.
// CHECK-LABEL: @two_passes
// CHECK: linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: math.rsqrt
func.func @two_passes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  return %y : tensor<4x8xf32>
}

// -----

// Nothing of an op that nobody uses is left, and other dialects stay untouched.
// CHECK-LABEL: @unused
// CHECK-SAME: (%[[X:[^ ]*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @unused(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.exp %x : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
