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

def MarkCaptured : Pass<"memopt-mark-captured", "mlir::ModuleOp"> {
  let summary = "writes down what the step as captured keeps";
  let description = [{
    Sets the attribute `memopt.captured_saved_bytes` of the step to the bytes that
    cross from its forward to its backward now. `memopt-rematerialize`, later in the
    pipeline, takes a share in `saved-budget=` of that, so that a share means the
    same whatever was rewritten between; it removes the attribute.

    ```
    mem-opt step.mlir --memopt-mark-captured
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"dimBounds", "dim-bounds", "std::string",
               "ARGUMENT:DIMENSION=BOUND: the largest sizes of dynamic dimensions">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

def Rematerialize : Pass<"memopt-rematerialize", "mlir::ModuleOp"> {
  let summary = "keeps what fits a budget and computes the rest again";
  let description = [{
    Needs a training step on tensors that has not been rematerialized. With one of
    four goals it plans what the forward keeps for the backward and what the
    backward computes again, then rewrites the step:

    | goal | what it bounds |
    |---|---|
    | `peak-budget=12GiB` | everything but the arguments that the step needs at once: saved activations, gradients, results and what is computed on the way, each rounded up to 64 bytes, in the order of the rewritten step and with its ops fused as docs/rematerialization.md says |
    | `saved-budget=0.5` | the bytes that cross from the forward to the backward, results apart, in bytes or as a share of what the step as captured keeps; no bound on the peak |
    | `max-overhead=3%` | the time that recomputation takes, as a share of the modelled time of the step; the least peak within it |
    | `keep=@file` | nothing: it keeps the values that the file names, one name a line, and runs everything else again |

    A name in `keep=` is that of an op's location (`loc("addmm_3")`; of several ops
    with one name the last counts), or the one that `plan-file=` prints. So a plan
    that another tool made can be priced and simulated like our own. Recomputed values
    are made as late as possible, or, with `backward-order=@file`, where that file
    names their ops among those of the backward. Names that are no values of the
    forward are listed in a warning.

    Of all plans on one ladder that does not depend on the budget it takes the
    cheapest that fits, so that a larger budget never costs more. Costs are those
    of a roofline on `device`.

    Dynamic dimensions need a bound: `dim-bounds=0:1=128` says that dimension 1 of
    argument 0 is from 1 to 128 (or the argument has the attribute
    `memopt.dim_bounds = array<i64: ...>`, one number a dimension). The step is
    planned with the largest sizes, and the promise holds for all below.

    Leaves the same results, bit for bit: each recomputed op is a clone that reads
    the same values. It reads them behind a `memopt.fence` after a value of the
    backward, one for each recomputed run, so that neither `cse` nor a scheduler
    undoes the plan; the run stands as late as possible. The ops of the step stand
    in the planned order. The function gets the attribute `memopt.plan`, which
    `memopt-verify-plan` checks against the IR and `memopt-report` prints.

    Never recomputes: random numbers without a seed operand, calls, reads and
    writes of memory or globals, assertions, collectives and ops it does not know;
    their results are kept. `linalg.fill_rng_2d` has a seed and may run again.

    Refuses, with the IR unchanged: a budget that no plan fits, with the smallest
    one that works (`smallest feasible budget: N bytes`), the op at which the
    memory is needed and the values alive there; sizes that are not known and have
    no bound; a step that was rematerialized already.

    ```mlir
    // memopt-rematerialize{saved-budget=0}: tanh runs again after %loss
    %a = math.tanh %x : tensor<8xf32>
    %loss = math.exp %a : tensor<8xf32>
    %late = memopt.fence %x after %loss : tensor<8xf32>, tensor<8xf32>
    %again = math.tanh %late : tensor<8xf32>
    %dx = arith.mulf %g, %again : tensor<8xf32>
    ```
  }];
  let options = [
    Option<"peakBudget", "peak-budget", "std::string", "\"\"",
           "bytes that the step may need at once beside its arguments: 12GiB">,
    Option<"savedBudget", "saved-budget", "std::string", "\"\"",
           "bytes that may cross to the backward, or a share of what the step keeps: 0.5">,
    Option<"maxOverhead", "max-overhead", "std::string", "\"\"",
           "time that recomputation may take, as a share of the step: 0.03 or 3%">,
    Option<"keep", "keep", "std::string", "\"\"",
           "@file: the names of the values to keep, one a line">,
    Option<"backwardOrder", "backward-order", "std::string", "\"\"",
           "@file: for keep=, the names of what the backward runs, in order">,
    Option<"device", "device", "std::string", "\"h200\"",
           "h200, h100, a100, cpu, or numbers: flops4=67T,flops2=989T,bandwidth=4800G">,
    Option<"reorder", "reorder", "bool", "true",
           "plan on the order that memopt-schedule makes">,
    Option<"dryRun", "dry-run", "bool", "false",
           "write the plan and leave the step as it is">,
    Option<"planFile", "plan-file", "std::string", "\"\"",
           "where to write the plan; - is standard output, and the default of dry-run">,
    Option<"ladder", "ladder", "std::string", "\"\"",
           "where to write all plans that a budget selects from, as CSV: saved bytes, peak, cost, and the bounds on cost at either">,
    Option<"picture", "picture", "std::string", "\"\"",
           "an SVG to draw: memory over the step before and after, by kind, and the front of plans">,
    Option<"noteFront", "note-front", "bool", "false",
           "note the front of plans on the step, for the picture of a later memopt-report">,
    Option<"fence", "fence", "std::string", "\"memopt\"",
           "memopt (memopt.fence, for memopt-to-linalg to lower) or none">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"dimBounds", "dim-bounds", "std::string",
               "ARGUMENT:DIMENSION=BOUND: the largest sizes of dynamic dimensions">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = ["::memopt::MemOptDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Schedule : Pass<"memopt-schedule", "mlir::ModuleOp"> {
  let summary = "orders the step so that it needs no more memory, often less";
  let description = [{
    Moves what frees at least as much as it makes to where it can run first, so
    that gradients are consumed early and weight gradients stand beside their
    operands; everything else keeps its order. The forward stays before the
    backward, and calls, globals and assertions keep their order among each other.
    The peak, with ops fused and storages aligned as in `memopt-rematerialize`,
    never rises: where no better order is found, the step keeps its own. Constants,
    inits and views move to their first reader; what leads nowhere is erased.

    `memopt-rematerialize` does the same before it plans, unless `reorder=false`;
    this pass is for a step without a budget.

    Refuses a step that was rematerialized, and sizes that are not known.

    ```
    mem-opt step.mlir --memopt-schedule
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def VerifyPlan : Pass<"memopt-verify-plan", "mlir::ModuleOp"> {
  let summary = "fails where the step needs more memory than its plan promised";
  let description = [{
    Reads the attribute `memopt.plan` that `memopt-rematerialize` left on the step,
    computes what the step as it now is needs, and fails where that is more than
    the budget in it: the peak where a peak was bounded, the saved bytes where they
    were, and the planned peak where neither was. It asks the IR, not the planner:
    only the rule which ops form one kernel is the same. Stands after the last pass
    that changes the step on tensors.

    On a step that went through `memopt-form-kernels` each kernel counts as what it
    is, and the bytes alive at once must be those that the pass wrote down in
    `memopt.kernels`.

    Fails, too, where there is no such attribute. With `remove=true` the attribute
    is gone afterwards, which is what leaving the memopt dialect needs.

    ```
    mem-opt step.mlir --memopt-rematerialize=peak-budget=2GiB \
      --memopt-to-linalg --cse --memopt-verify-plan
    ```
  }];
  let options = [
    Option<"remove", "remove", "bool", "false",
           "remove the attribute where the promise holds">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

def PrintStepGraph : Pass<"memopt-print-step-graph", "mlir::ModuleOp"> {
  let summary = "writes the step as the planner sees it";
  let description = [{
    Writes the ops of the step with their class, points, FLOPs and operands, and
    the storages they make, in the text form of `MemOpt/Planning/StepGraphText.h`,
    from which plans can be made and tested without the IR. With `prices=` it writes,
    beside that, what running each op again costs on `device`, in picoseconds, one op a
    line. Changes nothing.

    Fails where no training step is found, the size of a value or the device is not
    known, or a price passes 2^62.

    ```
    mem-opt step.mlir --memopt-print-step-graph=file=step.graph -o /dev/null
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"-\"",
           "the file to write; - is standard output">,
    Option<"prices", "prices", "std::string", "\"\"",
           "a file for the price of running each op again, in picoseconds, one a line">,
    Option<"device", "device", "std::string", "\"h200\"",
           "whose roofline makes the prices: h200, h100, a100, cpu, or numbers">,
    Option<"function", "function", "std::string", "\"\"",
           "the training step, where more than one function could be it">,
    ListOption<"forwardResults", "forward-results", "int64_t",
               "the results that the forward makes; by default 0, the loss">
  ];
}

#endif // MEMOPT_REMATERIALIZE_PASSES_TD
