//===- PrintKernelPrograms.cpp - memopt-print-kernel-programs -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/KernelProgram.h"
#include "MemOpt/Codegen/Passes.h"

namespace memopt {
#define GEN_PASS_DEF_PRINTKERNELPROGRAMS
#include "MemOpt/Codegen/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct PrintKernelPrograms
    : memopt::impl::PrintKernelProgramsBase<PrintKernelPrograms> {
  using PrintKernelProgramsBase::PrintKernelProgramsBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      if (kernel.getKind() == KernelKind::contraction ||
          kernel.getKind() == KernelKind::movement ||
          kernel.getKind() == KernelKind::opaque)
        return WalkResult::advance();
      FailureOr<KernelProgram> program = buildKernelProgram(kernel);
      if (failed(program))
        return WalkResult::interrupt();
      llvm::errs() << stringifyKernelKind(kernel.getKind()) << ": ";
      program->print(llvm::errs());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
