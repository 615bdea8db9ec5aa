//===- Pipeline.h - memopt-pipeline -----------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PIPELINES_PIPELINE_H
#define MEMOPT_PIPELINES_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace memopt {

/// The options of `memopt-pipeline`.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<bool> approximate{
      *this, "approximate",
      llvm::cl::desc(
          "replace activation gradients by those of a piecewise-linear "
          "surrogate, which read a packed code; changes gradients"),
      llvm::cl::init(false)};
  Option<bool> share{
      *this, "share",
      llvm::cl::desc("let norm gradients read the normalised output; exact"),
      llvm::cl::init(true)};
  Option<bool> rounded{
      *this, "rounded",
      llvm::cl::desc(
          "also share a normalised output that the forward rounds; the "
          "gradient is then only as exact as that rounding"),
      llvm::cl::init(false)};
  Option<std::string> coefficients{
      *this, "coefficients",
      llvm::cl::desc("the surrogate's coefficients: optimal or paper"),
      llvm::cl::init("optimal")};
  // A string, so that any wrong value gets one message.
  Option<std::string> bits{*this, "bits",
                           llvm::cl::desc("bits of a code: 1 to 4"),
                           llvm::cl::init("2")};
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc(
          "the training step, where more than one function could be it")};
  ListOption<int64_t> forwardResults{
      *this, "forward-results",
      llvm::cl::desc(
          "the results that the forward makes; by default 0, the loss")};
  Option<std::string> peakBudget{
      *this, "peak-budget",
      llvm::cl::desc("bytes that the step may need at once beside its "
                     "arguments, as 12GiB: recompute what does not fit")};
  Option<std::string> savedBudget{
      *this, "saved-budget",
      llvm::cl::desc("bytes that may cross to the backward, or a share of what "
                     "the step as captured keeps, as 0.5")};
  Option<std::string> maxOverhead{
      *this, "max-overhead",
      llvm::cl::desc("time that recomputation may take, as a share of the "
                     "step's, as 3%: the least peak within it")};
  Option<std::string> choose{
      *this, "choose",
      llvm::cl::desc("with a budget, which rewrites are given up where the "
                     "plan does not keep what they make: none, codes or all"),
      llvm::cl::init("codes")};
  ListOption<std::string> dimBounds{
      *this, "dim-bounds",
      llvm::cl::desc("ARGUMENT:DIMENSION=BOUND: the largest sizes of dynamic "
                     "dimensions, for a budget")};
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("whose roofline prices recomputation: h200, h100, a100, "
                     "cpu or numbers"),
      llvm::cl::init("h200")};
  Option<std::string> fence{
      *this, "fence",
      llvm::cl::desc("what becomes of memopt.fence: scalar, none or keep"),
      llvm::cl::init("scalar")};
  Option<std::string> reportBefore{
      *this, "report-before",
      llvm::cl::desc(
          "file for the report on the step as captured; - is standard output")};
  Option<std::string> reportAfter{
      *this, "report-after",
      llvm::cl::desc(
          "file for the report on the rewritten step; - is standard output")};
  Option<std::string> reportFormat{
      *this, "report-format",
      llvm::cl::desc("format of both reports: table, json or svg"),
      llvm::cl::init("table")};
};

/// Says what is wrong with the value of an option and which values are allowed.
std::optional<std::string> checkOptions(const PipelineOptions &options);

/// Adds the stages to `manager`, a pass manager on modules. The options must
/// have passed `checkOptions`.
void buildPipeline(mlir::OpPassManager &manager,
                   const PipelineOptions &options);

/// Registers `memopt-pipeline`.
void registerPipeline();

} // namespace memopt

#endif // MEMOPT_PIPELINES_PIPELINE_H
