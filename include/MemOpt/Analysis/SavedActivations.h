//===- SavedActivations.h - what crosses to the backward --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H
#define MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H

#include "MemOpt/Analysis/TrainingStep.h"

namespace memopt {

/// The bytes of a value of type `type`: element count times element size, each
/// element a whole number of bytes (i1 takes one). Fails with a diagnostic at
/// `loc` that names `what` where a dimension is dynamic, the element type has no
/// size, or the count passes 2^63 - 1.
llvm::FailureOr<int64_t> getByteSize(mlir::Type type, mlir::Location loc,
                                     llvm::StringRef what);

/// One storage that the forward makes and the backward reads.
struct SavedActivation {
  /// The value that owns the storage: what made it, not a view of it.
  mlir::Value storage;
  int64_t bytes = 0;
  /// The ops of the backward that read it, through whatever views, in program order.
  llvm::SmallVector<mlir::Operation *> keptBy;
  /// Also returned by the function: kept anyway, so it weighs nothing in a plan.
  bool returned = false;
};

/// The storages made at or before the forward's end and read after it. Views
/// (reshapes, slices), broadcasts, transposes, constants, fills, empties and
/// arguments are not storages: reading one reads the storage it is made from, and
/// a view that crosses holds its whole base.
class SavedActivations {
public:
  static llvm::FailureOr<SavedActivations> compute(const TrainingStep &step);

  /// In program order of the storages.
  llvm::ArrayRef<SavedActivation> getSaved() const { return saved; }
  /// The entry of the storage behind `value`; null where it does not cross.
  const SavedActivation *lookup(mlir::Value value) const;
  /// Sum of the bytes of all that are not returned; never overflows (compute
  /// fails where it would).
  int64_t getTotalBytes() const { return totalBytes; }

  /// The value that owns the storage `value` lives in: the root of its chain of
  /// views. An argument, constant, fill or empty is its own root.
  static mlir::Value getStorage(mlir::Value value);

private:
  llvm::SmallVector<SavedActivation> saved;
  llvm::DenseMap<mlir::Value, unsigned> index;
  int64_t totalBytes = 0;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_SAVEDACTIVATIONS_H
