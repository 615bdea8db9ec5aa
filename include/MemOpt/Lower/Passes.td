//===- Passes.td - leaving the memopt dialect --------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LOWER_PASSES_TD
#define MEMOPT_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def ToLinalg : Pass<"memopt-to-linalg"> {
  let summary = "Lower every memopt op to upstream dialects";
  let description = [{
    Needs: any IR on tensors. Leaves: no memopt op, but `memopt.fence` under
    `fence=keep`, and no attribute `memopt.raised`; linalg, arith, math and tensor
    ops in their place. Running it again changes nothing.

    - A raised op (`memopt.activation`, `memopt.norm` with a body) becomes that
      body, so the forward is bit-identical to what it was raised from.
    - Any other op is lowered from its definition in the compute type (f64 where
      an operand or the result is f64, else f32), with one rounding at the end.
      Of a norm or its gradient only the results that are used are computed.
      Variances take two passes; sums run in the order of the loops.
    - Codes are read and written through `tensor.expand_shape` where the last
      dimension fills whole bytes, and through clamped reads otherwise, so that
      nothing is read past the end of x or of the codes.
    - `memopt.fence %x after %g` selects x on a condition that is always true and
      computed from the first element of g: its bits or 1, not equal to 0. The
      select stands in the bodies of the generics that read x, or in one of its
      own. No rewrite that looks at types and structure merges it with another
      computation from x, and none can move it before g.

    Refuses: a fence after a tensor of no elements, or of elements that are
    neither floats, integers nor indices.

    ```mlir
    %dx = memopt.step_grad %g, %code slopes [0.0, 1.0]
        : tensor<4xf32>, tensor<1xi8> -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"fence", "fence", "::memopt::FenceForm", "::memopt::FenceForm::Scalar",
           "what becomes of memopt.fence",
           [{::llvm::cl::values(
             clEnumValN(::memopt::FenceForm::Scalar, "scalar",
                        "a select on a condition from one element of the tensor to wait for"),
             clEnumValN(::memopt::FenceForm::None, "none", "its operand"),
             clEnumValN(::memopt::FenceForm::Keep, "keep", "nothing: it stays"))}]>
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MEMOPT_LOWER_PASSES_TD
