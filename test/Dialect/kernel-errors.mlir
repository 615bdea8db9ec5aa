// RUN: mem-opt --split-input-file --verify-diagnostics %s

func.func @mixed(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expects tensors and a result for each output, or buffers and no results}}
  memopt.kernel elementwise ins(%x : tensor<4xf32>) outs(%x, %y : tensor<4xf32>, memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield %in, %in : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @results(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{results must have the types of the outputs}}
  %z = memopt.kernel elementwise ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield %in : tensor<4xf32>
  }
  return
}

// -----

func.func @arguments(%x: memref<4xf32>) {
  // expected-error @+1 {{body must have an argument for each input}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
    %c = arith.constant dense<0.0> : tensor<4xf32>
    memopt.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @argument_type(%x: memref<4xf32>) {
  // expected-error @+1 {{body argument 0 must be the tensor that the input 'memref<4xf32>' holds, got 'tensor<8xf32>'}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%in: tensor<8xf32>):
    %c = arith.constant dense<0.0> : tensor<4xf32>
    memopt.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @no_yield(%x: memref<4xf32>) {
  // expected-error @+1 {{body must end in memopt.yield of one tensor an output}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield
  }
  return
}

// -----

func.func @yield_type(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{body must yield what the output 'memref<8xf32>' holds, got 'tensor<4xf32>'}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield %in : tensor<4xf32>
  }
  return
}

// -----

func.func @odd_in_place(%x: memref<4xf32>) {
  // expected-error @+1 {{in_place lists pairs of an output and an input}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) attributes {in_place = array<i64: 0>} {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield %in : tensor<4xf32>
  }
  return
}

// -----

func.func @far_in_place(%x: memref<4xf32>) {
  // expected-error @+1 {{in_place names output 0 and input 3; there are 1 and 1}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) attributes {in_place = array<i64: 0, 3>} {
  ^bb0(%in: tensor<4xf32>):
    memopt.yield %in : tensor<4xf32>
  }
  return
}
