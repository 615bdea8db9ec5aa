//===- LowerStep.cpp - a step in MLIR, down to the LLVM dialect -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerStep.h"
#include "MemOpt/Cpu/Passes.h"
#include "MemOpt/Pipelines/Passes.h"
#include "MemOpt/Pipelines/Pipeline.h"
#include "MemOpt/Pipelines/Registration.h"
#include "MemOpt/Pipelines/RunPipelines.h"
#include "MemOpt/Run/StepInterface.h"
#include "MemOpt/Specialize/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

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

/// Reads what --pipeline says.
static Error parseRewrites(const std::string &text, RewriteOptions &options) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(options.parseFromString(text, stream)))
    return makeError("--pipeline: %s", StringRef(reason).trim().str().c_str());
  if (std::optional<std::string> wrong = memopt::checkOptions(options))
    return makeError("--pipeline: %s", wrong->c_str());
  // Fences hold recomputed runs in their places until kernels have an order.
  options.fence = "keep";
  return checkReports(options);
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

/// Sizes become known.
static void addSpecialize(PassManager &manager, const RewriteOptions &options,
                          llvm::ArrayRef<std::string> sizes) {
  memopt::InlineCallsOptions inlining;
  inlining.function = options.function;
  manager.addPass(memopt::createInlineCalls(inlining));
  memopt::SpecializeShapesOptions specialize;
  specialize.sizes = llvm::to_vector(sizes);
  specialize.dimBounds = llvm::to_vector(options.dimBounds);
  specialize.function = options.function;
  specialize.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(memopt::createSpecializeShapes(specialize));
}

/// A plan for all sizes within bounds is made while they are not known;
/// anything else knows more once they are.
static bool plansForBounds(const RewriteOptions &options) {
  bool hasBudget = !options.peakBudget.empty() ||
                   !options.savedBudget.empty() || !options.maxOverhead.empty();
  return hasBudget && !options.dimBounds.empty();
}

bool LoweredStep::isDynamic() {
  for (auto function : parsed->getOps<func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (!tensor.hasStaticShape())
          return true;
  return false;
}

Error LoweredStep::parse(llvm::MemoryBufferRef source) {
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  parsed = parseSourceFile<ModuleOp>(sources, &context);
  return parsed ? Error::success() : makeError("is no MLIR that can be read");
}

/// The way to code, as far as it is said what code.
static Error addPasses(PassManager &manager, const RewriteOptions &options,
                       bool rewrites, bool specializes,
                       const std::optional<std::string> &nvvm,
                       llvm::ArrayRef<std::string> sizes) {
  bool isLate = plansForBounds(options);
  if (specializes && !isLate)
    addSpecialize(manager, options, sizes);
  if (rewrites)
    memopt::buildPipeline(manager, options);
  if (specializes && isLate)
    addSpecialize(manager, options, sizes);
  memopt::RunOptions run;
  run.function = options.function;
  run.forwardResults = llvm::to_vector(options.forwardResults);
  run.donate = llvm::to_vector(options.donate);
  memopt::buildArenaPipeline(manager, run);
  if (nvvm)
    return addToNvvm(manager, *nvvm);
  manager.addPass(memopt::createToCpu());
  return Error::success();
}

Error LoweredStep::lower(const std::optional<std::string> &pipeline,
                         const std::optional<std::string> &nvvm,
                         llvm::ArrayRef<std::string> sizes) {
  if (isLowered(*parsed))
    return Error::success();
  RewriteOptions options;
  if (pipeline)
    if (Error error = parseRewrites(*pipeline, options))
      return error;
  PassManager manager(&context);
  if (Error error = addPasses(manager, options, pipeline.has_value(),
                              isDynamic(), nvvm, sizes))
    return error;
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (failed(manager.run(*parsed)))
    return makeError("the step cannot be compiled");
  if (isLowered(*parsed))
    return Error::success();
  return makeError("the passes for the %s left no @%s", nvvm ? "GPU" : "CPU",
                   kStepSymbol.data());
}
