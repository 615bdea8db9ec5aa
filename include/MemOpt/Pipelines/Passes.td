//===- Passes.td - passes around and between the stages ----*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PIPELINES_PASSES_TD
#define MEMOPT_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineCalls : Pass<"memopt-inline-calls", "mlir::ModuleOp"> {
  let summary = "puts the bodies of called functions into the step";
  let description = [{
    Replaces each `func.call` in the step (in every function that is not private,
    where none is named) by the body of the function that it calls, and again in
    what it put there, so that the analyses see one block. Nothing else changes, in
    contrast to upstream's `inline`, which simplifies on the way. A private
    function that nobody calls any more is erased.

    Leaves alone: a call to a declaration, to a function of more than one block,
    and a recursive call or one that says `no_inline`; `memopt-verify-stage`
    refuses those that have a body, by name.

    ```
    mem-opt step.mlir --memopt-inline-calls
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">
  ];
}

def VerifyStage : Pass<"memopt-verify-stage", "mlir::ModuleOp"> {
  let summary = "fails where a step is not at the stage that comes next";
  let description = [{
    Stands between the stages of `memopt-pipeline`, so that passes in a wrong
    order give an error rather than silently worse code. Changes nothing.

    | stage | what it expects |
    |---|---|
    | `captured` | a training step on tensors; no call in it to a function that has a body |
    | `raised` | a training step that went through `memopt-raise` |
    | `upstream` | no op and no attribute of the memopt dialect in the module |

    ```
    mem-opt step.mlir --memopt-raise --memopt-verify-stage=stage=raised
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"captured\"",
           "captured, raised or upstream">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

#endif // MEMOPT_PIPELINES_PASSES_TD
