// RUN: mem-opt %s -split-input-file -verify-diagnostics -memopt-report -o /dev/null

// expected-error @+1 {{no function looks like a training step}}
module {
  // expected-note @+1 {{@one_result: it returns fewer than two tensors, and a step returns the loss and gradients}}
  func.func @one_result(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  // expected-note @+1 {{@integers: it returns no tensor of floats, so there is no gradient}}
  func.func @integers(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
    %y = arith.addi %x, %x : tensor<4xi32>
    %z = arith.addi %y, %y : tensor<4xi32>
    return %y, %z : tensor<4xi32>, tensor<4xi32>
  }
  // expected-note @+1 {{@complex: it returns no tensor of floats, so there is no gradient}}
  func.func @complex(%x: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
    return %x, %x : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  }
  // expected-note @+1 {{@nothing_after: no result is made after the forward's end, so there is no backward}}
  func.func @nothing_after(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %y = math.exp %x : tensor<4xf32>
    return %y, %y : tensor<4xf32>, tensor<4xf32>
  }
  // expected-note @+1 {{@branches: it has more than one block}}
  func.func @branches(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    cf.br ^next
  ^next:
    return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  // expected-note @+1 {{@scalars: it returns fewer than two tensors}}
  func.func @scalars(%x: f32) -> (f32, f32) {
    return %x, %x : f32, f32
  }
}

// -----

// expected-error @+1 {{no function looks like a training step}}
module {
}

// -----

// expected-error @+1 {{@step is no training step: it works on buffers, and a step is read on tensors, before bufferization}}
func.func @step(%x: memref<8xf32>, %y: memref<8xf32>) {
  return
}

// -----

// expected-error @+1 {{@step is no training step: it works on buffers}}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %y = math.exp %x : tensor<8xf32>
  %z = math.exp %y : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error @+1 {{@step is no training step: forward result 0 is an argument: no op makes it}}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error @+1 {{more than one function could be the training step: name one with function=}}
module {
  // expected-note @+1 {{@f32 could be}}
  func.func @f32(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %y = math.exp %x : tensor<8xf32>
    %d = arith.mulf %g, %y : tensor<8xf32>
    return %y, %d : tensor<8xf32>, tensor<8xf32>
  }
  // expected-note @+1 {{@f64 could be}}
  func.func @f64(%x: tensor<8xf64>, %g: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
    %y = math.exp %x : tensor<8xf64>
    %d = arith.mulf %g, %y : tensor<8xf64>
    return %y, %d : tensor<8xf64>, tensor<8xf64>
  }
}
