//===- Passes.td - the memory report -----------------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_REPORT_PASSES_TD
#define MEMOPT_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def Report : Pass<"memopt-report", "mlir::ModuleOp"> {
  let summary = "what a training step keeps for its backward, and its peak";
  let description = [{
    Writes what crosses from the forward to the backward of the step, by whom it
    is kept and what it weighs, the peak of the step as written, and what its
    arguments and results weigh. Changes nothing, so that it can stand between any
    two passes on tensors. docs/report.md explains each figure and the JSON.

    Fails where no training step is found or the size of a value that counts is
    not known.

    ```
    mem-opt step.mlir --memopt-report='format=json file=report.json' -o /dev/null
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"table\"",
           "table, for people, or json">,
    Option<"file", "file", "std::string", "\"-\"",
           "the file to write; - is standard output">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

#endif // MEMOPT_REPORT_PASSES_TD
