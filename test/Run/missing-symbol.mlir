// RUN: not mem-run %s --no-cache 2>&1 | FileCheck %s

// CHECK: mem-run: {{.*}}missing-symbol.mlir: the compiled step cannot be linked: Symbols not found: [ nobody_has_this ]
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:4,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @nobody_has_this()
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  llvm.call @nobody_has_this() : () -> ()
  llvm.return
}
