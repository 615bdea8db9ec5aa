//===- Rewrites.h - what the report tells of the rewrites -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REPORT_REWRITES_H
#define MEMOPT_LIB_REPORT_REWRITES_H

#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Report/MemoryReport.h"
#include "mlir/IR/AsmState.h"

namespace memopt {

/// Name of an op, with its kind where it is a memopt op.
std::string getKindedName(mlir::Operation *op);
ReportedOp describe(mlir::Operation *op, mlir::AsmState &state);

/// Fills in the memopt ops of the step and what was left alone: those noted on
/// its function where it was lowered since. Fails with a diagnostic where the
/// note is none that `noteRewrites` writes.
llvm::LogicalResult collectRewrites(const TrainingStep &step,
                                    const SavedActivations &saved,
                                    mlir::AsmState &state,
                                    MemoryReport &report);

/// Notes both on the function, for a report after they are lowered.
void noteRewrites(const TrainingStep &step);

} // namespace memopt

#endif // MEMOPT_LIB_REPORT_REWRITES_H
