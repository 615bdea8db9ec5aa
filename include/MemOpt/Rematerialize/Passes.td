//===- Passes.td - keeping less by computing again ---------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_REMATERIALIZE_PASSES_TD
#define MEMOPT_REMATERIALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintStepGraph : Pass<"memopt-print-step-graph", "mlir::ModuleOp"> {
  let summary = "writes the step as the planner sees it";
  let description = [{
    Writes the ops of the step with their class, points, FLOPs and operands, and
    the storages they make, in the text form of `MemOpt/Planning/StepGraphText.h`,
    from which plans can be made and tested without the IR. Changes nothing.

    Fails where no training step is found or the size of a value is not known.

    ```
    mem-opt step.mlir --memopt-print-step-graph=file=step.graph -o /dev/null
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"-\"",
           "the file to write; - is standard output">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

#endif // MEMOPT_REMATERIALIZE_PASSES_TD
