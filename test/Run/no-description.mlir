// RUN: not mem-run %s --no-cache 2>&1 | FileCheck %s

// CHECK: mem-run: {{.*}}no-description.mlir: no compiled step: the symbol memopt_step_description is missing
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  llvm.return
}
