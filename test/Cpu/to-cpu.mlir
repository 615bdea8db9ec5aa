// RUN: mem-opt %s --memopt-to-cpu | FileCheck %s -enable-var-scope

// The description names types, shapes and where results lie.
// CHECK: llvm.mlir.global external constant @memopt_step_description
// CHECK-SAME: \22name\22:\22step\22,\22arena_bytes\22:192,\22arena_alignment\22:64
// CHECK-SAME: \22arguments\22:[{\22type\22:\22f32\22,\22shape\22:[4,8],\22donated\22:false},{\22type\22:\22i1\22,\22shape\22:[],\22donated\22:true}]
// CHECK-SAME: \22results\22:[{\22type\22:\22f32\22,\22shape\22:[4,8],\22offset\22:64},{\22type\22:\22i1\22,\22shape\22:[],\22argument\22:1}]}\00

// The runtime is declared, and nothing else of a memopt op is left.
// CHECK: llvm.func @memopt_cpu_parallel(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-NOT: memopt.kernel

// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-SAME: %[[ARGUMENTS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// Both calls run the same function: the kernels differ in nothing but buffers.
// CHECK: llvm.mlir.addressof @[[KERNEL:memopt_elementwise_0]]
// CHECK: llvm.load %[[ARGUMENTS]]
// CHECK: llvm.getelementptr %[[ARENA]][64]
// CHECK: llvm.call @memopt_cpu_parallel(
// CHECK: llvm.call @memopt_cpu_parallel(
// CHECK: llvm.return

// CHECK: llvm.func private @[[KERNEL]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: llvm.func private
func.func @step(%x: memref<4x8xf32>, %flag: memref<i1>, %arena: memref<192xi8>) attributes {
    memopt.arena_bytes = 192 : i64, memopt.arena_alignment = 64 : i64, memopt.donated = [1],
    memopt.results = [{offset = 64 : i64, type = tensor<4x8xf32>}, {argument = 1 : i64, type = tensor<i1>}]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %y = memref.view %arena[%c64][] : memref<192xi8> to memref<4x8xf32>
  %z = memref.view %arena[%c0][] : memref<192xi8> to memref<4x8xf32>
  memopt.kernel elementwise ins(%x : memref<4x8xf32>) outs(%z : memref<4x8xf32>) {
  ^bb0(%in: tensor<4x8xf32>):
    %e = arith.mulf %in, %in : tensor<4x8xf32>
    memopt.yield %e : tensor<4x8xf32>
  }
  memopt.kernel elementwise ins(%z : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%other: tensor<4x8xf32>):
    %square = arith.mulf %other, %other : tensor<4x8xf32>
    memopt.yield %square : tensor<4x8xf32>
  }
  return
}
