//===- Repeats.h - which ops compute the same -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_REPEATS_H
#define MEMOPT_ANALYSIS_REPEATS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <unordered_map>

namespace memopt {

/// Value numbering over ops that are shown to it in program order: which
/// earlier op does the same on the same values, as cse would find.
class Repeats {
public:
  /// The first op recorded that computes what `op` computes; null where there
  /// is none or `op` is more than a function of its operands.
  mlir::Operation *find(mlir::Operation *op) const;
  /// Makes `op` known to later calls of `find`.
  void record(mlir::Operation *op);
  /// From now on the values are the same.
  void unify(mlir::Value value, mlir::Value same);
  void unify(mlir::Operation *op, mlir::Operation *same);

private:
  mlir::Value getLeader(mlir::Value value) const;
  size_t hash(mlir::Operation *op) const;
  bool areEqual(mlir::Operation *a, mlir::Operation *b) const;

  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
  std::unordered_map<size_t, llvm::SmallVector<mlir::Operation *, 1>> buckets;
};

/// True where the op only shows, fills or names something: no byte lives longer
/// where two of them become one.
bool makesNoStorage(mlir::Operation *op);

/// The ops after `forwardEnd` that do again, fences aside, what an op up to
/// there does: what memopt-rematerialize added, and what the front end had
/// repeated.
llvm::SmallVector<mlir::Operation *>
findRecomputed(mlir::Block &body, mlir::Operation *forwardEnd);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_REPEATS_H
