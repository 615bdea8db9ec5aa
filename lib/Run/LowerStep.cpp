//===- LowerStep.cpp - a step in MLIR, down to the LLVM dialect -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerStep.h"
#include "MemOpt/Pipelines/Registration.h"
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

/// The name of the pipeline that goes from tensors to the LLVM dialect.
static constexpr StringLiteral kCpuPipeline = "memopt-to-cpu-pipeline";

static Error runPipeline(ModuleOp module, StringRef options) {
  memopt::registerPasses();
  if (!PassPipelineInfo::lookup(kCpuPipeline))
    return makeError("this build has no passes for the CPU: only modules with "
                     "@%s in the LLVM dialect can be run",
                     kStepSymbol.data());
  PassManager manager(module.getContext());
  std::string text = (kCpuPipeline + "{" + options + "}").str();
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(parsePassPipeline(text, manager, stream)))
    return makeError("--pipeline: %s", StringRef(reason).trim().str().c_str());
  if (failed(manager.run(module)))
    return makeError("the step cannot be compiled");
  return Error::success();
}

Error LoweredStep::lower(llvm::MemoryBufferRef source, StringRef pipeline) {
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
  if (Error error = runPipeline(*parsed, pipeline))
    return error;
  if (isLowered(*parsed))
    return Error::success();
  return makeError("the passes for the CPU left no @%s", kStepSymbol.data());
}
