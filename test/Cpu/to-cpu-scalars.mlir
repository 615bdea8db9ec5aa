// RUN: mem-opt %s --memopt-to-cpu | FileCheck %s -enable-var-scope

// A number between kernels lies in a slot of the frame while its kernel runs: an
// i1 as a byte. Nothing is allocated but the frame, once.
// CHECK-LABEL: llvm.func @memopt_step
// CHECK: %[[FRAME:.*]] = llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: %[[S:.*]] = llvm.fadd
// CHECK: llvm.store %[[S]], %[[FRAME]] {{.*}} : f32
// CHECK: %[[BYTE:.*]] = llvm.zext {{.*}} : i1 to i8
// CHECK: llvm.store %[[BYTE]], {{.*}} : i8
// CHECK: llvm.call @memopt_cpu_parallel
// CHECK-LABEL: llvm.func private @memopt_elementwise_0
// CHECK: llvm.load {{.*}} -> i8
func.func @step(%x: memref<4x8xf32>, %s: memref<f32>, %y: memref<4x8xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  %v = memref.load %s[] : memref<f32>
  %twice = arith.addf %v, %v : f32
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %v, %zero : f32
  memopt.kernel elementwise ins(%x, %twice, %c : memref<4x8xf32>, f32, i1) outs(%y : memref<4x8xf32>) {
  ^bb0(%in: tensor<4x8xf32>, %scale: f32, %on: i1):
    %wide = tensor.splat %scale : tensor<4x8xf32>
    %scaled = arith.mulf %in, %wide : tensor<4x8xf32>
    %r = arith.select %on, %in, %scaled : tensor<4x8xf32>
    memopt.yield %r : tensor<4x8xf32>
  }
  return
}
