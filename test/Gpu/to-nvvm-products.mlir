// RUN: mem-opt %s --memopt-to-nvvm='format=llvm tf32=true' -split-input-file | FileCheck %s

// A product with its bias is one call: flags, three types, no addition, loops of
// kinds m, n and k with sizes and strides.
// CHECK: @memopt_product{{.*}}(dense<[1, 0, 0, 0, 0, 3, 1, 8, 4, 0, 16, 2, 16, 0, 1, 1, 3, 4, 1, 16, 0]>
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-NOT: @memopt_gpu_launch
// CHECK: llvm.call @memopt_gpu_gemm
// CHECK-NOT: llvm.call
func.func @step(%a: memref<8x4xf32>, %b: memref<4x16xf32>, %v: memref<16xf32>, %y: memref<8x16xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel contraction ins(%a, %b, %v : memref<8x4xf32>, memref<4x16xf32>, memref<16xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%ta: tensor<8x4xf32>, %tb: tensor<4x16xf32>, %tv: tensor<16xf32>):
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x16xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %p = linalg.matmul ins(%ta, %tb : tensor<8x4xf32>, tensor<4x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%p, %tv : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%x: f32, %w: f32, %o: f32):
      %r = arith.addf %x, %w : f32
      linalg.yield %r : f32
    } -> tensor<8x16xf32>
    memopt.yield %s : tensor<8x16xf32>
  }
  return
}

// -----

// Merged heads are gathered in front of the product.
// CHECK: \22kernel\22:\22gather_0\22
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK: llvm.call @memopt_gpu_launch
// CHECK: llvm.call @memopt_gpu_gemm
// CHECK-NOT: llvm.call
func.func @step(%a: memref<2x5x4xf32>, %b: memref<8x16xf32>, %y: memref<5x16xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel contraction ins(%a, %b : memref<2x5x4xf32>, memref<8x16xf32>) outs(%y : memref<5x16xf32>) {
  ^bb0(%ta: tensor<2x5x4xf32>, %tb: tensor<8x16xf32>):
    %te = tensor.empty() : tensor<5x2x4xf32>
    %t = linalg.transpose ins(%ta : tensor<2x5x4xf32>) outs(%te : tensor<5x2x4xf32>) permutation = [1, 0, 2]
    %m = tensor.collapse_shape %t [[0], [1, 2]] : tensor<5x2x4xf32> into tensor<5x8xf32>
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<5x16xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
    %p = linalg.matmul ins(%m, %tb : tensor<5x8xf32>, tensor<8x16xf32>) outs(%z : tensor<5x16xf32>) -> tensor<5x16xf32>
    memopt.yield %p : tensor<5x16xf32>
  }
  return
}
