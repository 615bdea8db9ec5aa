// RUN: mem-opt %s --memopt-to-nvvm=format=llvm | FileCheck %s -enable-var-scope

// The first product leaves [image, head, position, feature], the two that read it take
// heads side by side, one of them transposed: it writes them so, at strides of 24 (image),
// 4 (head), 12 (position) and 1, and nothing is gathered.
// CHECK: \22launches\22:[{\22kernel\22:\22batch_addresses_1\22
// CHECK-NOT: gather
// CHECK: @memopt_product{{.*}}(dense<[0, 0, 0, 0, 0, 5, 0, 2, 12, 24, 24, 0, 3, 4, 4, 4, 1, 2, 2, 0, 12, 2, 4, 0, 1, 1, 3, 2, 1, 12, 0]>
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK: llvm.call @memopt_gpu_gemm_batched
// CHECK: llvm.call @memopt_gpu_gemm(
// CHECK: llvm.call @memopt_gpu_gemm(
// CHECK-NOT: llvm.call
func.func @step(%w: memref<12x5xf32>, %arena: memref<1664xi8>) attributes {
    memopt.arena_bytes = 1664 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 640 : i64, type = tensor<4x5xf32>}, {offset = 768 : i64, type = tensor<12x5xf32>}]} {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 192 : index
  %at2 = arith.constant 384 : index
  %at3 = arith.constant 640 : index
  %at4 = arith.constant 768 : index
  %p = memref.view %arena[%at0][] : memref<1664xi8> to memref<2x3x2x2xf32>
  %v = memref.view %arena[%at1][] : memref<1664xi8> to memref<2x2x12xf32>
  %o = memref.view %arena[%at2][] : memref<1664xi8> to memref<6x2x4xf32>
  %y = memref.view %arena[%at3][] : memref<1664xi8> to memref<4x5xf32>
  %g = memref.view %arena[%at4][] : memref<1664xi8> to memref<12x5xf32>
  memopt.kernel elementwise outs(%p, %v : memref<2x3x2x2xf32>, memref<2x2x12xf32>) {
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<2x3x2x2xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
    %e2 = tensor.empty() : tensor<2x2x12xf32>
    %f2 = linalg.fill ins(%one : f32) outs(%e2 : tensor<2x2x12xf32>) -> tensor<2x2x12xf32>
    memopt.yield %f, %f2 : tensor<2x3x2x2xf32>, tensor<2x2x12xf32>
  }
  memopt.kernel contraction ins(%p, %v : memref<2x3x2x2xf32>, memref<2x2x12xf32>) outs(%o : memref<6x2x4xf32>) {
  ^bb0(%tp: tensor<2x3x2x2xf32>, %tv: tensor<2x2x12xf32>):
    %a = tensor.collapse_shape %tp [[0, 1], [2], [3]] : tensor<2x3x2x2xf32> into tensor<6x2x2xf32>
    %x = tensor.expand_shape %tv [[0], [1], [2, 3]] output_shape [2, 2, 3, 4] : tensor<2x2x12xf32> into tensor<2x2x3x4xf32>
    %te = tensor.empty() : tensor<2x3x2x4xf32>
    %t = linalg.transpose ins(%x : tensor<2x2x3x4xf32>) outs(%te : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3]
    %b = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x3x2x4xf32> into tensor<6x2x4xf32>
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<6x2x4xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
    %r = linalg.batch_matmul ins(%a, %b : tensor<6x2x2xf32>, tensor<6x2x4xf32>) outs(%z : tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
    memopt.yield %r : tensor<6x2x4xf32>
  }
  memopt.kernel contraction ins(%o, %w : memref<6x2x4xf32>, memref<12x5xf32>) outs(%y : memref<4x5xf32>) {
  ^bb0(%to: tensor<6x2x4xf32>, %tw: tensor<12x5xf32>):
    %x = tensor.expand_shape %to [[0, 1], [2], [3]] output_shape [2, 3, 2, 4] : tensor<6x2x4xf32> into tensor<2x3x2x4xf32>
    %te = tensor.empty() : tensor<2x2x3x4xf32>
    %t = linalg.transpose ins(%x : tensor<2x3x2x4xf32>) outs(%te : tensor<2x2x3x4xf32>) permutation = [0, 2, 1, 3]
    %m = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<2x2x3x4xf32> into tensor<4x12xf32>
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x5xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
    %r = linalg.matmul ins(%m, %tw : tensor<4x12xf32>, tensor<12x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
    memopt.yield %r : tensor<4x5xf32>
  }
  memopt.kernel contraction ins(%o, %y : memref<6x2x4xf32>, memref<4x5xf32>) outs(%g : memref<12x5xf32>) {
  ^bb0(%to: tensor<6x2x4xf32>, %ty: tensor<4x5xf32>):
    %x = tensor.expand_shape %to [[0, 1], [2], [3]] output_shape [2, 3, 2, 4] : tensor<6x2x4xf32> into tensor<2x3x2x4xf32>
    %te = tensor.empty() : tensor<3x4x2x2xf32>
    %t = linalg.transpose ins(%x : tensor<2x3x2x4xf32>) outs(%te : tensor<3x4x2x2xf32>) permutation = [1, 3, 0, 2]
    %m = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<3x4x2x2xf32> into tensor<12x4xf32>
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<12x5xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<12x5xf32>) -> tensor<12x5xf32>
    %r = linalg.matmul ins(%m, %ty : tensor<12x4xf32>, tensor<4x5xf32>) outs(%z : tensor<12x5xf32>) -> tensor<12x5xf32>
    memopt.yield %r : tensor<12x5xf32>
  }
  return
}
