// A result that depends on what was in the arena before is found out.
// RUN: mem-run %s --no-cache 2>&1 | FileCheck %s

// CHECK: mem-run: two runs differ: the step draws random numbers, or reads memory that it has not written
// CHECK: "repeatable":false
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:128,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  %unwritten = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %value = llvm.load %unwritten : !llvm.ptr -> f32
  llvm.store %value, %arena : f32, !llvm.ptr
  llvm.return
}
