// RUN: mem-opt %s -split-input-file -verify-diagnostics -memopt-pipeline

func.func private @again(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expects no call to a function that has a body: @again cannot be inlined, as it is recursive, has more than one block or says no_inline}}
  %y = func.call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %h = call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %d = arith.mulf %y, %h : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{@f cannot be inlined, as it is recursive}}
  %y = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %h = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %d = arith.mulf %y, %h : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func private @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^next
^next:
  return %x : tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{@blocks cannot be inlined}}
  %h = call @blocks(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %d = arith.mulf %y, %h : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
