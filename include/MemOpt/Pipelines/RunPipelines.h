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

/// What every pipeline from a step to running code asks.
template <typename Derived>
struct StepOptions : mlir::PassPipelineOptions<Derived> {
  using Base = mlir::PassPipelineOptions<Derived>;
  template <typename T> using Option = typename Base::template Option<T>;
  template <typename T>
  using ListOption = typename Base::template ListOption<T>;

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

struct RunOptions : StepOptions<RunOptions> {};

/// Options of `memopt-to-nvvm-pipeline`: those of a run, and those of
/// `memopt-to-nvvm`.
struct NvvmOptions : StepOptions<NvvmOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("sm_80, sm_90 or sm_100"),
                           llvm::cl::init("sm_90")};
  Option<std::string> format{*this, "format",
                             llvm::cl::desc("isa, bin, fatbin or llvm"),
                             llvm::cl::init("fatbin")};
  Option<unsigned> optLevel{*this, "opt-level",
                            llvm::cl::desc("optimization of the kernels"),
                            llvm::cl::init(3)};
  Option<bool> tf32{*this, "tf32",
                    llvm::cl::desc("products of f32 may round to TF32"),
                    llvm::cl::init(false)};
  Option<bool> cudaGraph{*this, "cuda-graph",
                         llvm::cl::desc("the caller captures the step"),
                         llvm::cl::init(false)};
  Option<std::string> toolkit{*this, "toolkit",
                              llvm::cl::desc("folder of the CUDA toolkit")};
};

/// Adds the stages from a step on tensors, as captured or as
/// `memopt-pipeline{fence=keep}` leaves it, to one whose buffers lie in one
/// arena.
void buildArenaPipeline(mlir::OpPassManager &manager,
                        const RunOptions &options);

/// The same stages, and code for a GPU.
void buildNvvmPipeline(mlir::OpPassManager &manager,
                       const NvvmOptions &options);

/// Registers `memopt-to-arena-pipeline`, `memopt-to-cpu-pipeline` and
/// `memopt-to-nvvm-pipeline`.
void registerRunPipelines();

} // namespace memopt

#endif // MEMOPT_PIPELINES_RUNPIPELINES_H
