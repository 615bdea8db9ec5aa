// RUN: mem-opt %s | mem-opt | FileCheck %s

// A kernel before bufferization: one result for each output.
// CHECK-LABEL: func @tensors(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[INIT:.*]]: tensor<4x8xf32>
func.func @tensors(%x: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: memopt.kernel elementwise ins(%[[X]] : tensor<4x8xf32>) outs(%[[INIT]] : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: tensor<4x8xf32>):
  %y = memopt.kernel elementwise ins(%x : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%in: tensor<4x8xf32>):
    %e = math.exp %in : tensor<4x8xf32>
    memopt.yield %e : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

// After it: buffers, no results, the same body; in place where it says so.
// CHECK-LABEL: func @buffers(
func.func @buffers(%x: memref<4xf32>) {
  // CHECK: memopt.kernel elementwise ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32>) attributes {in_place = array<i64: 0, 0>}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) attributes {in_place = array<i64: 0, 0>} {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// Nothing is read by a kernel that makes a constant; scalars come in as they are.
// CHECK-LABEL: func @scalar(
func.func @scalar(%x: f32, %init: tensor<4xf32>) -> tensor<4xf32> {
  %y = memopt.kernel movement ins(%x : f32) outs(%init : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%in: f32):
    %s = tensor.splat %in : tensor<4xf32>
    memopt.yield %s : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
