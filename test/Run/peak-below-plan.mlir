// The highest byte that is written counts, also where what is written looks like a
// fresh page (0) or like the pattern of the second run (0xFF). Buffers take whole blocks
// of the alignment, here 64.
// RUN: mem-run %s --no-cache | FileCheck %s

// CHECK: "allocations":0
// CHECK: "peak_bytes":128,"planned_bytes":4096,"repeatable":true{{.*}}"touched_bytes":104
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:4096,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %ones = llvm.mlir.constant(-1 : i32) : i32
  %at96 = llvm.getelementptr %arena[96] : (!llvm.ptr) -> !llvm.ptr, i8
  %at100 = llvm.getelementptr %arena[100] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %zero, %arena : i32, !llvm.ptr
  llvm.store %ones, %at96 : i32, !llvm.ptr
  llvm.store %zero, %at100 : i32, !llvm.ptr
  llvm.return
}
