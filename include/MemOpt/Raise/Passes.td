//===- Passes.td - functions and gradients as ops ----------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RAISE_PASSES
#define MEMOPT_RAISE_PASSES

include "mlir/Pass/PassBase.td"

def Raise : Pass<"memopt-raise", "::mlir::func::FuncOp"> {
  let summary = "Find activations, norms and their gradients, by value";
  let description = [{
    Finds GELU (erf and tanh), quick-GELU, SiLU, LayerNorm and RMSNorm with the
    gradients of each, in linalg, arith and math ops on tensors, and replaces each
    by one op of the memopt dialect. A function is recognised by what it computes
    at sample points, whatever ops it is written with; docs/raising.md has the
    algorithm.

    **Needs** a function of one block on tensors of static shape. What an op
    computes in a nested region, by a call, or through a dynamic shape is left
    alone, and so is what depends on it. Run it before any fusion.

    **Leaves** `memopt.activation`, `memopt.activation_grad`, `memopt.norm` and
    `memopt.norm_grad`. A raised forward op carries the ops it was raised from as
    its body, so that lowering it again is bit-identical. Gradients are replaced
    by their formula, equal up to rounding. What nobody reads any more is erased. Where it
    leaves no such op, the function gets the attribute `memopt.raised`, so that later
    passes know it was here.

    **Refuses** nothing but a wrong option. A function that is only close to an
    activation stays as it is, with a remark that states how far off it is. One
    whose inner values are read by other ops of the step stays too, with a remark:
    raising it would do the work twice.

    ```mlir
    func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
      %half = arith.constant dense<0.5> : tensor<8xf32>
      %one = arith.constant dense<1.0> : tensor<8xf32>
      %scale = arith.constant dense<0.707106781> : tensor<8xf32>
      %scaled = arith.mulf %x, %scale : tensor<8xf32>
      %erf = math.erf %scaled : tensor<8xf32>
      %gate = arith.addf %erf, %one : tensor<8xf32>
      %halved = arith.mulf %x, %half : tensor<8xf32>
      %y = arith.mulf %halved, %gate : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = memopt.activation gelu_erf %x : tensor<8xf32> -> tensor<8xf32> {
        // the five ops and their constants
      }
      return %y : tensor<8xf32>
    }
    ```
  }];
  let options = [
    ListOption<"forwardResults", "forward-results", "int64_t",
      "Results of the function that the forward makes; by default the first one">,
    Option<"acceptDeviation", "accept-deviation", "double", /*default=*/"0",
      "Take what deviates from an activation, or from its gradient, by at most "
      "this for the activation: |f - h| / (|h| + 0.01), from 0 to 0.01">
  ];
  let dependentDialects = [
    "::memopt::MemOptDialect", "::mlir::tensor::TensorDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
}

#endif // MEMOPT_RAISE_PASSES
