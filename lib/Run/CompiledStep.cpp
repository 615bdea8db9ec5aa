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

Error CompiledStep::bind(LookUp lookUp) {
  Expected<void *> text = lookUp(kDescriptionSymbol);
  if (!text)
    return text.takeError();
  Expected<void *> step = lookUp(kStepSymbol);
  if (!step)
    return step.takeError();
  Expected<StepInterface> interface =
      parseStepInterface(static_cast<const char *>(*text));
  if (!interface)
    return interface.takeError();
  description = std::move(*interface);
  function = reinterpret_cast<StepFunction>(*step);
  if (!description.globalsBytes)
    return Error::success();
  Expected<void *> kept = lookUp(kGlobalsSymbol);
  if (!kept)
    return kept.takeError();
  keptBytes = static_cast<char *>(*kept);
  return Error::success();
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
  if (Error error =
          step.bind([&](StringRef symbol) { return code.lookUp(symbol); }))
    return error;
  return step;
}

Expected<CompiledStep> CompiledStep::fromLibrary(StringRef path) {
  // Without a slash dlopen would search the system's folders.
  std::string file = path.contains('/') ? path.str() : ("./" + path).str();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("%s", dlerror());
  CompiledStep step;
  // The library stays loaded: it may have started threads of its own.
  auto lookUp = [&](StringRef symbol) -> Expected<void *> {
    if (void *found = dlsym(library, symbol.data()))
      return found;
    return noSymbol(symbol);
  };
  if (Error error = step.bind(lookUp))
    return error;
  return step;
}
