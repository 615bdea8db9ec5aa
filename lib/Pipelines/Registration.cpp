//===- Registration.cpp - everything mem-opt brings -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Pipelines/Registration.h"
#include "MemOpt/Approximate/Passes.h"
#include "MemOpt/Buffers/Bufferize.h"
#include "MemOpt/Buffers/Passes.h"
#include "MemOpt/Codegen/Passes.h"
#include "MemOpt/Cpu/Passes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Gpu/Passes.h"
#include "MemOpt/Kernels/Passes.h"
#include "MemOpt/Lower/Passes.h"
#include "MemOpt/Pipelines/Passes.h"
#include "MemOpt/Pipelines/Pipeline.h"
#include "MemOpt/Pipelines/RunPipelines.h"
#include "MemOpt/Raise/Passes.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "MemOpt/Report/Passes.h"
#include "MemOpt/Share/Passes.h"
#include "MemOpt/Specialize/Passes.h"

void memopt::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<MemOptDialect>();
  registerBufferization(registry);
}

void memopt::registerPasses() {
  registerApproximatePasses();
  registerBuffersPasses();
  registerCodegenPasses();
  registerCpuPasses();
  registerGpuPasses();
  registerKernelsPasses();
  registerLowerPasses();
  registerPipelinesPasses();
  registerRaisePasses();
  registerRematerializePasses();
  registerReportPasses();
  registerSharePasses();
  registerSpecializePasses();
  registerPipeline();
  registerRunPipelines();
}
