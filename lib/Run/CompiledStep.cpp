//===- CompiledStep.cpp - a step that can be called -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/CompiledStep.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include <dlfcn.h>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

struct CompiledStep::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

CompiledStep::CompiledStep() : code(std::make_unique<Code>()) {}
CompiledStep::CompiledStep(CompiledStep &&) noexcept = default;
CompiledStep &CompiledStep::operator=(CompiledStep &&) noexcept = default;
CompiledStep::~CompiledStep() = default;

static Error noSymbol(StringRef symbol, const std::string &why) {
  return makeError("no compiled step: the symbol %s is missing%s%s",
                   symbol.str().c_str(), why.empty() ? "" : ": ", why.c_str());
}

/// Looks up a symbol; a second symbol that is missing is another message.
static Expected<void *> lookUp(llvm::orc::LLJIT &jit, StringRef symbol) {
  Expected<llvm::orc::ExecutorAddr> found = jit.lookup(symbol);
  if (found)
    return found->toPtr<void *>();
  Error rest = llvm::handleErrors(
      found.takeError(), [&](std::unique_ptr<llvm::orc::SymbolsNotFound>) {
        return noSymbol(symbol, "");
      });
  return rest;
}

Expected<CompiledStep>
CompiledStep::fromObject(std::unique_ptr<llvm::MemoryBuffer> object) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // The first lookup links: what fails then comes back as its error, and need
  // not be printed as well.
  (*jit)->getExecutionSession().setErrorReporter(
      [](Error error) { llvm::consumeError(std::move(error)); });
  if (Error error = (*jit)->addObjectFile(std::move(object)))
    return error;
  CompiledStep step;
  Expected<void *> description = lookUp(**jit, kDescriptionSymbol);
  if (!description)
    return description.takeError();
  Expected<void *> function = lookUp(**jit, kStepSymbol);
  if (!function)
    return function.takeError();
  Expected<StepInterface> interface =
      parseStepInterface(static_cast<const char *>(*description));
  if (!interface)
    return interface.takeError();
  step.description = std::move(*interface);
  step.function = reinterpret_cast<StepFunction>(*function);
  step.code->jit = std::move(*jit);
  return step;
}

Expected<CompiledStep> CompiledStep::fromLibrary(StringRef path) {
  // Without a slash dlopen would search the system's folders.
  std::string file = path.contains('/') ? path.str() : ("./" + path).str();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("%s", dlerror());
  CompiledStep step;
  void *description = dlsym(library, kDescriptionSymbol.data());
  void *function = dlsym(library, kStepSymbol.data());
  if (!description || !function)
    return noSymbol(description ? kStepSymbol : kDescriptionSymbol, "");
  Expected<StepInterface> interface =
      parseStepInterface(static_cast<const char *>(description));
  if (!interface)
    return interface.takeError();
  // The library stays loaded: it may have started threads of its own.
  step.description = std::move(*interface);
  step.function = reinterpret_cast<StepFunction>(function);
  return step;
}
