// RUN: mem-opt %s --memopt-to-cpu | FileCheck %s -enable-var-scope

// The globals of a step are one block with a name, so that a caller can save and
// restore it: each at a multiple of 64, in the order in which the step names them.
// CHECK: \22globals_bytes\22:72
// CHECK: llvm.mlir.global external @memopt_step_globals("\00\00\C0?{{[^"]*}}\05\00\00\00\00\00\00\00") {addr_space = 0 : i32, alignment = 64 : i64}
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK: %[[BLOCK:.*]] = llvm.mlir.addressof @memopt_step_globals
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[BLOCK]][
// CHECK: llvm.load %[[FIRST]]
// CHECK: %[[SEED:.*]] = llvm.getelementptr %{{.*}}[64]
// CHECK: "llvm.intr.memcpy"(%[[SEED]], %{{.*}}, %{{.*}})
memref.global "private" @unused : memref<4xf32> = dense<0.0>
memref.global "private" @seed : memref<i64> = dense<5>
memref.global "private" @scale : memref<1xf32> = dense<1.5>
func.func @step(%x: memref<4xf32>, %next: memref<i64>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  %zero = arith.constant 0 : index
  %scale = memref.get_global @scale : memref<1xf32>
  %s = memref.load %scale[%zero] : memref<1xf32>
  memref.store %s, %x[%zero] : memref<4xf32>
  %seed = memref.get_global @seed : memref<i64>
  memref.copy %next, %seed : memref<i64> to memref<i64>
  return
}
