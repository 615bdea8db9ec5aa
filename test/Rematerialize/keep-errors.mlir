// RUN: split-file %s %t
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/names saved-budget=1" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: memopt-rematerialize: give one of peak-budget=, saved-budget=, max-overhead= and keep=; 2 are given
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=saved-budget=1 backward-order=@%t/names" 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: memopt-rematerialize: backward-order= goes with keep=
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/names ladder=-" 2>&1 | FileCheck %s --check-prefix=LADDER
// LADDER: error: memopt-rematerialize: ladder= goes with a budget, not with keep=
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=names" 2>&1 | FileCheck %s --check-prefix=AT
// AT: error: memopt-rematerialize: keep=names is no file of names: write keep=@FILE
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/none" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: memopt-rematerialize: keep=@{{.*}}none: No such file or directory
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/empty" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: memopt-rematerialize: keep=@{{.*}}empty names nothing
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/names backward-order=@%t/empty" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: memopt-rematerialize: backward-order=@{{.*}}empty names nothing
// RUN: not mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/unknown" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: memopt-rematerialize: keep=: none of the 2 names is a value of the forward

// A backward that calls something has its own order.
// RUN: mem-opt %t/call.mlir "--memopt-rematerialize=keep=@%t/names dry-run" -o /dev/null | FileCheck %s --check-prefix=CALL
// RUN: not mem-opt %t/call.mlir "--memopt-rematerialize=keep=@%t/names backward-order=@%t/names" 2>&1 | FileCheck %s --check-prefix=MOVE
// CALL: keep 32 bytes a math.tanh
// MOVE: error: memopt-rematerialize: backward-order= needs a backward that may be reordered; this 'func.call' may not move

//--- names
a
//--- empty
# nothing
//--- unknown
b
dx
//--- step.mlir
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32> loc("a")
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32> loc("dx")
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
//--- call.mlir
func.func private @log(tensor<8xf32>) -> tensor<8xf32>
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32> loc("a")
  %loss = math.exp %a : tensor<8xf32>
  %da = arith.mulf %g, %a : tensor<8xf32>
  %dx = call @log(%da) : (tensor<8xf32>) -> tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
