//===- LoadStep.h - a step from a file, compiled ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_LOADSTEP_H
#define MEMOPT_RUN_LOADSTEP_H

#include "MemOpt/Run/CompiledStep.h"

namespace memopt::run {

struct LoadOptions {
  /// Options of memopt-pipeline, and `donate`, for a step that is not compiled
  /// yet; none: the step is lowered as it is.
  std::optional<std::string> pipeline;
  /// Options of memopt-to-nvvm: the step is compiled for a GPU; none: for the
  /// CPU.
  std::optional<std::string> nvvm;
  /// Called for a step of dynamic shapes: the size of each dynamic dimension,
  /// as memopt-specialize-shapes takes them. Null: there are none.
  std::function<llvm::Expected<std::vector<std::string>>()> sizes;
  /// Optimisation of the generated code, 0 to 3.
  unsigned level = 2;
  /// Empty: nothing is cached.
  std::string cacheFolder;
  /// Where to write the object file; empty: nowhere.
  std::string saveObject;
};

struct LoadedStep {
  CompiledStep step;
  double compileSeconds = 0;
  bool fromCache = false;
};

/// Loads, and where needed compiles, the step in a file: an object file, a
/// shared library, or a module in MLIR (text or bytecode; `-` is standard
/// input) that either has the function `memopt_step` in the LLVM dialect or is
/// a training step on tensors. Diagnostics of MLIR go to standard error.
llvm::Expected<LoadedStep> loadStep(llvm::StringRef path,
                                    const LoadOptions &options);

} // namespace memopt::run

#endif // MEMOPT_RUN_LOADSTEP_H
