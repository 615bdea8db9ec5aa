//===- LowerStep.h - a step in MLIR, down to the LLVM dialect ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUN_LOWERSTEP_H
#define MEMOPT_LIB_RUN_LOWERSTEP_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace memopt::run {

/// A module in the LLVM dialect that has the function `memopt_step`.
class LoweredStep {
public:
  LoweredStep();

  /// Parses a module; diagnostics go to standard error.
  llvm::Error parse(llvm::MemoryBufferRef source);

  /// True where a function takes a tensor of unknown size.
  bool isDynamic();

  /// Where the module has no `memopt_step` yet, runs memopt-pipeline with these
  /// options, if there are any, and then the passes for the CPU, or with
  /// memopt-to-nvvm's options those for a GPU. `sizes` are those of
  /// memopt-specialize-shapes, for a dynamic step.
  llvm::Error lower(const std::optional<std::string> &pipeline,
                    const std::optional<std::string> &nvvm,
                    llvm::ArrayRef<std::string> sizes);

  mlir::ModuleOp module() { return *parsed; }

private:
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
};

} // namespace memopt::run

#endif // MEMOPT_LIB_RUN_LOWERSTEP_H
