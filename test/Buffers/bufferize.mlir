// RUN: mem-opt %s -split-input-file --pass-pipeline='builtin.module(memopt-form-kernels,memopt-bufferize)' | FileCheck %s

// A kernel's outputs are buffers of their own, its body stays on tensors; results are
// returned as buffers, a reshape of one as a view.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<2x2xf32>)
// CHECK-NEXT:    %[[Y:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:    memopt.kernel elementwise ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>) {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[IN]] : tensor<4xf32>
// CHECK-NEXT:      memopt.yield %[[E]] : tensor<4xf32>
// CHECK:         %[[DX:.*]] = memref.alloc()
// CHECK:         memopt.kernel elementwise ins(%[[X]], %[[Y]] : memref<4xf32>, memref<4xf32>) outs(%[[DX]] :
// CHECK:         %[[VIEW:.*]] = memref.expand_shape %[[DX]]
// CHECK-NOT:     memref.copy
// CHECK:         return %[[Y]], %[[X]], %[[VIEW]]
func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %dx = arith.mulf %x, %y : tensor<4xf32>
  %view = tensor.expand_shape %dx [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %y, %x, %view : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// -----

// A scalar is loaded, a global is a buffer of its own; other functions are left alone.

// CHECK-LABEL: func.func private @other(tensor<4xf32>)
// CHECK-LABEL: func.func @between(
// CHECK:         %[[GLOBAL:.*]] = memref.get_global @seed
// CHECK:         %[[S:.*]] = memref.load %[[GLOBAL]]
// CHECK:         memopt.kernel elementwise ins(%{{.*}}, %[[S]] : memref<4xf32>, f32)
// CHECK:         memopt.kernel elementwise ins(%[[GLOBAL]] : memref<f32>) outs(%[[NEXT:[^ ]*]] :
// CHECK:         %[[TO:.*]] = memref.get_global @seed
// CHECK:         memref.copy %[[NEXT]], %[[TO]]
ml_program.global private mutable @seed(dense<0.0> : tensor<f32>) : tensor<f32>
func.func private @other(tensor<4xf32>)
func.func @between(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %seed = ml_program.global_load @seed : tensor<f32>
  %s = tensor.extract %seed[] : tensor<f32>
  %all = tensor.splat %s : tensor<4xf32>
  %y = arith.mulf %x, %all : tensor<4xf32>
  %next = math.cos %seed : tensor<f32>
  ml_program.global_store @seed = %next : tensor<f32>
  return %y, %next : tensor<4xf32>, tensor<f32>
}
