//===- LeftAlone.h - what no rewrite would improve --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REPORT_LEFTALONE_H
#define MEMOPT_LIB_REPORT_LEFTALONE_H

#include "MemOpt/Analysis/SavedActivations.h"

namespace memopt {

/// A gradient that stays as it is, and why no rewrite would save bytes there.
struct UnimprovedOp {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// In program order. Asks the analyses on which the rewrites decide.
llvm::SmallVector<UnimprovedOp> findLeftAlone(const TrainingStep &step,
                                              const SavedActivations &saved);

} // namespace memopt

#endif // MEMOPT_LIB_REPORT_LEFTALONE_H
