//===- GroupSum.h - sums over the threads of a row --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GROUPSUM_H
#define MEMOPT_LIB_GPU_GROUPSUM_H

#include "MemOpt/Codegen/KernelCode.h"
#include "ThreadCode.h"

namespace memopt {

/// What threads have of a sum, each a part, and the op that adds two parts.
struct GroupSum {
  mlir::Operation *op;
  mlir::Value part;
};

/// Shared memory of the kernel that `b` stands in: `count` elements.
mlir::Value makeShared(mlir::OpBuilder &b, mlir::Location loc,
                       llvm::StringRef name, mlir::Type element, int64_t count);

/// The whole of each sum, in every thread of a group: `group` neighbouring
/// threads, a power of two up to the warp's size, or whole warps, `groups` of
/// them a block. A tree that depends on the group's size only. All threads of
/// the block take part; `name` tells this place of the kernel from others.
llvm::SmallVector<mlir::Value> addGroup(KernelCode &code, llvm::StringRef name,
                                        llvm::ArrayRef<GroupSum> sums,
                                        int64_t group, int64_t groups);

/// Threads of a block that stand above each other: `down` (a power of two) rows
/// of `across` threads.
struct ThreadRows {
  mlir::Value row, column;
  int64_t across = 1, down = 1;
};

/// Adds up vectors of threads above each other, through shared memory: the
/// upper half adds the lower one's, until one is left, which has the sums; a
/// part of them elsewhere. `places` has shared memory of as many elements as
/// all parts of a sum have, which no thread reads any more.
llvm::SmallVector<mlir::Value> addAbove(KernelCode &code,
                                        llvm::ArrayRef<GroupSum> sums,
                                        llvm::ArrayRef<mlir::Value> places,
                                        const ThreadRows &threads);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GROUPSUM_H
