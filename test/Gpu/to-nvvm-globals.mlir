// RUN: mem-opt %s --memopt-to-nvvm=format=llvm | FileCheck %s

// Behind the planned 64 bytes lies the global.
// CHECK: \22arena_bytes\22:320,
// CHECK-SAME: \22globals_bytes\22:8
// CHECK-SAME: \22globals_offset\22:256
// CHECK-SAME: \22workspace\22:{\22most\22:0,\22added\22:0}
memref.global "private" @seed : memref<i64> = dense<5>
func.func @step(%next: memref<i64>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  %seed = memref.get_global @seed : memref<i64>
  memref.copy %next, %seed : memref<i64> to memref<i64>
  return
}
