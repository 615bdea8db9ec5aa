// A donated argument is updated in place: the measuring runs leave no trace, each
// repetition starts from the same values, and the steps of a training go on.
// RUN: mem-run %s --no-cache --int-range=5..5 --repeat=3 --save=%t.npz
// RUN: %python -c "import numpy; print(numpy.load('%t.npz')['res0'])" | FileCheck %s --check-prefix=ONCE
// RUN: mem-run %s --no-cache --int-range=5..5 --steps=3 --optimizer=none --save-params=%t.npz \
// RUN:   | FileCheck %s
// RUN: %python -c "import numpy; print(numpy.load('%t.npz')['arg0'])" | FileCheck %s --check-prefix=THRICE

// CHECK: "loss":[6,7,8]
// ONCE: 6
// THRICE: 8
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:0,\22arguments\22:[{\22type\22:\22i64\22,\22shape\22:[],\22donated\22:true}],\22results\22:[{\22type\22:\22i64\22,\22shape\22:[],\22argument\22:0}]}\00")
llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr) {
  %counter = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
  %value = llvm.load %counter : !llvm.ptr -> i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %value, %one : i64
  llvm.store %next, %counter : i64, !llvm.ptr
  llvm.return
}
