//===- LowerStep.cpp - a step in MLIR, down to the LLVM dialect -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerStep.h"
#include "MemOpt/Cpu/Passes.h"
#include "MemOpt/Pipelines/Pipeline.h"
#include "MemOpt/Pipelines/Registration.h"
#include "MemOpt/Pipelines/RunPipelines.h"
#include "MemOpt/Run/StepInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace memopt::run;
using llvm::Error;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  memopt::registerDialects(registry);
  return registry;
}

LoweredStep::LoweredStep() : context(makeRegistry()) {}

/// True where the module holds a step that is compiled but for the last inch.
static bool isLowered(ModuleOp module) {
  auto step = module.lookupSymbol<LLVM::LLVMFuncOp>(kStepSymbol);
  return step && !step.isExternal();
}

namespace {

/// The options of --pipeline: those of memopt-pipeline, and what the arena's
/// pipeline takes beside them.
struct RewriteOptions : memopt::PipelineOptions {
  ListOption<int64_t> donate{
      *this, "donate",
      llvm::cl::desc("the numbers of arguments that may be overwritten")};
};

} // namespace

/// Reports may not stand where the program that runs the step prints.
static Error checkReports(const RewriteOptions &options) {
  if (options.reportBefore != "-" && options.reportAfter != "-")
    return Error::success();
  return makeError("--pipeline: a report on standard output would stand in the "
                   "JSON; name a file for it, as /dev/stderr");
}

/// Adds memopt-pipeline with the options in `text`.
static Error addRewrites(PassManager &manager, const std::string &text,
                         memopt::RunOptions &run) {
  RewriteOptions options;
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(options.parseFromString(text, stream)))
    return makeError("--pipeline: %s", StringRef(reason).trim().str().c_str());
  if (std::optional<std::string> wrong = memopt::checkOptions(options))
    return makeError("--pipeline: %s", wrong->c_str());
  if (Error error = checkReports(options))
    return error;
  // Fences hold recomputed runs in their places until kernels have an order.
  options.fence = "keep";
  run.function = options.function;
  run.forwardResults = llvm::to_vector(options.forwardResults);
  run.donate = llvm::to_vector(options.donate);
  memopt::buildPipeline(manager, options);
  return Error::success();
}

/// By its name, so that a build without code for GPUs can say so.
static Error addToNvvm(PassManager &manager, const std::string &options) {
  memopt::registerPasses();
  if (!PassInfo::lookup("memopt-to-nvvm"))
    return makeError("this build has no code for GPUs");
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(parsePassPipeline("memopt-to-nvvm{" + options + "}", manager,
                               stream)))
    return makeError("--nvvm: %s", StringRef(reason).trim().str().c_str());
  return Error::success();
}

static Error runPasses(ModuleOp module,
                       const std::optional<std::string> &pipeline,
                       const std::optional<std::string> &nvvm) {
  PassManager manager(module.getContext());
  memopt::RunOptions run;
  if (pipeline)
    if (Error error = addRewrites(manager, *pipeline, run))
      return error;
  memopt::buildArenaPipeline(manager, run);
  if (!nvvm)
    manager.addPass(memopt::createToCpu());
  else if (Error error = addToNvvm(manager, *nvvm))
    return error;
  if (failed(manager.run(module)))
    return makeError("the step cannot be compiled");
  return Error::success();
}

Error LoweredStep::lower(llvm::MemoryBufferRef source,
                         const std::optional<std::string> &pipeline,
                         const std::optional<std::string> &nvvm) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  parsed = parseSourceFile<ModuleOp>(sources, &context);
  if (!parsed)
    return makeError("is no MLIR that can be read");
  if (isLowered(*parsed))
    return Error::success();
  if (Error error = runPasses(*parsed, pipeline, nvvm))
    return error;
  if (isLowered(*parsed))
    return Error::success();
  return makeError("the passes for the %s left no @%s", nvvm ? "GPU" : "CPU",
                   kStepSymbol.data());
}
