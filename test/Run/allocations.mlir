// What the step asks malloc and mmap for is part of the peak.
// RUN: mem-run %s --no-cache | FileCheck %s
// REQUIRES: counted-allocations

// CHECK: "allocated_bytes":[[#]],"allocations":2
// CHECK: "peak_bytes":{{9[0-9][0-9][0-9]}},"planned_bytes":4
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:4,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @mmap(!llvm.ptr, i64, i32, i32, i32, i64) -> !llvm.ptr
llvm.func @munmap(!llvm.ptr, i64) -> i32
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  %bytes = llvm.mlir.constant(1000 : i64) : i64
  %block = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  // Volatile, or the optimizer would take the block away.
  %one = llvm.mlir.constant(1.0 : f32) : f32
  llvm.store volatile %one, %block : f32, !llvm.ptr
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  %null = llvm.mlir.zero : !llvm.ptr
  %size = llvm.mlir.constant(8192 : i64) : i64
  %protection = llvm.mlir.constant(3 : i32) : i32
  %flags = llvm.mlir.constant(34 : i32) : i32
  %file = llvm.mlir.constant(-1 : i32) : i32
  %offset = llvm.mlir.constant(0 : i64) : i64
  %pages = llvm.call @mmap(%null, %size, %protection, %flags, %file, %offset)
      : (!llvm.ptr, i64, i32, i32, i32, i64) -> !llvm.ptr
  %unmapped = llvm.call @munmap(%pages, %size) : (!llvm.ptr, i64) -> i32
  llvm.store %one, %arena : f32, !llvm.ptr
  llvm.return
}
