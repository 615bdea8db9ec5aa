// RUN: mem-opt %s | mem-opt | FileCheck %s
// RUN: mem-opt %s --mlir-print-op-generic | mem-opt | FileCheck %s

// Each op prints in its own syntax and parses again.
// CHECK-LABEL: @activations
func.func @activations(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: memopt.activation gelu_erf %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
  %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: memopt.activation silu %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16> {
  %z = memopt.activation silu %x : tensor<4x8xf32> -> tensor<4x8xbf16> {
  ^bb0(%a: tensor<4x8xf32>):
    %b = arith.truncf %a : tensor<4x8xf32> to tensor<4x8xbf16>
    memopt.yield %b : tensor<4x8xbf16>
  }
  // CHECK: memopt.activation_grad quick_gelu
  %dx = memopt.activation_grad quick_gelu %g, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: memopt.encode %{{.*}} thresholds [-3.17{{.*}}, 0.0{{.*}}, 3.17{{.*}}] : tensor<4x8xf32> -> tensor<4x2xi8>
  %code = memopt.encode %x thresholds [-3.17, 0.0, 3.17] : tensor<4x8xf32> -> tensor<4x2xi8>
  // CHECK: memopt.step_grad %{{.*}}, %{{.*}} slopes [0.0{{.*}}, -5.0{{.*}}, 1.05{{.*}}, 1.0{{.*}}]
  %s = memopt.step_grad %g, %code slopes [0.0, -0.05, 1.05, 1.0] : tensor<4x8xf32>, tensor<4x2xi8> -> tensor<4x8xf32>
  // CHECK: memopt.fence %{{.*}} after %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
  %f = memopt.fence %s after %g : tensor<4x8xf32>, tensor<4x8xf32>
  return %f : tensor<4x8xf32>
}

// CHECK-LABEL: @norms
func.func @norms(%x: tensor<?x8xbf16>, %g: tensor<?x8xbf16>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xbf16> {
  // CHECK: memopt.norm layer %{{.*}} gamma(%{{.*}}) beta(%{{.*}}) epsilon 1.0{{.*}}e-05
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) beta(%b) epsilon 1.0e-5
      : (tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?xf32>)
  // CHECK: memopt.norm rms %{{.*}} epsilon
  %y2, %xhat2, %rstd2 = memopt.norm rms %x epsilon 1.0e-6
      : (tensor<?x8xbf16>) -> (tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?xf32>)
  // CHECK: memopt.norm_grad layer
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: memopt.norm_output_grad rms
  %dx2, %dgamma2, %dbeta2 = memopt.norm_output_grad rms %g, %xhat, %rstd
      : (tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?xf32>) -> (tensor<?x8xbf16>, tensor<8xf32>, tensor<8xf32>)
  return %dx2 : tensor<?x8xbf16>
}
