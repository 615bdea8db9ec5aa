// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-inline-kernels

func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@below {{memopt-inline-kernels: this kernel works on buffers, and only one on tensors has results to give way to}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}
