// RUN: mem-opt %s --memopt-to-nvvm=format=llvm -split-input-file | FileCheck %s -enable-var-scope

// Between buffers that are alive the arena has 40 MiB when the product runs: merged
// heads are copied there, behind them cuBLASLt has its 32 MiB. Nothing is added.
// CHECK: \22arena_bytes\22:41943808
// CHECK-SAME: \22workspace\22:{\22most\22:33554688,\22added\22:0}
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK: %[[ROOM:.*]] = llvm.mlir.constant(33554432 : i64)
// CHECK: %[[COPY:.*]] = llvm.getelementptr %arg1[256]
// CHECK: llvm.call @memopt_gpu_launch
// CHECK: llvm.call @memopt_gpu_gemm(%{{[0-9]+}}, %[[COPY]], {{.*}}, %[[ROOM]])
func.func @step(%b: memref<8x16xf32>, %arena: memref<41943808xi8>) attributes {
    memopt.arena_bytes = 41943808 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 41943360 : i64, type = tensor<5x16xf32>}]} {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 41943360 : index
  %a = memref.view %arena[%at0][] : memref<41943808xi8> to memref<2x5x4xf32>
  %y = memref.view %arena[%at1][] : memref<41943808xi8> to memref<5x16xf32>
  memopt.kernel elementwise outs(%a : memref<2x5x4xf32>) {
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<2x5x4xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    memopt.yield %f : tensor<2x5x4xf32>
  }
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

// -----

// At the peak there is no room: cuBLASLt gets 4 MiB behind the planned arena.
// CHECK: \22arena_bytes\22:4194816
// CHECK-SAME: \22workspace\22:{\22most\22:4194304,\22added\22:4194432}
// CHECK: %[[ROOM:.*]] = llvm.mlir.constant(4194304 : i64)
// CHECK: llvm.call @memopt_gpu_gemm({{.*}}, %[[ROOM]])
func.func @step(%a: memref<5x8xf32>, %b: memref<8x16xf32>, %arena: memref<384xi8>) attributes {
    memopt.arena_bytes = 384 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 0 : i64, type = tensor<5x16xf32>}]} {
  %at = arith.constant 0 : index
  %y = memref.view %arena[%at][] : memref<384xi8> to memref<5x16xf32>
  memopt.kernel contraction ins(%a, %b : memref<5x8xf32>, memref<8x16xf32>) outs(%y : memref<5x16xf32>) {
  ^bb0(%ta: tensor<5x8xf32>, %tb: tensor<8x16xf32>):
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<5x16xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
    %p = linalg.matmul ins(%ta, %tb : tensor<5x8xf32>, tensor<8x16xf32>) outs(%z : tensor<5x16xf32>) -> tensor<5x16xf32>
    memopt.yield %p : tensor<5x16xf32>
  }
  return
}
