//===- Passes.td - memory-sharing norms --------------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_SHARE_PASSES_TD
#define MEMOPT_SHARE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ShareNormOutput : Pass<"memopt-share-norm-output", "mlir::ModuleOp"> {
  let summary = "Let a norm's gradient and its reader share the normalised value";
  let description = [{
    Memory-sharing backpropagation (Yang et al., ICML 2024, arXiv 2406.16282), for
    norms with a trainable gamma and beta. The gradient of a norm needs x only
    through xhat and one rstd a row, and the output y = gamma xhat + beta, which
    the next layer keeps, follows from xhat, too:

        norm_grad(g, x)            ->  norm_output_grad(g, xhat, rstd)
        what the backward reads of y  ->  y again, from xhat behind a fence

    so xhat and rstd are kept in place of x and y. Exact: y is recomputed by the
    ops that computed it from xhat in the forward, bit for bit, where the norm's
    body has them, and as gamma xhat + beta otherwise. One recomputation serves all
    readers. Without gamma and beta y is xhat, and nothing is recomputed.

    Needs a training step after `memopt-raise`. It decides by bytes, counted as
    `memopt-report` counts them: a norm is left alone, with a remark that says
    why, where what is kept would not become less (x is kept by something else,
    y is not kept or is returned, xhat in f32 is larger than x and y in 16 bits).

    `rounded` also takes an xhat that the forward rounds on the way to y (RMSNorm
    of a bf16 LLaMA). The recomputed y is still exact, but the norm's gradient reads
    the rounded xhat and is only as exact as that; the remark says so.

    ```mlir
    func.func @step(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>)
        -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
      %x = math.sin %a : tensor<4x8xf32>
      %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
          : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
      %z = math.cos %y : tensor<4x8xf32>
      %g = math.sin %dz : tensor<4x8xf32>
      %dw = arith.mulf %g, %y : tensor<4x8xf32>
      %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
          : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>)
          -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
      return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"rounded", "rounded", "bool", "false",
           "also share an xhat that the forward rounds; the gradient is then only "
           "as exact as that rounding">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = [
    "::memopt::MemOptDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MEMOPT_SHARE_PASSES_TD
