//===- Readers.h - what the backward reads of an output ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SHARE_READERS_H
#define MEMOPT_LIB_SHARE_READERS_H

#include "MemOpt/Analysis/SavedActivations.h"
#include "llvm/ADT/SetVector.h"

namespace memopt {

/// A value, everything that is seen of it through views and casts, and who in
/// the backward reads any of that.
struct Readers {
  /// The value, then its views anywhere and its casts in the forward, each
  /// behind what it is made from.
  llvm::SetVector<mlir::Value> derived;
  /// Reads in the backward by ops that are not themselves in `derived`.
  llvm::SmallVector<mlir::OpOperand *> uses;
  /// The first op of the step's block that reads; null where none does.
  mlir::Operation *first = nullptr;

  static Readers find(const TrainingStep &step, mlir::Value value);

  /// A value of the backward that is there when `first` runs, for a fence to
  /// wait for; null where there is none. It has an element.
  mlir::Value findAwaited(const TrainingStep &step) const;
};

/// True where `op` or its ancestor in the step's block stands after the
/// forward's end; holds for ops made after the step was found, too.
bool isBackward(const TrainingStep &step, mlir::Operation *op);

} // namespace memopt

#endif // MEMOPT_LIB_SHARE_READERS_H
