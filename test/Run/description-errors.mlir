// RUN: not mem-run %s --no-cache 2>&1 | FileCheck %s

// CHECK: mem-run: {{.*}}description-errors.mlir: the step's description: result 0 does not lie in the arena
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:2,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  llvm.return
}
