// RUN: mem-opt %s --memopt-to-cpu -split-input-file | FileCheck %s --enable-var-scope
// RUN: mem-opt %s --memopt-to-cpu --remarks-filter='.*' --remark-format=emitRemark -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A transpose and a reshape of operands are strides of the product: kind, size
// and strides in a, b and c of each loop.
// REMARK: product batch 1 m 8 n 6 k 4, b transposed
// CHECK: @memopt_product_0_0_0_0_3_1_8_4_0_6_2_6_0_4_1_3_4_1_1_0(dense<[0, 0, 0, 0, 3, 1, 8, 4, 0, 6, 2, 6, 0, 4, 1, 3, 4, 1, 1, 0]>
// CHECK: llvm.call @memopt_cpu_gemm
func.func @linear(%x: memref<2x4x4xf32>, %w: memref<6x4xf32>, %y: memref<8x6xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel contraction ins(%x, %w : memref<2x4x4xf32>, memref<6x4xf32>) outs(%y : memref<8x6xf32>) {
  ^bb0(%a: tensor<2x4x4xf32>, %b: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x4x4xf32> into tensor<8x4xf32>
    %te = tensor.empty() : tensor<4x6xf32>
    %bt = linalg.transpose ins(%b : tensor<6x4xf32>) outs(%te : tensor<4x6xf32>) permutation = [1, 0]
    %e = tensor.empty() : tensor<8x6xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
    %p = linalg.matmul ins(%flat, %bt : tensor<8x4xf32>, tensor<4x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
    memopt.yield %p : tensor<8x6xf32>
  }
  return
}

// -----

// A bias is an epilogue.
// REMARK: product batch 1 m 8 n 6 k 4, with an epilogue
// CHECK: llvm.func private @memopt_contraction_epilogue
func.func @bias(%x: memref<8x4xf32>, %w: memref<4x6xf32>, %v: memref<6xf32>, %y: memref<8x6xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel contraction ins(%x, %w, %v : memref<8x4xf32>, memref<4x6xf32>, memref<6xf32>) outs(%y : memref<8x6xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6xf32>):
    %e = tensor.empty() : tensor<8x6xf32>
    %init = linalg.broadcast ins(%c : tensor<6xf32>) outs(%e : tensor<8x6xf32>) dimensions = [0]
    %p = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%init : tensor<8x6xf32>) -> tensor<8x6xf32>
    memopt.yield %p : tensor<8x6xf32>
  }
  return
}

// -----

// What no BLAS takes is loops, and says so.
// REMARK: a contraction in loops of its own, without a BLAS: it is no sum of products of two operands
// CHECK-NOT: llvm.call @memopt_cpu_gemm
// CHECK: llvm.call @memopt_cpu_parallel
func.func @integers(%x: memref<8x4xi32>, %w: memref<4x6xi32>, %y: memref<8x6xi32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel contraction ins(%x, %w : memref<8x4xi32>, memref<4x6xi32>) outs(%y : memref<8x6xi32>) {
  ^bb0(%a: tensor<8x4xi32>, %b: tensor<4x6xi32>):
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<8x6xi32>
    %z = linalg.fill ins(%zero : i32) outs(%e : tensor<8x6xi32>) -> tensor<8x6xi32>
    %p = linalg.matmul ins(%a, %b : tensor<8x4xi32>, tensor<4x6xi32>) outs(%z : tensor<8x6xi32>) -> tensor<8x6xi32>
    memopt.yield %p : tensor<8x6xi32>
  }
  return
}
