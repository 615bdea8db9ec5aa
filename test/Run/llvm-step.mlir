// A step in the LLVM dialect is compiled and run; so are the object file that was
// saved and a library made of it, with the same result.
// RUN: mem-run %s --no-cache --save-object=%t.o --save=%t.npz | FileCheck %s
// RUN: mem-run %t.o --expect=%t.npz --rtol=0 | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: %llvm_bin/clang -shared -o %t.so %t.o
// RUN: mem-run %t.so --expect=%t.npz --rtol=0 | FileCheck %s --check-prefixes=CHECK,SAME

// The second run takes the object that the first compiled.
// RUN: rm -rf %t.cache
// RUN: mem-run %s --cache-dir=%t.cache | FileCheck %s --check-prefix=FIRST
// RUN: mem-run %s --cache-dir=%t.cache --expect=%t.npz | FileCheck %s --check-prefixes=CHECK,SECOND
// RUN: mem-run %s --cache-dir=%t.cache --opt-level=3 | FileCheck %s --check-prefix=FIRST

// CHECK: "argument_bytes":32
// FIRST: "cached":false
// SECOND: "cached":true
// SAME: "max_rel_error":0
// CHECK: "ok":true
// CHECK-SAME: "peak_bytes":80,"planned_bytes":80,"repeatable":true
// SAME: "results":2,"results_within_tolerance":2

// loss = sum of w x over four elements, and its gradient by w, which is x.
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:80,\22arguments\22:[{\22type\22:\22f32\22,\22shape\22:[4]},{\22type\22:\22f32\22,\22shape\22:[4]}],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0},{\22type\22:\22f32\22,\22shape\22:[4],\22offset\22:64}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  %w = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x = llvm.load %second : !llvm.ptr -> !llvm.ptr
  %gradient = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %ws = llvm.load %w : !llvm.ptr -> vector<4xf32>
  %xs = llvm.load %x : !llvm.ptr -> vector<4xf32>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %products = llvm.fmul %ws, %xs : vector<4xf32>
  %sum = "llvm.intr.vector.reduce.fadd"(%zero, %products) : (f32, vector<4xf32>) -> f32
  llvm.store %sum, %arena : f32, !llvm.ptr
  llvm.store %xs, %gradient : vector<4xf32>, !llvm.ptr
  llvm.return
}
