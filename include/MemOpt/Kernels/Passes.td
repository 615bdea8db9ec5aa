//===- Passes.td - the fusion plan made visible ------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KERNELS_PASSES_TD
#define MEMOPT_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"memopt-form-kernels", "mlir::ModuleOp"> {
  let summary = "makes the ops of each kernel of the fusion plan one memopt.kernel";
  let description = [{
    Needs a training step on tensors of known sizes in upstream dialects; fences may
    be there still. Takes the fusion plan of the step in the order in which it is
    written, the one that `memopt-rematerialize` plans with (docs/rematerialization.md),
    and leaves a step of

     - `memopt.kernel` ops in the plan's order, one for each of its kernels;
     - ops whose results are no tensors: scalars, assertions; and reads and writes of
       `ml_program` globals;
     - reshapes of what is returned.

    A kernel's inputs are whole storages and scalars, its outputs what other kernels
    or the caller read. Views, transposes, broadcasts, constants and inits are cloned
    into each kernel that reads through them. Fences disappear: the order of the
    kernels holds their promise. What leads nowhere is dropped.

    The attribute `memopt.kernels` of the function gets what the plan's simulation
    says of the step: `peak_bytes`, the most that is alive at any kernel beside the
    arguments, each storage rounded up to 64 bytes, and `saved_bytes`, what crosses to
    the backward. `memopt-verify-plan` computes both again from the kernels alone.

    Refuses, and names the op: side effects other than assertions and globals (calls,
    collectives, ops that nobody registered), ops that make tensors and scalars at
    once, ops of the memopt dialect that are not lowered, sizes that are not known.

    ```mlir
    %y = memopt.kernel elementwise ins(%x : tensor<4x8xf32>)
        outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%in: tensor<4x8xf32>):
      %e = math.exp %in : tensor<4x8xf32>
      %n = arith.negf %e : tensor<4x8xf32>
      memopt.yield %n : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = ["::memopt::MemOptDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def InlineKernels : Pass<"memopt-inline-kernels", "mlir::ModuleOp"> {
  let summary = "puts the bodies of kernels back in their place";
  let description = [{
    The inverse of `memopt-form-kernels`: each `memopt.kernel` on tensors gives way to
    its body, so that the step is one in upstream dialects again, in the order of the
    kernels. The attribute `memopt.kernels` goes.

    Refuses kernels on buffers.

    ```
    mem-opt step.mlir --memopt-form-kernels --memopt-inline-kernels
    ```
  }];
}

#endif // MEMOPT_KERNELS_PASSES_TD
