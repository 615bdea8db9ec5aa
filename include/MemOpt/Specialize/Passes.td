//===- Passes.td - sizes that become known ----------------*- tablegen -*- ===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_SPECIALIZE_PASSES_TD
#define MEMOPT_SPECIALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpecializeShapes : Pass<"memopt-specialize-shapes", "mlir::ModuleOp"> {
  let summary = "gives the dynamic dimensions of a step's arguments their sizes";
  let description = [{
    An arena has a size that is known when compiling, so a step of dynamic shapes is
    compiled once for each combination of sizes that it meets. Needs a training step
    in one block (`memopt-inline-calls`); gives each dynamic dimension of its
    arguments the size that `sizes` names, and every value of the step the static
    shape that follows, by MLIR's own rules for `tensor.cast`, and for elementwise ops
    and fences: the operands and the result have one shape. What computes a size
    becomes a constant.

    A dimension may have a bound, from `dim-bounds` or from the attribute
    `memopt.dim_bounds` that a plan was made with
    ([rematerialization.md](../rematerialization.md)); a size above it is refused, since
    the plan promises nothing there. The attributes go.

    Leaves a step of static shapes as it is, if `sizes` says nothing else.

    Refuses, and names what it is about: a dynamic dimension without a size, a size
    below 1 or above the bound, a size for a dimension that is not there or has another,
    and an op whose result's size does not follow from the sizes of the arguments.

    ```mlir
    func.func @step(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
      %y = math.tanh %x : tensor<?x8xf32>
      %d = arith.mulf %y, %x : tensor<?x8xf32>
      return %y, %d : tensor<?x8xf32>, tensor<?x8xf32>
    }
    ```
    ```
    mem-opt step.mlir --memopt-specialize-shapes='sizes=0:0=17'
    ```
  }];
  let options = [
    ListOption<"sizes", "sizes", "std::string",
               "ARGUMENT:DIMENSION=SIZE, one for each dynamic dimension">,
    ListOption<"dimBounds", "dim-bounds", "std::string",
               "ARGUMENT:DIMENSION=BOUND: sizes above it are refused">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // MEMOPT_SPECIALIZE_PASSES_TD
