//===- CompileObject.cpp - an object file from the LLVM dialect -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/CompileObject.h"
#include "MemOpt/Run/Array.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

static Expected<llvm::orc::JITTargetMachineBuilder> describeHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return llvm::orc::JITTargetMachineBuilder::detectHost();
}

std::string memopt::run::hostCpu() {
  Expected<llvm::orc::JITTargetMachineBuilder> host = describeHost();
  if (!host) {
    llvm::consumeError(host.takeError());
    return "";
  }
  return host->getTargetTriple().str() + " " + host->getCPU() + " " +
         host->getFeatures().getString();
}

static Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(unsigned level) {
  Expected<llvm::orc::JITTargetMachineBuilder> host = describeHost();
  if (!host)
    return host.takeError();
  static const llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
      llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  host->setCodeGenOptLevel(levels[std::min(level, 3u)]);
  // The object may be loaded anywhere, and may be linked into a library.
  host->setRelocationModel(llvm::Reloc::PIC_);
  return host->createTargetMachine();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::OptimizationLevel optimization = levels[std::min(level, 3u)];
  llvm::ModulePassManager manager =
      level ? builder.buildPerModuleDefaultPipeline(optimization)
            : builder.buildO0DefaultPipeline(optimization);
  manager.run(module, modules);
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
memopt::run::compileObject(mlir::ModuleOp module, unsigned level) {
  Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(level);
  if (!machine)
    return machine.takeError();
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(module, context, "memopt_step");
  if (!translated)
    return makeError("the step cannot be translated to LLVM IR");
  translated->setTargetTriple((*machine)->getTargetTriple());
  translated->setDataLayout((*machine)->createDataLayout());
  optimize(*translated, **machine, level);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if ((*machine)->addPassesToEmitFile(emit, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return makeError("this machine's code generator writes no object files");
  emit.run(*translated);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(object), "memopt_step.o", /*RequiresNullTerminator=*/false);
}
