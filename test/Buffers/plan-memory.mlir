// RUN: mem-opt %s -split-input-file --pass-pipeline='builtin.module(memopt-form-kernels,memopt-bufferize,memopt-plan-memory,memopt-verify-memory)' | FileCheck %s
// RUN: mem-opt %s -split-input-file --memopt-to-arena-pipeline | FileCheck %s

// Five buffers of 64 bytes; three are needed at once. Results lie in the arena, also
// where the step returns a view or the same value twice, or in an argument.

// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x4xf32>, %[[ARENA:[^:]*]]: memref<192xi8>) attributes {
// CHECK-SAME:    memopt.arena_alignment = 64 : i64
// CHECK-SAME:    memopt.arena_bytes = 192 : i64
// CHECK-SAME:    memopt.arena_lower_bound = 192 : i64
// CHECK-SAME:    memopt.donated = []
// CHECK-SAME:    memopt.kernels = {peak_bytes = 192 : i64
// CHECK-SAME:    memopt.results = [
// CHECK-SAME:      {offset = [[LOSS:[0-9]+]] : i64, type = tensor<4x4xf32>}
// CHECK-SAME:      {offset = [[DX:[0-9]+]] : i64, type = tensor<16xf32>}
// CHECK-SAME:      {offset = [[LOSS]] : i64, type = tensor<4x4xf32>}
// CHECK-SAME:      {argument = 0 : i64, type = tensor<4x4xf32>}
// CHECK-NOT:     memref.alloc
// CHECK-DAG:     %[[OFFSET:.*]] = arith.constant [[LOSS]] : index
// CHECK-DAG:     memref.view %[[ARENA]][%[[OFFSET]]][] : memref<192xi8> to memref<4x4xf32>
// CHECK-NOT:     memref.collapse_shape
// CHECK:         return{{$}}
func.func @chain(%x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<16xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = linalg.matmul ins(%b, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%loss, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %dx = linalg.matmul ins(%c, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %flat = tensor.collapse_shape %dx [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %loss, %flat, %loss, %x : tensor<4x4xf32>, tensor<16xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A tensor without elements takes no byte.

// CHECK-LABEL: func.func @empty(
// CHECK-SAME:    %{{.*}}: memref<0xf32>, %{{.*}}: memref<0xi8>)
// CHECK-SAME:    memopt.arena_bytes = 0 : i64
func.func @empty(%x: tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>) {
  %loss = math.exp %x : tensor<0xf32>
  %dx = math.tanh %loss : tensor<0xf32>
  return %loss, %dx : tensor<0xf32>, tensor<0xf32>
}
