//===- RunPipelines.cpp - from a step to code that runs -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Pipelines/RunPipelines.h"
#include "MemOpt/Buffers/Passes.h"
#include "MemOpt/Cpu/Passes.h"
#include "MemOpt/Gpu/Passes.h"
#include "MemOpt/Kernels/Passes.h"
#include "MemOpt/Lower/Passes.h"
#include "MemOpt/Pipelines/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace memopt;

template <typename Options>
static void addArenaStages(OpPassManager &manager, const Options &options) {
  // First, since every analysis reads one block.
  manager.addPass(createInlineCalls({options.function}));
  // Fences stay: they hold the order in which the step was planned, which is
  // the one that kernels are formed in.
  manager.addPass(createToLinalg({FenceForm::Keep}));
  FormKernelsOptions form;
  form.function = options.function;
  form.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createFormKernels(form));
  // On buffers while kernels are as they were planned: whatever changed them
  // before would change what they need.
  BufferizeOptions bufferize;
  bufferize.donate = llvm::to_vector(options.donate);
  manager.addPass(createBufferize(bufferize));
  manager.addPass(createPlanMemory());
  manager.addPass(createVerifyMemory());
}

void memopt::buildArenaPipeline(OpPassManager &manager,
                                const RunOptions &options) {
  addArenaStages(manager, options);
}

static void buildCpuPipeline(OpPassManager &manager,
                             const RunOptions &options) {
  buildArenaPipeline(manager, options);
  manager.addPass(createToCpu());
}

void memopt::buildNvvmPipeline(OpPassManager &manager,
                               const NvvmOptions &options) {
  addArenaStages(manager, options);
  ToNvvmOptions code;
  code.chip = options.chip;
  code.format = options.format;
  code.optLevel = options.optLevel;
  code.tf32 = options.tf32;
  code.cudaGraph = options.cudaGraph;
  code.toolkit = options.toolkit;
  manager.addPass(createToNvvm(code));
}

void memopt::registerRunPipelines() {
  PassPipelineRegistration<RunOptions>(
      "memopt-to-arena-pipeline",
      "a training step whose kernels work on buffers in one arena",
      buildArenaPipeline);
  PassPipelineRegistration<RunOptions>(
      "memopt-to-cpu-pipeline",
      "a training step as code for the CPU, in the LLVM dialect",
      buildCpuPipeline);
  PassPipelineRegistration<NvvmOptions>(
      "memopt-to-nvvm-pipeline",
      "a training step as code for an NVIDIA GPU and its host",
      buildNvvmPipeline);
}
