//===- Passes.td - approximate backpropagation -------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_APPROXIMATE_PASSES_TD
#define MEMOPT_APPROXIMATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApproximateActivationGrad
    : Pass<"memopt-approximate-activation-grad", "mlir::ModuleOp"> {
  let summary = "Let activation gradients read a packed code of a few bits";
  let description = [{
    Approximate backpropagation (Yang et al., ICML 2024, arXiv 2406.16282). The
    forward is unchanged. The gradient of an activation h becomes that of a
    piecewise-linear surrogate with 2^bits slopes, the one that minimises the
    integral of (h - surrogate)^2 (`coefficients=optimal`), or the one the paper
    publishes (`coefficients=paper`; 2 bits, GELU in its erf form and SiLU):

        dx = g h'(x)   ->   code = (x > c1) + (x > c2) + ...,   dx = g slopes[code]

    so that the backward keeps `bits` bits an element in place of x. The results
    of the forward stay the same bits; gradients change, so this is never done
    unless asked for.

    Needs a training step after `memopt-raise`. Each `memopt.activation_grad` of
    its backward becomes a `memopt.encode` directly after x, so that the code
    crosses to the backward and x does not, and a `memopt.step_grad`. Left alone,
    with a remark that says why, is what saves nothing: x is an argument, is also
    returned, or is also kept by an op that is no activation gradient.

    Refuses: bits other than 1 to 4; `coefficients=paper` with bits other than 2,
    or at an activation the paper has no constants for.

    ```mlir
    func.func @step(%a: tensor<4x8xf32>, %g: tensor<4x8xf32>)
        -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %x = math.sin %a : tensor<4x8xf32>
      %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
      %dx = memopt.activation_grad gelu_erf %g, %x
          : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @step(%a: tensor<4x8xf32>, %g: tensor<4x8xf32>)
        -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %x = math.sin %a : tensor<4x8xf32>
      %code = memopt.encode %x thresholds [-3.1713097, 0.0, 3.1713097]
          : tensor<4x8xf32> -> tensor<4x2xi8>
      %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
      %dx = memopt.step_grad %g, %code slopes [0.0, -0.0495752, 1.0495752, 1.0]
          : tensor<4x8xf32>, tensor<4x2xi8> -> tensor<4x8xf32>
      return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"coefficients", "coefficients", "::memopt::Coefficients",
           "::memopt::Coefficients::Optimal", "where thresholds and slopes come from",
           [{::llvm::cl::values(
             clEnumValN(::memopt::Coefficients::Optimal, "optimal",
                        "solved from the objective"),
             clEnumValN(::memopt::Coefficients::Paper, "paper",
                        "the constants that Yang et al. publish"))}]>,
    Option<"bits", "bits", "unsigned", "2", "bits of a code, 1 to 4">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = ["::memopt::MemOptDialect"];
}

#endif // MEMOPT_APPROXIMATE_PASSES_TD
