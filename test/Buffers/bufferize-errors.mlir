// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-bufferize=donate=1

// expected-error@below {{memopt-bufferize: no function has the attribute 'memopt.kernels': put memopt-form-kernels before}}
module {
  func.func @unformed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %x, %y : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// expected-error@below {{memopt-bufferize: donate=1 is out of range: the step has 1 arguments}}
func.func @range(%x: tensor<4xf32>) -> tensor<4xf32> attributes {memopt.kernels = {}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{memopt-bufferize: donate=1 is no tensor}}
func.func @scalar(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> attributes {memopt.kernels = {}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{memopt-bufferize: result 0 is 'f32': only tensors can lie in an arena}}
func.func @result(%x: tensor<4xf32>, %y: tensor<4xf32>, %s: f32) -> f32 attributes {memopt.kernels = {}} {
  return %s : f32
}

// -----

// expected-error@below {{memopt-bufferize: the step is on buffers already}}
func.func @twice(%x: memref<4xf32>, %y: memref<4xf32>) attributes {memopt.kernels = {}} {
  return
}

// -----

ml_program.global private mutable @seed(dense<0.0> : tensor<f32>) : tensor<f32>
func.func @stale(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> attributes {memopt.kernels = {}} {
  %seed = ml_program.global_load @seed : tensor<f32>
  // expected-note@below {{it is overwritten here}}
  ml_program.global_store @seed = %x : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  // expected-error@below {{memopt-bufferize: 'memopt.kernel' reads a global's value after the global is overwritten}}
  %r = memopt.kernel elementwise ins(%seed : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32> {
  ^bb0(%in: tensor<f32>):
    %c = math.cos %in : tensor<f32>
    memopt.yield %c : tensor<f32>
  }
  return %r : tensor<f32>
}
