// More than any machine has: refused before a byte of it is asked for.
// RUN: not mem-run %s --no-cache 2>&1 | FileCheck %s

// CHECK: mem-run: the step needs an arena of 1125899906842624 bytes and 0 bytes of arguments; the machine has {{[0-9]+}} available
// CHECK: "ok":false,"planned_bytes":1125899906842624
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:1125899906842624,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  llvm.return
}
