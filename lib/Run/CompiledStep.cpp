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
  /// What the linker reports along the way; its error says only which symbols
  /// did not come of it.
  std::string reported;
  std::unique_ptr<llvm::orc::LLJIT> jit;

  llvm::Expected<void *> lookUp(StringRef symbol);
};

CompiledStep::CompiledStep() : code(std::make_unique<Code>()) {}
CompiledStep::CompiledStep(CompiledStep &&) noexcept = default;
CompiledStep &CompiledStep::operator=(CompiledStep &&) noexcept = default;
CompiledStep::~CompiledStep() = default;

static Error noSymbol(StringRef symbol) {
  return makeError("no compiled step: the symbol %s is missing",
                   symbol.str().c_str());
}

Expected<void *> CompiledStep::Code::lookUp(StringRef symbol) {
  Expected<llvm::orc::ExecutorAddr> found = jit->lookup(symbol);
  if (found)
    return found->toPtr<void *>();
  std::string what = llvm::toString(found.takeError());
  if (reported.empty())
    return noSymbol(symbol);
  return makeError("the compiled step cannot be linked: %s", reported.c_str());
}

Expected<CompiledStep>
CompiledStep::fromObject(std::unique_ptr<llvm::MemoryBuffer> object) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  CompiledStep step;
  Code &code = *step.code;
  code.jit = std::move(*jit);
  code.jit->getExecutionSession().setErrorReporter([&code](Error error) {
    code.reported += llvm::toString(std::move(error));
  });
  if (Error error = code.jit->addObjectFile(std::move(object)))
    return error;
  Expected<void *> description = code.lookUp(kDescriptionSymbol);
  if (!description)
    return description.takeError();
  Expected<void *> function = code.lookUp(kStepSymbol);
  if (!function)
    return function.takeError();
  Expected<StepInterface> interface =
      parseStepInterface(static_cast<const char *>(*description));
  if (!interface)
    return interface.takeError();
  step.description = std::move(*interface);
  step.function = reinterpret_cast<StepFunction>(*function);
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
    return noSymbol(description ? kStepSymbol : kDescriptionSymbol);
  Expected<StepInterface> interface =
      parseStepInterface(static_cast<const char *>(description));
  if (!interface)
    return interface.takeError();
  // The library stays loaded: it may have started threads of its own.
  step.description = std::move(*interface);
  step.function = reinterpret_cast<StepFunction>(function);
  return step;
}
