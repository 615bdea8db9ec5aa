//===- RowPasses.h - which pass over a row does what ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_ROWPASSES_H
#define MEMOPT_CODEGEN_ROWPASSES_H

#include "MemOpt/Codegen/KernelProgram.h"

namespace memopt {

/// One walk along a row.
struct RowPass {
  llvm::SmallVector<int> reductions;
  /// What is written at each point.
  llvm::SmallVector<const ProgramStore *> stores;
  llvm::SmallVector<const ProgramAssert *> asserts;
  /// The nodes that all of these ask for.
  llvm::SmallVector<int> roots;
  /// Nodes that later passes want and this one puts into a buffer of the row,
  /// and nodes that it finds there.
  llvm::SmallVector<int> saved, loaded;
  /// All reductions take their values in any order.
  bool inAnyOrder = true;
  /// Those that do so unless what they follow is NaN.
  llvm::SmallVector<int> followers;
};

struct RowPlan {
  /// The loops of a row's points.
  uint64_t columns = 0;
  std::vector<RowPass> passes;
  /// What is written once a row.
  llvm::SmallVector<const ProgramStore *> rowStores;
  /// What reads sums over other loops, as those of columns.
  llvm::SmallVector<const ProgramStore *> otherStores;
  /// Nodes that have a buffer, in order; 64 KiB in all at most.
  llvm::SmallVector<int> kept;
};

/// Pass k holds the sums that need those of k others, one after the other.
/// Values are computed again in each pass that needs them, but costly ones,
/// which are kept where they fit. Reductions of other loops than the columns are
/// left out.
RowPlan planPasses(const KernelProgram &program);

/// How many sums one after the other stand before each node.
llvm::SmallVector<int> getDepths(const KernelProgram &program);

} // namespace memopt

#endif // MEMOPT_CODEGEN_ROWPASSES_H
