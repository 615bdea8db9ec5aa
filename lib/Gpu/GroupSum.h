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
/// threads, a power of two up to the warp's size, or all of the block. A tree
/// that depends on the group's size only. All threads of the block take part;
/// `name` tells this place of the kernel from others.
llvm::SmallVector<mlir::Value> addGroup(KernelCode &code, llvm::StringRef name,
                                        llvm::ArrayRef<GroupSum> sums,
                                        int64_t group);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GROUPSUM_H
