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

    `format=svg` draws the memory that the step needs, kernel by kernel, stacked by
    kind. What `memopt-remember` noted of the step before stands beside it, and, where
    `memopt-rematerialize{note-front}` did, the plans of all budgets with the lower bound
    and the one that was chosen.

    ```
    mem-opt step.mlir --memopt-report='format=json file=report.json' -o /dev/null
    mem-opt step.mlir --memopt-remember=memory --memopt-rematerialize='peak-budget=2GiB note-front' \
      --memopt-report='format=svg file=step.svg' -o /dev/null
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"table\"",
           "table, for people, json, or svg, a picture">,
    Option<"file", "file", "std::string", "\"-\"",
           "the file to write; - is standard output">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

def Remember : Pass<"memopt-remember", "mlir::ModuleOp"> {
  let summary = "notes what a later report tells of the step as it is now";
  let description = [{
    A report sees the step as it is when it is written. This pass notes on the step,
    in the attribute `memopt.report`, what later passes will have changed: with
    `memory` the bytes of each kind over the step, which `memopt-report{format=svg}`
    draws beside those of the step it finds; with `ops` the memopt ops and what was
    left alone, which `memopt-report` names after they are lowered. `forget` removes
    the notes of all functions.

    Fails where no training step is found or the size of a value is not known.

    ```
    mem-opt step.mlir --memopt-remember=memory
    ```
  }];
  let options = [
    Option<"memory", "memory", "bool", "false",
           "the bytes alive over the step, by kind">,
    Option<"ops", "ops", "bool", "false",
           "the memopt ops, and what was left alone">,
    Option<"forget", "forget", "bool", "false", "remove all notes">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

#endif // MEMOPT_REPORT_PASSES_TD
