//===- SavedActivations.h - what crosses to the backward --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H
#define MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H

#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Analysis/TrainingStep.h"

namespace memopt {

/// One storage that the forward makes and the backward reads.
struct SavedActivation {
  /// The value that owns the storage: what made it, not a view of it.
  mlir::Value storage;
  /// Nothing where the size is not known (a dynamic dimension, past 2^63 - 1).
  std::optional<int64_t> bytes;
  /// The ops of the backward that read it, through whatever views, in program
  /// order.
  llvm::SmallVector<mlir::Operation *> keptBy;
  /// Also returned by the function: kept anyway, so it weighs nothing in a
  /// plan.
  bool returned = false;
};

/// The storages made at or before the forward's end and read after it by an op
/// that leads to a result. Views (reshapes, slices), broadcasts, transposes,
/// arguments, splats and what is computed from constants only are not storages:
/// reading a view reads the storage it is made from, and a view that crosses
/// holds its whole base. A concatenation, an insertion and a conversion are
/// storages: no one value has their bytes. Scalars outside tensors weigh
/// nothing.
class SavedActivations {
public:
  /// Never fails: sizes are asked for with `getTotalBytes`.
  static SavedActivations compute(const TrainingStep &step);

  /// In program order of the storages.
  llvm::ArrayRef<SavedActivation> getSaved() const { return saved; }
  /// The entry of the storage behind `value`; null where it does not cross.
  const SavedActivation *lookup(mlir::Value value) const;
  /// Sum of the bytes of all that are not returned. Fails with a diagnostic
  /// that names the value whose size is not known or with which the sum passes
  /// 2^63 - 1.
  llvm::FailureOr<int64_t> getTotalBytes() const;

private:
  llvm::SmallVector<SavedActivation> saved;
  llvm::DenseMap<mlir::Value, unsigned> index;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H
