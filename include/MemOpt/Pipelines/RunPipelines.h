//===- RunPipelines.h - from a step to code that runs -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PIPELINES_RUNPIPELINES_H
#define MEMOPT_PIPELINES_RUNPIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace memopt {

struct RunOptions : mlir::PassPipelineOptions<RunOptions> {
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc(
          "the training step, where more than one function could be it")};
  ListOption<int64_t> forwardResults{
      *this, "forward-results",
      llvm::cl::desc(
          "the results that the forward makes; by default 0, the loss")};
  ListOption<int64_t> donate{
      *this, "donate",
      llvm::cl::desc("the numbers of arguments that may be overwritten")};
};

/// Adds the stages from a step on tensors, as captured or as
/// `memopt-pipeline{fence=keep}` leaves it, to one whose buffers lie in one
/// arena.
void buildArenaPipeline(mlir::OpPassManager &manager,
                        const RunOptions &options);

/// Registers `memopt-to-arena-pipeline` and `memopt-to-cpu-pipeline`.
void registerRunPipelines();

} // namespace memopt

#endif // MEMOPT_PIPELINES_RUNPIPELINES_H
