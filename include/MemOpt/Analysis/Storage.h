//===- Storage.h - which values share one buffer ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_STORAGE_H
#define MEMOPT_ANALYSIS_STORAGE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace memopt {

/// The tensor that `value` shows without computing anything: the source of a
/// reshape, cast, slice or `memopt.fence`, and the input of a parallel linalg
/// op that only yields it (a copy, transpose or broadcast). Null where `value`
/// has bytes of its own.
mlir::Value getViewedValue(mlir::Value value);

/// The value that owns the bytes behind `value`: the root of its chain of
/// views.
mlir::Value getStorage(mlir::Value value);

/// True where the buffer behind `root` weighs nothing: an argument of the step,
/// which the caller owns, a constant, an empty or a splat (a fill is one, since
/// the op that uses it as its init makes the buffer), and what is no tensor.
bool isWeightless(mlir::Value root);

/// Calls `callback` on each value from outside `op` whose elements `op` reads,
/// nested regions included. A view reads nothing, nor does an op that asks only
/// for a shape or overwrites its init.
void forEachRead(mlir::Operation *op,
                 llvm::function_ref<void(mlir::Value)> callback);

/// An operand of a linalg op of which only the shape is used: an init that is
/// overwritten, or an input that the body does not read.
bool isUnread(mlir::OpOperand &operand);

/// What one pass over a block says of each of its ops.
class BlockFlow {
public:
  explicit BlockFlow(mlir::Block &block);

  /// True where the op's elements lead to the terminator or to a side effect.
  bool isLive(mlir::Operation *op) const { return flags.lookup(op) & live; }
  /// True where the value is computed from constants only (an iota, a mask), so
  /// that it can be had again at any time.
  bool isConstant(mlir::Value value) const;

private:
  enum Flag : unsigned { live = 1, constant = 2 };
  bool computesFromConstants(mlir::Operation *op) const;

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, unsigned> flags;
};

/// The bytes of a value of type `type`: element count times element size, each
/// element a whole number of bytes (i1 takes one). Nothing where the size is
/// not known; `why` then says what stands against it ("dimension 0 is
/// dynamic").
std::optional<int64_t> getByteSize(mlir::Type type, std::string *why = nullptr);

/// The bytes of `value`; fails with a diagnostic that names it where they are
/// not known.
llvm::FailureOr<int64_t> requireByteSize(mlir::Value value);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_STORAGE_H
