// RUN: mem-opt %s -split-input-file -verify-diagnostics -memopt-verify-stage=stage=captured
// RUN: not mem-opt %s -split-input-file -memopt-verify-stage=stage=baked 2>&1 | FileCheck %s

// CHECK: error: unknown stage 'baked' for memopt-verify-stage: captured, raised or upstream

// expected-error @+1 {{@step is no training step: it works on buffers, and a step is read on tensors, before bufferization}}
func.func @step(%x: memref<8xf32>) {
  return
}

// -----

func.func private @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.tanh %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{the stage 'captured' expects no call to a function that has a body: @half cannot be inlined}}
  %h = call @half(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %d = arith.mulf %y, %h : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
