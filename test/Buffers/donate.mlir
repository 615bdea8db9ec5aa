// RUN: mem-opt %s -split-input-file --pass-pipeline='builtin.module(memopt-form-kernels,memopt-bufferize{donate=0})' | FileCheck %s

// The new parameter takes the old one's place: it is read at the point, by the last
// kernel that reads it.

// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
// CHECK-SAME:    memopt.donated = [0]
// CHECK:         memopt.kernel elementwise ins(%[[W]] :
// CHECK:         memopt.kernel elementwise ins(%[[W]], %[[G]] : {{.*}}) outs(%[[W]] : memref<4xf32>) attributes {in_place = array<i64: 0, 0>} {
// CHECK-NOT:     memref.copy
// CHECK:         return %{{.*}}, %[[W]] :
func.func @update(%w: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4x1xf32>, tensor<4xf32>) {
  %loss = math.exp %w : tensor<4xf32>
  %shown = tensor.expand_shape %loss [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %new = arith.subf %w, %g : tensor<4xf32>
  return %shown, %new : tensor<4x1xf32>, tensor<4xf32>
}

// -----

// Not so where the argument is read later, is returned itself, or is read elsewhere
// than at the point.

// CHECK-LABEL: func.func @read_later(
// CHECK-NOT:     memopt.donated
// CHECK-NOT:     in_place
func.func @read_later(%w: tensor<4xf32>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>) {
  %loss = math.exp %x : tensor<4x4xf32>
  %new = math.exp %w : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %all = linalg.broadcast ins(%w : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %dx = arith.mulf %all, %loss : tensor<4x4xf32>
  return %loss, %new, %dx : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     in_place
func.func @returned(%w: tensor<4xf32>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %loss = math.exp %x : tensor<4x4xf32>
  %new = math.exp %w : tensor<4xf32>
  return %loss, %new, %w : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     in_place
func.func @transposed(%w: tensor<4x4xf32>, %g: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %loss = math.exp %t : tensor<4x4xf32>
  %new = arith.subf %w, %t : tensor<4x4xf32>
  return %loss, %new : tensor<4x4xf32>, tensor<4x4xf32>
}
