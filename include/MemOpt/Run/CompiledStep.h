//===- CompiledStep.h - a step that can be called ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_COMPILEDSTEP_H
#define MEMOPT_RUN_COMPILEDSTEP_H

#include "MemOpt/Run/StepInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace memopt::run {

/// A step in this process's memory, ready to be called.
class CompiledStep {
public:
  /// Links a relocatable object file of this machine. Symbols that it does not
  /// define are looked up in the process and its libraries.
  static llvm::Expected<CompiledStep>
  fromObject(std::unique_ptr<llvm::MemoryBuffer> object);
  /// Loads a shared library.
  static llvm::Expected<CompiledStep> fromLibrary(llvm::StringRef path);

  CompiledStep(CompiledStep &&) noexcept;
  CompiledStep &operator=(CompiledStep &&) noexcept;
  ~CompiledStep();

  const StepInterface &interface() const { return description; }
  /// Runs the step: a pointer to each argument's memory, and an arena of
  /// `interface().arenaBytes` bytes, aligned to `arenaAlignment`.
  void call(void *const *arguments, void *arena) const {
    function(arguments, arena);
  }
  /// What the step keeps from one run to the next: one block a process, however
  /// many arenas it runs on.
  llvm::MutableArrayRef<char> globals() const {
    return {keptBytes, size_t(description.globalsBytes)};
  }

private:
  struct Code;
  CompiledStep();
  using LookUp = llvm::function_ref<llvm::Expected<void *>(llvm::StringRef)>;
  /// Takes the step and its description from where `lookUp` finds symbols.
  llvm::Error bind(LookUp lookUp);

  StepInterface description;
  StepFunction function = nullptr;
  char *keptBytes = nullptr;
  std::unique_ptr<Code> code;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_COMPILEDSTEP_H
